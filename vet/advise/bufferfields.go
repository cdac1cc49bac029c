package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A struct may have a Buffer, such as a writer with an indentation. Functions that are done with the struct when they return give it the
// Buffer of a pool before they use it: others may make the struct. The Buffer that it has had is empty, and costs nothing.

// isBufferField reports whether a field has a Buffer, or a pointer to one.
func isBufferField(field *types.Var) bool {
	return isBuffer(field.Type()) || isBufferPointerType(field.Type())
}

// isBufferPointerType reports whether a type is that of pointers to Buffers.
func isBufferPointerType(t types.Type) bool {
	p, ok := t.(*types.Pointer)
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
func (t *tracer) isBuffers(at *ssa.FieldAddr) bool {
	if !isBufferPointerType(fieldAt(at).Type()) {
		return !t.asksMore(at) && !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
			st, ok := r.(*ssa.Store)
			return ok && st.Addr == ssa.Value(at)
		})
	}
	return !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return t.asksMore(r)
		case *ssa.Store:
			_, local := at.X.(*ssa.Alloc)
			return !local || !isEmptyBuffer(r.Val)
		}
		return true
	})
}

// asksMore reports whether the capacity of a Buffer may be asked for, which is another in a pool, or whether its bytes are nil.
func (t *tracer) asksMore(buffer ssa.Value) bool {
	for alias := range t.trailOf(buffer).seen {
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
