package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A struct is apart if nothing but variables of functions ever has its address, or that of a part of it. Then no field leads back to the
// struct. Values of its fields, such as slices and other structs, are other memory, and may outlive the struct.

// isInside reports whether a value is surely the address of the struct, or of a field or an array in it.
func (t *trail) isInside(v ssa.Value) bool { return !t.holds && t.isAt(v, map[ssa.Value]bool{}) }

func (t *trail) isAt(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == t.root || seen[v] || isNil(v) {
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
		variable, stored := setHere(v)
		return variable != nil && !slices.ContainsFunc(stored, func(e ssa.Value) bool { return !t.isAt(e, seen) })
	}
	return false
}

// isOther reports whether a value that is read at an address is other memory, as the address is that of a field of a struct that is apart.
func (t *trail) isOther(addr ssa.Value) bool { return t.apart && t.isInside(addr) }

// isOwn reports whether an address, at which that of a struct that is apart is stored, is in the struct, or in the one that a parameter
// leads to.
func (t *trail) isOwn(addr ssa.Value) bool {
	field, ok := addr.(*ssa.FieldAddr)
	return t.apart && (t.isInside(addr) || ok && field.X == t.root)
}
