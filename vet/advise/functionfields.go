package advise

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function value in a field is known if the package that declares the field alone can set it, and sets it to known functions.

// setsOf returns all values that a field gets. It reports false if other code may set it.
func (t *tracer) setsOf(field *types.Var) (values []ssa.Value, known bool) {
	owner := ownerOf(field)
	if field.Exported() || owner == nil || field.Origin() != field || owner.Type().(*types.Named).TypeParams() != nil {
		return nil, false
	}
	if p := t.packages[field.Pkg()]; p == nil || !isPlainGo(p) || t.setElse(p, field.Name()) {
		return nil, false
	}
	if slices.ContainsFunc(t.conversions, func(c ssa.Value) bool { return hasFieldOf(c.Type(), field) }) {
		return nil, false // structs of another type become the owner's
	}
	for _, of := range t.fields[field] {
		switch of := of.(type) {
		case *ssa.Field:
		case *ssa.FieldAddr:
			for _, r := range *of.Referrers() {
				switch r := r.(type) {
				case *ssa.DebugRef:
				case *ssa.Store:
					if r.Addr != ssa.Value(of) {
						return nil, false
					}
					values = append(values, r.Val)
				case *ssa.UnOp:
					if r.Op != token.MUL {
						return nil, false
					}
				default:
					return nil, false
				}
			}
		default: // a struct of another type
			return nil, false
		}
	}
	return values, true
}
