package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A struct is apart if nothing but variables of functions ever has its address, or that of a part of it. Then no field leads back to the
// struct, but for function literals in fields of its own. Values of other fields, such as slices and structs, are other memory, and may
// outlive the struct.

// isInside reports whether a value is surely the address of the struct, or of a field or an array in it.
func (t *trail) isInside(v ssa.Value) bool { return !t.holds && t.isAt(v, map[ssa.Value]bool{}) }

func (t *trail) isAt(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == t.root {
		return !isFreePointer(v)
	}
	if seen[v] || isNil(v) {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return t.isAt(v.X, seen)
	case *ssa.IndexAddr:
		_, array := v.X.Type().Underlying().(*types.Pointer)
		return array && t.isAt(v.X, seen)
	case *ssa.ChangeType:
		return t.isAt(v.X, seen)
	case *ssa.MakeInterface:
		return t.isAt(v.X, seen)
	case *ssa.ChangeInterface:
		return t.isAt(v.X, seen)
	case *ssa.TypeAssert:
		return t.isAt(v.X, seen)
	case *ssa.Extract:
		asked, ok := v.Tuple.(*ssa.TypeAssert)
		return ok && v.Index == 0 && t.isAt(asked.X, seen)
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !t.isAt(e, seen) })
	case *ssa.UnOp:
		if _, value := v.Type().Underlying().(*types.Struct); value {
			return false
		}
		return v.X == t.root && isFreePointer(t.root) || t.isVariable(v.X, seen)
	}
	return false
}

// isVariable reports whether a value is a variable of the function that surely has nothing but the address of the struct.
func (t *trail) isVariable(v ssa.Value, seen map[ssa.Value]bool) bool {
	variable, ok := v.(*ssa.Alloc)
	if !ok || v == t.root {
		return false
	}
	stored, known := storedIn(variable)
	return known && !slices.ContainsFunc(stored, func(e ssa.Value) bool { return !t.isAt(e, seen) })
}

// isFreePointer reports whether a value is a variable, of a function around a literal, that has an address, maybe in an
// interface.
func isFreePointer(v ssa.Value) bool {
	free, ok := v.(*ssa.FreeVar)
	if !ok {
		return false
	}
	p, ok := free.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	switch p.Elem().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// isBound reports whether a function literal surely gets the address of the struct, or a variable with that.
func (t *trail) isBound(v ssa.Value) bool {
	return t.isInside(v) || !t.holds && (v == t.root || t.isVariable(v, map[ssa.Value]bool{}))
}

// isOther reports whether a value that is read is other memory, as it is read from a struct that is apart. A function may be a literal that
// has the struct.
func (t *trail) isOther(load *ssa.UnOp) bool {
	return t.apart && t.isInside(load.X) && !hasFunction(load.Type())
}

// hasFunction reports whether values of a type are functions, or have some in fields or elements.
func hasFunction(typ types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Array:
		return hasFunction(u.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return hasFunction(f.Type()) })
	}
	return false
}

// keepsLiteral reports whether a function literal that has the struct becomes a field of that, which it cannot leave but by a load. The
// literal is a part of the functions that call it.
func (t *trail) keepsLiteral(c *ssa.MakeClosure, use ssa.Instruction) bool {
	st, ok := use.(*ssa.Store)
	return ok && t.apart && st.Val == ssa.Value(c) && t.isInside(st.Addr) && hasFunction(st.Val.Type())
}

// isOwnFunction reports whether a value is a function that is read from the struct: one that does not have the struct, or such a literal.
func (t *trail) isOwnFunction(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	_, function := v.Type().Underlying().(*types.Signature)
	return ok && function && t.apart && t.isInside(load.X)
}

// isOwn reports whether an address, at which that of a struct that is apart is stored, is in the struct, or in the one that a parameter
// leads to.
func (t *trail) isOwn(addr ssa.Value) bool {
	field, ok := addr.(*ssa.FieldAddr)
	return t.apart && (t.isInside(addr) || ok && field.X == t.root)
}
