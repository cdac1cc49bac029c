package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function may make a struct with a Buffer for others, such as a writer with an indentation. Those that are done with the struct when
// they return give it a Buffer of a pool before they use it. The Buffer that it has had is empty, and costs nothing.

// isBufferField reports whether a field has a pointer to a Buffer.
func isBufferField(field *types.Var) bool {
	p, ok := field.Type().(*types.Pointer)
	return ok && isBuffer(p.Elem())
}

// isEmptyBuffer reports whether a value is a new Buffer without memory that goes nowhere but to one field.
func isEmptyBuffer(v ssa.Value) bool {
	switch made := v.(type) {
	case *ssa.Alloc:
		if !isBuffer(made.Type().Underlying().(*types.Pointer).Elem()) {
			return false
		}
	case *ssa.Call:
		if !isCalled(made, "bytes.NewBuffer") || !isNil(made.Call.Args[0]) {
			return false
		}
	default:
		return false
	}
	return len(*v.Referrers()) == 1
}

// isBuffers reports whether a use of the field is no other than that of its Buffer, or gives a new struct its first one.
func (u *fieldUses) isBuffers(at *ssa.FieldAddr) bool {
	return !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return u.asksMore(r)
		case *ssa.Store:
			_, local := at.X.(*ssa.Alloc)
			return !local || !isEmptyBuffer(r.Val)
		}
		return true
	})
}

// asksMore reports whether the capacity of a Buffer may be asked for, which is another in a pool, or whether its bytes are nil.
func (u *fieldUses) asksMore(buffer ssa.Value) bool {
	for alias := range u.tracer.trailOf(buffer).seen {
		for _, use := range *alias.Referrers() {
			switch use := use.(type) {
			case *ssa.MakeClosure:
				return true
			case *ssa.Call:
				switch fn := use.Call.StaticCallee(); {
				case fn == nil:
				case isCalled(use, "bytes.(*Buffer).Bytes"):
					if !isAlikeEmpty(use, 0) {
						return true
					}
				case slices.Contains([]string{"bytes.(*Buffer).Cap", "bytes.(*Buffer).Available", "bytes.(*Buffer).AvailableBuffer"}, runtimeName(fn)):
					return true
				}
			}
		}
	}
	return false
}
