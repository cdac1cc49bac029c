package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// trust notes that a method of an interface is believed to keep its contract. If the interface may hold a value of the
// program whose method breaks the contract, the memory leaves. An empty name means any method.
func (t *trail) trust(method string, v ssa.Value) {
	t.trusted, t.hidden = true, true
	of := v.Type().Underlying()
	if makes, ok := of.(*types.Signature); ok && makes.Results().Len() == 1 { // a hash
		of = makes.Results().At(0).Type().Underlying()
	}
	face, ok := of.(*types.Interface)
	if !ok || face.NumMethods() == 0 {
		return
	}
	for _, k := range t.keepers {
		if method != "" && k.Name() != method || !types.Implements(k.Signature.Recv().Type(), face) || !t.mayBe(v, k, t.isNear(k, v.Parent()), map[ssa.Value]bool{}) {
			continue
		}
		t.leave(isBroken, "may be passed to %s, which keeps it", name(k))
	}
}

// trustOther notes the same of a method of another module, whose receiver may pass the memory on to any value of the program.
func (t *trail) trustOther(fn *ssa.Function) {
	t.trusted, t.hidden = true, true
	for _, k := range t.keepers {
		if k.Name() == fn.Name() && (k == fn || t.moduleOf(k) == nil) {
			t.leave(isBroken, "may be passed to %s, which keeps it", name(k))
		}
	}
}

// mayBe reports whether an interface may hold a value whose method is k. Unless such values are around, one must be seen to come there.
func (t *tracer) mayBe(v ssa.Value, k *ssa.Function, around bool, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const: // nil
		return false
	case *ssa.MakeInterface:
		return isMethodOf(v.X.Type(), k) || isOfEmbedded(v.X.Type(), k) && t.isAround(k)
	case *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.Extract:
		return t.mayBe(*v.(ssa.Instruction).Operands(nil)[0], k, around, seen)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return t.mayBe(e, k, around, seen) })
	case *ssa.Slice: // arguments of a variadic function
		if list, ok := v.X.(*ssa.Alloc); ok && list.Comment == "varargs" {
			return slices.ContainsFunc(elementsOf(list), func(e ssa.Value) bool { return t.mayBe(e, k, around, seen) })
		}
	case *ssa.Parameter:
		if given, known := t.mayBeGiven(v, k, around, seen); given || known {
			return given
		}
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); isModeled(fn) && len(fn.Blocks) == 0 { // it may wrap its arguments
			return slices.ContainsFunc(v.Call.Args, func(arg ssa.Value) bool { return t.mayWrap(arg, k, around, seen) })
		}
	}
	return around && t.isAround(k)
}

// mayWrap reports whether an argument may be such a value, or a list of interfaces that hold some.
func (t *tracer) mayWrap(arg ssa.Value, k *ssa.Function, around bool, seen map[ssa.Value]bool) bool {
	_, list := arg.(*ssa.Slice)
	return (list || types.IsInterface(arg.Type())) && t.mayBe(arg, k, around, seen) || isMethodOf(arg.Type(), k)
}

// mayBeGiven reports whether a caller may pass such a value for a parameter, and whether all callers are known.
func (t *tracer) mayBeGiven(v *ssa.Parameter, k *ssa.Function, around bool, seen map[ssa.Value]bool) (given, known bool) {
	i := slices.Index(v.Parent().Params, v)
	for _, c := range t.calls[v.Parent()] {
		if args := c.Common().Args; i >= len(args) || t.mayBe(args[i], k, around, seen) {
			return true, true
		}
	}
	return false, t.closed(v.Parent())
}

// elementsOf returns the values that are stored in an array.
func elementsOf(list *ssa.Alloc) (all []ssa.Value) {
	for _, r := range *list.Referrers() {
		if at, ok := r.(*ssa.IndexAddr); ok {
			for _, r := range *at.Referrers() {
				if st, ok := r.(*ssa.Store); ok {
					all = append(all, st.Val)
				}
			}
		}
	}
	return all
}

// isMethodOf reports whether k is a method of a type.
func isMethodOf(typ types.Type, k *ssa.Function) bool {
	m, _, _ := types.LookupFieldOrMethod(typ, true, k.Pkg.Pkg, k.Name())
	return m != nil && m == k.Object()
}

// isOfEmbedded reports whether a type has the method of an interface that it embeds, where k may be that.
func isOfEmbedded(typ types.Type, k *ssa.Function) bool {
	m, _, _ := types.LookupFieldOrMethod(typ, true, k.Pkg.Pkg, k.Name())
	fn, ok := m.(*types.Func)
	return ok && types.IsInterface(fn.Signature().Recv().Type())
}

// isAround reports whether any function may get a value whose method is k: users of the package can make one, or a
// function of the program gives one away.
func (t *tracer) isAround(k *ssa.Function) bool {
	known, ok := t.around[k]
	if !ok {
		recv := k.Signature.Recv().Type()
		if p, ok := recv.(*types.Pointer); ok {
			recv = p.Elem()
		}
		n, isNamed := recv.(*types.Named)
		known = !isNamed || n.Obj().Exported() || slices.ContainsFunc(t.interfaces, func(made *ssa.MakeInterface) bool {
			return isMethodOf(made.X.Type(), k) && (made.X.Type() != k.Signature.Recv().Type() || t.isGiven(made, map[ssa.Value]bool{}))
		})
		t.around[k] = known
	}
	return known
}

// isGiven reports whether an interface's value goes anywhere but to functions that only call its methods.
func (t *tracer) isGiven(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Call:
			if r.Call.IsInvoke() && r.Call.Value == v && !slices.Contains(r.Call.Args, v) {
				continue
			}
			fn := r.Call.StaticCallee()
			if fn == nil || len(fn.Blocks) == 0 {
				return true
			}
			for i, arg := range r.Call.Args {
				if arg == v && (i >= len(fn.Params) || t.isGiven(fn.Params[i], seen)) {
					return true
				}
			}
			continue
		}
		return true
	}
	return false
}

// decodesInto reports whether a call that decodes memory may call k, a method of a value in another argument.
func decodesInto(args []ssa.Value, memory ssa.Value, k *ssa.Function) bool {
	for _, arg := range args {
		made, ok := arg.(*ssa.MakeInterface)
		if arg != memory && (!ok || leadsTo(made.X.Type(), k, map[types.Type]bool{})) {
			return true
		}
	}
	return len(args) < 2 // a decoder that has the memory
}

// leadsTo reports whether a value of a type may have a value with the method k in it.
func leadsTo(typ types.Type, k *ssa.Function, seen map[types.Type]bool) bool {
	if seen[typ] {
		return false
	}
	seen[typ] = true
	if isMethodOf(typ, k) || isMethodOf(types.NewPointer(typ), k) {
		return true
	}
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		return leadsTo(u.Elem(), k, seen)
	case *types.Slice:
		return leadsTo(u.Elem(), k, seen)
	case *types.Array:
		return leadsTo(u.Elem(), k, seen)
	case *types.Map:
		return leadsTo(u.Elem(), k, seen) || leadsTo(u.Key(), k, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if leadsTo(f.Type(), k, seen) {
				return true
			}
		}
		return false
	case *types.Basic:
		return false
	}
	return true // an interface holds anything
}
