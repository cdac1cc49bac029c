package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The slices that a Buffer returns may show whether its memory is new: behind their length, or if they are nil.

// showsMemory refuses a Buffer whose slices are used so.
func (m *mend) showsMemory() error {
	root, ok := m.a.instr.(ssa.Value)
	if !ok {
		return nil
	}
	if m.a.fate != nil && m.a.fate.resliced {
		return refusal("a slice of its bytes may end behind their length, where a new Buffer has zeros, and that of a pool anything")
	}
	for v := range m.tracer.trailOf(root).seen {
		if isSliceType(v.Type()) && isComparedWithNil(v, map[ssa.Value]bool{}) {
			return errNil
		}
	}
	return nil
}

// isComparedWithNil reports whether a slice, or a part of it, may be compared with nil, also in functions that get it.
func isComparedWithNil(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.BinOp:
			return isNil(r.X) || isNil(r.Y)
		case *ssa.Slice, *ssa.Phi, *ssa.ChangeType:
			return isComparedWithNil(r.(ssa.Value), seen)
		case *ssa.Call:
			if fn := r.Call.StaticCallee(); fn != nil {
				for i, arg := range r.Call.Args {
					if arg == v && i < len(fn.Params) && isComparedWithNil(fn.Params[i], seen) {
						return true
					}
				}
			}
		}
		return false
	})
}
