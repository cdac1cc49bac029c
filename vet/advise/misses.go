package advise

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Memory may be pooled already: the New of a pool makes it, or code that runs if a pool or another free list has nothing. Or it
// is a part of a value from a pool. Then another pool would be in vain.

// noteNew notes a function that becomes the New of a pool.
func (t *tracer) noteNew(instr ssa.Instruction) {
	st, ok := instr.(*ssa.Store)
	if !ok {
		return
	}
	t.noteReset(st)
	if addr, ok := st.Addr.(*ssa.FieldAddr); ok && fieldName(addr) == "Pool.New" {
		t.news = append(t.news, newOf{st.Val, poolAt(addr.X)})
	}
}

// findMakers finds the functions that are the New of a pool, or that such a function calls because it is a wrapper for an
// argument.
func (t *tracer) findMakers() {
	seen := map[newOf]bool{}
	for len(t.news) > 0 {
		n := newOf{captured(settled(t.news[0].fn)), t.news[0].pool}
		if t.news = t.news[1:]; seen[n] {
			continue
		}
		seen[n] = true
		switch v := n.fn.(type) {
		case *ssa.Function:
			t.makers[v] = append(t.makers[v], n.pool)
			t.news = append(t.news, t.calledBy(v, n.pool)...)
		case *ssa.MakeClosure:
			t.news = append(t.news, newOf{v.Fn, n.pool})
		case *ssa.ChangeType:
			t.news = append(t.news, newOf{v.X, n.pool})
		case *ssa.Parameter:
			fn := v.Parent()
			for _, call := range slices.Concat(t.calls[fn], t.instances[fn]) {
				if args := call.Common().Args; len(args) == len(fn.Params) {
					t.news = append(t.news, newOf{args[slices.Index(fn.Params, v)], cmp.Or(storedAs(call.Value()), n.pool)})
				}
			}
		}
	}
}

// calledBy returns the function values that a New calls, and the functions that nothing else calls.
func (t *tracer) calledBy(fn *ssa.Function, pool *types.Var) (all []newOf) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || call.Call.IsInvoke() {
				continue
			}
			switch callee := call.Call.StaticCallee(); {
			case callee == nil:
				all = append(all, newOf{call.Call.Value, pool})
			case t.closed(callee) && !slices.ContainsFunc(t.calls[callee], func(c ssa.CallInstruction) bool { return t.makers[c.Parent()] == nil }):
				all = append(all, newOf{callee, pool})
			}
		}
	}
	return all
}

// missesPool reports whether an instruction is carried out only if a free list had nothing: a Get of a sync.Pool gave nil, or
// a channel no value of the type. It returns the free list, too.
func missesPool(instr ssa.Instruction) lent {
	for b := instr.Block(); b != nil && b.Idom() != nil; b = b.Idom() {
		branch, ok := lastOf(b.Idom()).(*ssa.If)
		if ok && len(b.Preds) == 1 && branch.Block().Succs[0] != branch.Block().Succs[1] {
			if l := isMiss(branch.Cond, branch.Block().Succs[0] == b, instr); l.ok {
				return l
			}
		}
	}
	return lent{}
}

// standsIn reports whether a function returns the memory of an instruction, and elsewhere in its place a value from a pool: the
// pool had none, or none so large.
func standsIn(instr ssa.Instruction) lent {
	made, ok := instr.(ssa.Value)
	if !ok || isGot(made).ok {
		return lent{}
	}
	var got lent
	beside := false
	for _, b := range instr.Parent().Blocks {
		r, ok := lastOf(b).(*ssa.Return)
		if !ok || len(r.Results) == 0 {
			continue
		}
		for _, v := range merged(settled(r.Results[0])) {
			got = got.or(isPartGot(v))
			beside = beside || v == made || isVariableOf(v, made) || uncut(v) == made
		}
	}
	if !beside {
		return lent{}
	}
	return got
}

// isPartGot does the same as isGot for a slice, too, that is cut, or to which the value of a pool points.
func isPartGot(v ssa.Value) lent {
	if l := isGot(v); l.ok {
		return l
	}
	v = settled(uncut(v))
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if _, list := load.Type().Underlying().(*types.Slice); list {
			v = load.X
		}
	}
	return isGot(v)
}

// uncut returns the slice, or the array, of which a value is a part from its beginning, or the value.
func uncut(v ssa.Value) ssa.Value {
	for {
		part, ok := v.(*ssa.Slice)
		if !ok || part.Low != nil && !isZero(part.Low) {
			return v
		}
		v = settled(part.X)
	}
}

// isVariableOf reports whether a value is the address of a variable that has a slice.
func isVariableOf(v, made ssa.Value) bool {
	variable, ok := v.(*ssa.Alloc)
	return ok && slices.ContainsFunc(storesTo(variable), func(stored ssa.Value) bool {
		list, ok := stored.(*ssa.Slice)
		return stored == made || ok && list.X == made
	})
}

// isMiss reports whether a condition has this truth only if a free list had nothing.
func isMiss(cond ssa.Value, truth bool, made ssa.Instruction) lent {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return isMiss(c.X, !truth, made)
		}
	case *ssa.Extract: // the second result of a type assertion
		if assert, ok := c.Tuple.(*ssa.TypeAssert); ok && c.Index == 1 && !truth {
			return isGot(assert.X)
		}
	case *ssa.BinOp:
		if l := isEmptied(c, truth, made); l.ok {
			return l
		}
		equal := truth == (c.Op == token.EQL)
		switch {
		case c.Op != token.EQL && c.Op != token.NEQ:
		case !equal:
			return isDefault(c, made)
		case isNil(c.X):
			return isGotOrNil(c.Y)
		case isNil(c.Y):
			return isGotOrNil(c.X)
		}
	}
	return lent{}
}

// isGotOrNil reports whether a value is nil, or from a pool. A loop may ask several pools for it.
func isGotOrNil(v ssa.Value) (got lent) {
	if l := isGot(v); l.ok {
		return l
	}
	seen := map[ssa.Value]bool{}
	all := []ssa.Value{v}
	for len(all) > 0 {
		v, all = settled(all[0]), all[1:]
		phi, ok := v.(*ssa.Phi)
		switch {
		case isNil(v) || seen[v]:
		case ok:
			seen[v] = true
			all = append(all, phi.Edges...)
		case isPartGot(v).ok:
			got = got.or(isPartGot(v))
		default:
			return lent{}
		}
	}
	return got
}

// isGot reports whether a value is the result of Get of a pool, of any type, or of a function that returns one.
func isGot(v ssa.Value) lent { return isGotWithin(v, 4) }

func isGotWithin(v ssa.Value, depth int) lent {
	result := 0
	v = unwrap(v)
	if l := isTaken(v); l.ok {
		return l
	}
	if x, ok := v.(*ssa.Extract); ok {
		v, result = x.Tuple, x.Index
	}
	switch x := v.(type) {
	case *ssa.TypeAssert:
		if result == 0 {
			return isGotWithin(x.X, depth)
		}
	case *ssa.ChangeType:
		return isGotWithin(x.X, depth)
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		switch {
		case x.Call.IsInvoke() && result == 0:
			return lendsByMethod(x)
		case fn == nil:
		case getsFromPool(fn):
			return lent{true, receiverPool(x)}
		case depth > 0:
			l := returnsGot(fn, result, depth-1)
			if l.ok && isPoolLike(fn) {
				l.pool = cmp.Or(receiverPool(x), l.pool)
			}
			return l
		}
	}
	return lent{}
}

// returnsGot reports whether a function returns a value that it got from a pool, or makes because the pool had none.
func returnsGot(fn *ssa.Function, result, depth int) (got lent) {
	for _, b := range fn.Blocks {
		r, ok := lastOf(b).(*ssa.Return)
		if !ok || result >= len(r.Results) {
			continue
		}
		for _, v := range merged(settled(r.Results[result])) {
			made, isMade := v.(ssa.Instruction)
			switch l := isGotWithin(v, depth); {
			case l.ok:
				got = got.or(l)
			case !isZeroValue(v) && !(isMade && missesPool(made).ok):
				return lent{}
			}
		}
	}
	return got
}

// isZeroValue reports whether a value is nil, or the zero value of a type parameter.
func isZeroValue(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// isPooled reports whether memory that grows or is stored is a part of a value from a pool: the value itself, the value of a
// field that is set only to such ones, or memory behind a pointer of the value.
func (t *tracer) isPooled(v ssa.Value) lent { return t.isPooledWithin(v, 3) }

func (t *tracer) isPooledWithin(v ssa.Value, depth int) lent {
	for range 8 {
		if l := anyOf(merged(settled(v)), isGot); l.ok {
			return l
		}
		switch x := unwrap(v).(type) {
		case *ssa.FieldAddr:
			if l := t.isSetToGot(fieldVar(x)); l.ok {
				return l
			}
			if t.isSetToNil(fieldVar(x)) { // the value may be put without that memory
				return lent{}
			}
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.Parameter:
			if depth == 0 {
				return lent{}
			}
			return t.isGivenPooled(x, depth-1).or(t.ofPooledType(x))
		default:
			return lent{}
		}
	}
	return lent{}
}

// isGivenPooled reports whether a function is called somewhere, and a parameter only gets values from a pool.
func (t *tracer) isGivenPooled(p *ssa.Parameter, depth int) (got lent) {
	i := slices.Index(p.Parent().Params, p)
	for _, c := range t.calls[p.Parent()] {
		args := c.Common().Args
		if i >= len(args) {
			return lent{}
		}
		l := t.isPooledWithin(args[i], depth)
		if !l.ok {
			return lent{}
		}
		got = got.or(l)
	}
	return got
}

// isSetToGot reports whether a field is set somewhere, and only to values from a pool or nil.
func (t *tracer) isSetToGot(field *types.Var) (got lent) {
	for _, v := range t.setTo(field) {
		if isNil(v) {
			continue
		}
		l := anyOf(merged(settled(v)), isGot)
		if !l.ok {
			return lent{}
		}
		got = got.or(l)
	}
	return got
}

// isSetToNil reports whether a field may lose its memory.
func (t *tracer) isSetToNil(field *types.Var) bool {
	return t.givesParts(field) || slices.ContainsFunc(t.setTo(field), isNil)
}

// givesParts reports whether a field is set to its slice without the beginning, which something else has then.
func (t *tracer) givesParts(field *types.Var) bool {
	return slices.ContainsFunc(t.setTo(field), func(v ssa.Value) bool {
		part, ok := v.(*ssa.Slice)
		return ok && part.Low != nil && !isZero(part.Low) && isReadFrom(part.X, field)
	})
}

// setTo returns the values that a field is set to, one by one.
func (t *tracer) setTo(field *types.Var) (values []ssa.Value) {
	if field == nil {
		return nil
	}
	for _, of := range t.fields[field] {
		at, ok := of.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, r := range *at.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(at) {
				values = append(values, st.Val)
			}
		}
	}
	return values
}

// refills reports whether a value becomes a part of one from a pool.
func (t *tracer) refills(v ssa.Value) lent {
	if v.Referrers() == nil {
		return lent{}
	}
	return anyOf(*v.Referrers(), func(r ssa.Instruction) lent {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == v {
				return t.isPooled(r.Addr)
			}
		case *ssa.Slice:
			if r.X == v {
				return t.refills(r)
			}
		}
		return lent{}
	})
}

// isDefault reports whether a comparison asks for the only case of a select statement with a default, and the case receives
// values of the type that an instruction makes.
func isDefault(c *ssa.BinOp, made ssa.Instruction) lent {
	x, ok := c.X.(*ssa.Extract)
	if !ok || x.Index != 0 {
		return lent{}
	}
	sel, ok := x.Tuple.(*ssa.Select)
	if !ok || sel.Blocking || len(sel.States) != 1 || sel.States[0].Dir != types.RecvOnly {
		return lent{}
	}
	from, ok := sel.States[0].Chan.Type().Underlying().(*types.Chan)
	if !ok { // it is of a type parameter
		return lent{}
	}
	return lent{types.Identical(from.Elem(), madeType(made.(ssa.Value))), poolAt(sel.States[0].Chan)}
}

// ofPooledType reports whether a parameter is the receiver of a method of such a type.
func (t *tracer) ofPooledType(p *ssa.Parameter) lent {
	recv := receiverOf(p.Parent())
	if recv == nil || p != p.Parent().Params[0] {
		return lent{}
	}
	from, known := t.pooledTypes[recv.Obj()]
	if !known {
		from = t.allFromPool(recv)
		t.pooledTypes[recv.Obj()] = from
	}
	return from
}

// allFromPool reports whether all values of a type are from a pool, into which a method puts them.
func (t *tracer) allFromPool(of *types.Named) (from lent) {
	if !t.putsItself(of) || t.isElsewhere(of.Obj()) {
		return lent{}
	}
	for _, made := range t.locals[of.Obj()] {
		l := missesPool(made)
		for _, pool := range t.makers[made.Parent()] {
			l = l.or(lent{true, pool})
		}
		if !l.ok {
			return lent{}
		}
		from = from.or(l)
	}
	return from
}

// putsItself reports whether a method of a type puts its receiver into a pool.
func (t *tracer) putsItself(of *types.Named) bool {
	return slices.ContainsFunc(t.methods, func(fn *ssa.Function) bool {
		recv := receiverOf(fn)
		return recv != nil && recv.Obj() == of.Obj() && len(fn.Params) > 0 && puts(fn, fn.Params[0], 3)
	})
}

// puts reports whether a function puts a value into a pool, itself or by functions that it calls.
func puts(fn *ssa.Function, v ssa.Value, depth int) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || call.Common().StaticCallee() == nil {
				continue
			}
			c := call.Common()
			if isPut(c, v) {
				return true
			}
			i := slices.Index(c.Args, v)
			if callee := c.StaticCallee(); depth > 0 && i >= 0 && i < len(callee.Params) && puts(callee, callee.Params[i], depth-1) {
				return true
			}
		}
	}
	return false
}

// isPut reports whether a call of a function puts a value into a pool.
func isPut(c *ssa.CallCommon, v ssa.Value) bool {
	obj, ok := c.StaticCallee().Object().(*types.Func)
	if !ok {
		return false
	}
	e := effects.Of(obj.Origin())
	return e != nil && e.Put != effects.None && e.Put < len(c.Args) && unwrap(c.Args[e.Put]) == v
}

// isElsewhere reports whether other packages may have values of a type, or fields and elements have some, which no pool lends.
func (t *tracer) isElsewhere(of *types.TypeName) bool {
	p := t.packages[of.Pkg()]
	if p == nil || of.Exported() && of.Pkg().Name() != "main" {
		return true
	}
	is := func(typ types.Type) bool {
		n, ok := types.Unalias(typ).(*types.Named)
		return ok && n.Obj() == of
	}
	for _, tv := range p.TypesInfo.Types {
		switch u := tv.Type.(type) {
		case *types.Slice:
			if is(u.Elem()) {
				return true
			}
		case *types.Array:
			if is(u.Elem()) {
				return true
			}
		case *types.Map:
			if is(u.Elem()) {
				return true
			}
		}
	}
	for _, obj := range p.TypesInfo.Defs {
		if v, ok := obj.(*types.Var); ok && (v.IsField() || v.Parent() == of.Pkg().Scope()) && is(v.Type()) {
			return true
		}
	}
	return false
}

// noteReset notes the type of a struct that is set as a whole, so that its fields lose their memory.
func (t *tracer) noteReset(st *ssa.Store) {
	n, ok := types.Unalias(st.Val.Type()).(*types.Named)
	if !ok {
		return
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return
	}
	if _, declared := st.Addr.(*ssa.Alloc); !declared {
		t.resets[n.Obj()] = true
	}
}

// isReadFrom reports whether a value is read from a field.
func isReadFrom(v ssa.Value, field *types.Var) bool {
	at, ok := fieldOf(v).(*ssa.FieldAddr)
	return ok && fieldAt(at) == field
}
