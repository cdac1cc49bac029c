package facts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// Borrows reports whether a function of the package uses an argument until it returns, and neither puts nor keeps it. Whoever
// calls it must still put the argument.
func (p *Package) Borrows(fn *ssa.Function, arg int) bool {
	if fn == nil || fn.Pkg != p.SSA || arg >= len(fn.Params) || len(fn.Blocks) == 0 {
		return false
	}
	return p.borrowed.Of(fn.Params[arg], true, func(v *ssa.Parameter) bool { return p.stays(v, map[ssa.Value]bool{}) })
}

// stays reports whether a value, and the addresses in its memory, go nowhere else.
func (p *Package) stays(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.Lookup, *ssa.Range, *ssa.Index, *ssa.Field:
		case *ssa.UnOp: // a loaded value is other memory
		case *ssa.Store:
			if r.Val == v {
				return false
			}
		case *ssa.MapUpdate:
			if r.Key == v || r.Value == v {
				return false
			}
		case *ssa.Convert:
			if shape.HoldsPointers(r.Type()) && !shape.IsBasic(r.Type(), types.IsString) {
				return false
			}
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType:
			if !p.stays(r.(ssa.Value), seen) {
				return false
			}
		case *ssa.Call:
			if !p.callBorrows(r, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// callBorrows reports whether a call uses a value until it returns.
func (p *Package) callBorrows(c *ssa.Call, v ssa.Value) bool {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "len" || b.Name() == "cap" || b.Name() == "copy" || b.Name() == "clear" || b.Name() == "delete"
	}
	if e := RowOf(c); e != nil {
		return !e.OfPool() && !e.Keeps() && (e.Fresh || e.Calm) && e.Holds == effects.None && e.Part == effects.None && e.View == effects.None
	}
	_, callee := p.Callee(&c.Call)
	for i, a := range c.Call.Args {
		if a == v && !p.Borrows(callee, i) {
			return false
		}
	}
	return callee != nil && c.Call.Value != v
}
