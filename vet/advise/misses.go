package advise

import (
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
	if addr, ok := st.Addr.(*ssa.FieldAddr); ok && fieldName(addr) == "Pool.New" {
		t.news = append(t.news, st.Val)
	}
}

// findMakers finds the functions that are the New of a pool, or that such a function calls because it is a wrapper for an
// argument.
func (t *tracer) findMakers() {
	seen := map[ssa.Value]bool{}
	for len(t.news) > 0 {
		v := captured(settled(t.news[0]))
		if t.news = t.news[1:]; seen[v] {
			continue
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Function:
			t.makers[v] = true
			t.news = append(t.news, t.calledBy(v)...)
		case *ssa.MakeClosure:
			t.news = append(t.news, v.Fn)
		case *ssa.ChangeType:
			t.news = append(t.news, v.X)
		case *ssa.Parameter:
			fn := v.Parent()
			for _, call := range slices.Concat(t.calls[fn], t.instances[fn]) {
				if args := call.Common().Args; len(args) == len(fn.Params) {
					t.news = append(t.news, args[slices.Index(fn.Params, v)])
				}
			}
		}
	}
}

// calledBy returns the function values that a New calls, and the functions that nothing else calls.
func (t *tracer) calledBy(fn *ssa.Function) (all []ssa.Value) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || call.Call.IsInvoke() {
				continue
			}
			switch callee := call.Call.StaticCallee(); {
			case callee == nil:
				all = append(all, call.Call.Value)
			case t.closed(callee) && !slices.ContainsFunc(t.calls[callee], func(c ssa.CallInstruction) bool { return !t.makers[c.Parent()] }):
				all = append(all, callee)
			}
		}
	}
	return all
}

// missesPool reports whether an instruction is carried out only if a free list had nothing: a Get of a sync.Pool gave nil, or
// a channel no value of the type.
func missesPool(instr ssa.Instruction) bool {
	for b := instr.Block(); b != nil && b.Idom() != nil; b = b.Idom() {
		branch, ok := lastOf(b.Idom()).(*ssa.If)
		if ok && len(b.Preds) == 1 && branch.Block().Succs[0] != branch.Block().Succs[1] && isMiss(branch.Cond, branch.Block().Succs[0] == b, instr) {
			return true
		}
	}
	return false
}

// standsIn reports whether a function returns the memory of an instruction, and elsewhere in its place a value from a pool: the
// pool had none, or none so large.
func standsIn(instr ssa.Instruction) bool {
	made, ok := instr.(ssa.Value)
	if !ok || isGot(made) {
		return false
	}
	var got, beside bool
	for _, b := range instr.Parent().Blocks {
		r, ok := lastOf(b).(*ssa.Return)
		if !ok || len(r.Results) == 0 {
			continue
		}
		for _, v := range merged(settled(r.Results[0])) {
			if part, ok := v.(*ssa.Slice); ok && isGot(part.X) {
				v = part.X
			}
			got = got || isGot(v)
			beside = beside || v == made || isVariableOf(v, made)
		}
	}
	return got && beside
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
func isMiss(cond ssa.Value, truth bool, made ssa.Instruction) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		return c.Op == token.NOT && isMiss(c.X, !truth, made)
	case *ssa.Extract: // the second result of a type assertion
		assert, ok := c.Tuple.(*ssa.TypeAssert)
		return ok && c.Index == 1 && !truth && isGot(assert.X)
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ {
			return false
		}
		equal := truth == (c.Op == token.EQL)
		return equal && (isNil(c.X) && isGot(c.Y) || isNil(c.Y) && isGot(c.X)) || !equal && isDefault(c, made)
	}
	return false
}

// isGot reports whether a value is the result of Get of a pool, of any type, or of a function that returns one.
func isGot(v ssa.Value) bool { return isGotWithin(v, 3) }

func isGotWithin(v ssa.Value, depth int) bool {
	result := 0
	v = unwrap(v)
	if x, ok := v.(*ssa.Extract); ok {
		v, result = x.Tuple, x.Index
	}
	switch x := v.(type) {
	case *ssa.TypeAssert:
		return result == 0 && isGotWithin(x.X, depth)
	case *ssa.ChangeType:
		return isGotWithin(x.X, depth)
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		return fn != nil && (getsFromPool(fn) || depth > 0 && returnsGot(fn, result, depth-1))
	}
	return false
}

func getsFromPool(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return false
	}
	e := effects.Of(obj.Origin())
	return e != nil && e.Get
}

// returnsGot reports whether a function returns a value that it got from a pool, or makes because the pool had none.
func returnsGot(fn *ssa.Function, result, depth int) (got bool) {
	for _, b := range fn.Blocks {
		r, ok := lastOf(b).(*ssa.Return)
		if !ok || result >= len(r.Results) {
			continue
		}
		for _, v := range merged(settled(r.Results[result])) {
			made, isMade := v.(ssa.Instruction)
			switch {
			case isGotWithin(v, depth):
				got = true
			case !isNil(v) && !(isMade && missesPool(made)):
				return false
			}
		}
	}
	return got
}

// isPooled reports whether memory that grows or is stored is a part of a value from a pool: the value itself, the value of a
// field that is set only to such ones, or memory behind a pointer of the value.
func (t *tracer) isPooled(v ssa.Value) bool { return t.isPooledWithin(v, 3) }

func (t *tracer) isPooledWithin(v ssa.Value, depth int) bool {
	for range 8 {
		if slices.ContainsFunc(merged(settled(v)), isGot) {
			return true
		}
		switch x := unwrap(v).(type) {
		case *ssa.FieldAddr:
			if t.isSetToGot(fieldVar(x)) {
				return true
			}
			if t.isSetToNil(fieldVar(x)) { // the value may be put without that memory
				return false
			}
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.Parameter:
			return depth > 0 && t.isGivenPooled(x, depth-1)
		default:
			return false
		}
	}
	return false
}

// isGivenPooled reports whether a function is called somewhere, and a parameter only gets values from a pool.
func (t *tracer) isGivenPooled(p *ssa.Parameter, depth int) bool {
	calls := t.calls[p.Parent()]
	i := slices.Index(p.Parent().Params, p)
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		args := c.Common().Args
		return i >= len(args) || !t.isPooledWithin(args[i], depth)
	})
}

// isSetToGot reports whether a field is set somewhere, and only to values from a pool or nil.
func (t *tracer) isSetToGot(field *types.Var) bool {
	values := slices.DeleteFunc(t.setTo(field), isNil)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v ssa.Value) bool {
		return !slices.ContainsFunc(merged(settled(v)), isGot)
	})
}

func (t *tracer) isSetToNil(field *types.Var) bool { return slices.ContainsFunc(t.setTo(field), isNil) }

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
func (t *tracer) refills(v ssa.Value) bool {
	return v.Referrers() != nil && slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Store:
			return r.Val == v && t.isPooled(r.Addr)
		case *ssa.Slice:
			return r.X == v && t.refills(r)
		}
		return false
	})
}

// isDefault reports whether a comparison asks for the only case of a select statement with a default, and the case receives
// values of the type that an instruction makes.
func isDefault(c *ssa.BinOp, made ssa.Instruction) bool {
	x, ok := c.X.(*ssa.Extract)
	if !ok || x.Index != 0 {
		return false
	}
	sel, ok := x.Tuple.(*ssa.Select)
	if !ok || sel.Blocking || len(sel.States) != 1 || sel.States[0].Dir != types.RecvOnly {
		return false
	}
	elem := sel.States[0].Chan.Type().Underlying().(*types.Chan).Elem()
	typ := made.(ssa.Value).Type()
	if v, ok := made.(*ssa.Alloc); ok && v.Comment == "makeslice" {
		typ = types.NewSlice(typ.Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Elem())
	}
	return types.Identical(elem, typ)
}
