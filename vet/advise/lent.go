package advise

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
)

// ownerOf returns the type of its package that declares a field, or nil.
func ownerOf(field *types.Var) *types.TypeName {
	if !field.IsField() || field.Pkg() == nil {
		return nil
	}
	scope := field.Pkg().Scope()
	for _, name := range scope.Names() {
		if of, ok := scope.Lookup(name).(*types.TypeName); ok && !of.IsAlias() && hasField(of.Type(), field) {
			return of
		}
	}
	return nil
}

// receiverPool returns the pool whose method a call is, or nil.
func receiverPool(call *ssa.Call) *types.Var {
	if call.Call.IsInvoke() {
		return poolAt(call.Call.Value)
	}
	if fn := call.Call.StaticCallee(); fn.Signature.Recv() == nil {
		return nil
	}
	return poolAt(call.Call.Args[0])
}

// poolAt returns the variable of a package, or the field, that a value is, is an element of, or points to, or nil.
func poolAt(v ssa.Value) *types.Var {
	for range 8 {
		switch x := captured(v).(type) {
		case *ssa.Global:
			obj, _ := x.Object().(*types.Var)
			return obj
		case *ssa.FieldAddr:
			field := fieldAt(x)
			if field == nil || !field.Embedded() {
				return field
			}
			v = x.X
		case *ssa.Alloc:
			return storedAs(x)
		case *ssa.UnOp:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Lookup:
			v = x.X
		case *ssa.Extract:
			v = x.Tuple
		default:
			return nil
		}
	}
	return nil
}

// storedAs returns the variable of a package, or the field, that is set to a value, which may be nil, if there is one of them.
func storedAs(v ssa.Value) (pool *types.Var) {
	if v == nil || v.Referrers() == nil {
		return nil
	}
	for _, r := range *v.Referrers() {
		var at *types.Var
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == v {
				at = setAt(r.Addr)
			}
		case *ssa.UnOp: // of a literal
			if r.Op == token.MUL && isLiteralAt(v) {
				at = storedAs(r)
			}
		}
		if at != nil && pool != nil {
			return nil
		}
		pool = cmp.Or(pool, at)
	}
	return pool
}

func isLiteralAt(v ssa.Value) bool {
	made, ok := v.(*ssa.Alloc)
	return ok && made.Comment == "complit"
}

// pairs are the names of methods that lend values and take them back.
var pairs = map[string]string{"Get": "Put", "Acquire": "Release", "Borrow": "Return", "New": "Free"}

// isPoolLike reports whether a function is a method that lends values, of a type with one that takes them back.
func isPoolLike(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	return recv != nil && takesBack(recv.Type(), fn.Name(), fn.Signature)
}

// lendsValues reports whether a type has methods that lend values and take them back.
func lendsValues(t types.Type) bool {
	for lends := range pairs {
		obj, _, _ := types.LookupFieldOrMethod(t, true, methodsPackage(t), lends)
		if m, ok := obj.(*types.Func); ok && takesBack(types.NewPointer(t), lends, m.Signature()) {
			return true
		}
	}
	return false
}

// takesBack reports whether a type has the method that belongs to one that lends values: its only parameter has the type of the
// result.
func takesBack(t types.Type, lends string, sig *types.Signature) bool {
	back := pairs[strings.ToUpper(lends[:1])+lends[1:]]
	if back == "" || sig.Results().Len() == 0 {
		return false
	}
	for _, name := range []string{back, strings.ToLower(back[:1]) + back[1:]} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, methodsPackage(t), name)
		m, ok := obj.(*types.Func)
		if ok && m.Signature().Params().Len() == 1 && types.Identical(m.Signature().Params().At(0).Type(), sig.Results().At(0).Type()) {
			return true
		}
	}
	return false
}

// methodsPackage returns the package of a type, or of that to which it points, or nil.
func methodsPackage(t types.Type) *types.Package {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

// lendsByMethod reports whether a call is that of an interface that is a pool. A queue has Get and Put, too, so a name must say so.
func lendsByMethod(call *ssa.Call) lent {
	m := call.Call.Method
	t := call.Call.Value.Type()
	l := lent{pool: poolAt(call.Call.Value)}
	_, name := named(t)
	lends := strings.ToUpper(m.Name()[:1]) + m.Name()[1:]
	l.ok = getsByName(m) || takesBack(t, m.Name(), m.Signature()) &&
		(lends == "Acquire" || lends == "Borrow" || facts.IsFreeName(name) || l.pool != nil && facts.IsFreeName(l.pool.Name()))
	return l
}

// isTaken reports whether a value is taken out of a free list, which is a slice, a channel, or a list of structs that have the
// next one. A stack looks the same, so a name must say so.
func isTaken(v ssa.Value) lent {
	switch x := v.(type) {
	case *ssa.Extract: // of a receive operation that does not wait
		if sel, ok := x.Tuple.(*ssa.Select); ok && !sel.Blocking && len(sel.States) == 1 && x.Index == 2 {
			return freeList(sel.States[0].Chan, x.Parent())
		}
	case *ssa.UnOp:
		if x.Op != token.MUL {
			return lent{}
		}
		if element, ok := x.X.(*ssa.IndexAddr); ok && removes(x.Parent(), poolAt(element.X), nil) {
			return freeList(element.X, x.Parent())
		}
		if pool := poolAt(x); pool != nil && removes(x.Parent(), pool, x) {
			return freeList(x, x.Parent())
		}
	}
	return lent{}
}

// freeList returns the free list that a value is in a function, if its name says so, or that of a type whose method lends values.
func freeList(v ssa.Value, in *ssa.Function) lent {
	pool := poolAt(v)
	if pool == nil {
		return lent{}
	}
	of := ownerOf(pool)
	return lent{facts.IsFreeName(pool.Name()) || of != nil && facts.IsFreeName(of.Name()) && isPoolLike(in), pool}
}

// removes reports whether a function sets a list to a part of it or, if first is not nil, to the struct behind the first.
func removes(fn *ssa.Function, list *types.Var, first ssa.Value) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			st, ok := instr.(*ssa.Store)
			if !ok || list == nil || setAt(st.Addr) != list {
				continue
			}
			switch v := st.Val.(type) {
			case *ssa.Slice:
				if first == nil && poolAt(v.X) == list {
					return true
				}
			case *ssa.Call: // append(list[:i], list[i+1:]...) or slices.Delete
				if part, ok := extendedOrCut(v).(*ssa.Slice); first == nil && ok && poolAt(part.X) == list {
					return true
				}
			case *ssa.UnOp:
				if next, ok := v.X.(*ssa.FieldAddr); ok && first != nil && next.X == first {
					return true
				}
			}
		}
	}
	return false
}

// setAt returns the variable of a package, or the field, that has an address, or nil.
func setAt(addr ssa.Value) *types.Var {
	switch addr.(type) {
	case *ssa.Global, *ssa.FieldAddr:
		return poolAt(addr)
	}
	return nil
}

// extendedOrCut returns the slice that a call appends to, or nil.
func extendedOrCut(call *ssa.Call) ssa.Value {
	if isAppend(call) {
		return call.Call.Args[0]
	}
	return nil
}

// isEmptied reports whether a comparison has this truth if a free list is empty, and not if it has an element. The list has
// values of the type that an instruction makes.
func isEmptied(c *ssa.BinOp, truth bool, made ssa.Instruction) lent {
	list, less := lengthOf(c.X)
	n, ok := c.Y.(*ssa.Const)
	if list == nil || !ok || n.Value == nil {
		return lent{}
	}
	if n.Value.Kind() != constant.Int {
		return lent{}
	}
	holds := func(length int64) bool { return constant.Compare(constant.MakeInt64(length-less), c.Op, n.Value) }
	if holds(0) != truth || holds(1) == truth || !isFor(made, list.Type().Underlying().(*types.Slice).Elem()) || !removes(made.Parent(), poolAt(list), nil) {
		return lent{}
	}
	return freeList(list, made.Parent())
}

// lengthOf returns the slice whose length a number is, less a constant.
func lengthOf(n ssa.Value) (list ssa.Value, less int64) {
	if diff, ok := n.(*ssa.BinOp); ok && diff.Op == token.SUB {
		if c, ok := diff.Y.(*ssa.Const); ok && c.Value != nil {
			n, less = diff.X, c.Int64()
		}
	}
	call, ok := n.(*ssa.Call)
	if !ok {
		return nil, 0
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "len" {
		return nil, 0
	}
	if _, ok := call.Call.Args[0].Type().Underlying().(*types.Slice); !ok {
		return nil, 0
	}
	return call.Call.Args[0], less
}

// isFor reports whether an instruction makes a value of a type, or memory for a field of one.
func isFor(made ssa.Instruction, typ types.Type) bool {
	v, ok := made.(ssa.Value)
	if !ok || v.Referrers() == nil {
		return false
	}
	return types.Identical(madeType(v), typ) || slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Slice:
			return isFor(r, typ)
		case *ssa.Store:
			field, ok := r.Addr.(*ssa.FieldAddr)
			return ok && r.Val == v && types.Identical(field.X.Type(), typ)
		}
		return false
	})
}

// madeType returns the type of a value that is made: of a slice, not of its array.
func madeType(v ssa.Value) types.Type {
	typ := first(v.Type())
	if v, ok := v.(*ssa.Alloc); ok && v.Comment == "makeslice" {
		typ = types.NewSlice(typ.Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Elem())
	}
	return typ
}

func getsFromPool(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && getsByName(obj)
}

func getsByName(f *types.Func) bool {
	e := effects.Of(f.Origin())
	return e != nil && e.Get
}
