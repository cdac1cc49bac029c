package advise

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A constructor often makes memory that its struct has until Close. If the struct's package alone can reach the field, and nothing takes
// the memory out of it, a Put belongs there.

// findClose notes the only method that ends the use of the struct that has a site's memory in a field, if a constructor makes that.
func (s *source) findClose(site *Site, owner *types.Named, closing []*ssa.Function) {
	a := site.found
	field := a.fate.field
	if len(closing) != 1 || field.Exported() || a.fate.ways&^(1<<isReturned|1<<isStored) != 0 || !s.constructs(a.instr.Parent(), owner, field) || s.leaves(field) {
		return
	}
	fn := closing[0]
	at := s.position(fn.Pos())
	a.closer = fmt.Sprintf(" It is in field %s.%s: a Put belongs in %s at %s:%d, and methods that run later must check that it is closed.",
		owner.Obj().Name(), field.Name(), fn.Name(), base(at.Filename), at.Line)
}

// constructs reports whether a function returns a struct of a type, or a pointer to one, and sets a field of one.
func (s *source) constructs(fn *ssa.Function, owner *types.Named, field *types.Var) bool {
	results := slices.Collect(fn.Signature.Results().Variables())
	return slices.ContainsFunc(results, func(r *types.Var) bool { return hasFieldOf(r.Type(), field) && isOrPointsTo(r.Type(), owner) }) &&
		slices.ContainsFunc(s.tracer.fields[field], func(at ssa.Value) bool {
			return at.Parent() == fn && slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
				st, ok := r.(*ssa.Store)
				return ok && st.Addr == at
			})
		})
}

// isOrPointsTo reports whether a type is a named one, or a pointer to that.
func isOrPointsTo(typ types.Type, of *types.Named) bool {
	if p, ok := types.Unalias(typ).(*types.Pointer); ok {
		typ = p.Elem()
	}
	n, ok := types.Unalias(typ).(*types.Named)
	return ok && n.Obj() == of.Obj()
}

// leaves reports whether anything may take memory out of a field.
func (s *source) leaves(field *types.Var) bool {
	p := s.tracer.packages[field.Pkg()]
	return p == nil || len(p.IgnoredFiles) > 0 || slices.ContainsFunc(s.tracer.fields[field], func(of ssa.Value) bool {
		at, ok := of.(*ssa.FieldAddr)
		return !ok || slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
			switch r := r.(type) {
			case *ssa.DebugRef:
				return false
			case *ssa.Store:
				return r.Addr != ssa.Value(at)
			case *ssa.UnOp:
				return r.Op != token.MUL || !s.tracer.goesOnlyTo(r, field)
			}
			return true
		})
	})
}
