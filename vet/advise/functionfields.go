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
	if slices.ContainsFunc(t.fields[field], func(of ssa.Value) bool { return !isSetOrRead(of) }) {
		return nil, false
	}
	return t.setTo(field), true
}

// isSetOrRead reports whether an instruction reads a field, or has its address to read or to set it. Others are those that turn
// the struct into one of another type.
func isSetOrRead(of ssa.Value) bool {
	if _, read := of.(*ssa.Field); read {
		return true
	}
	at, ok := of.(*ssa.FieldAddr)
	return ok && !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Store:
			return r.Addr != of
		case *ssa.UnOp:
			return r.Op != token.MUL
		}
		return true
	})
}
