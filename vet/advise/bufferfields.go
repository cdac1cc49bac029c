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

// isBuffers reports whether a use of the field is no other than that of its Buffer, or gives a new struct its first one. Slices of its
// memory must be plain reads, as this function says.
func (t *tracer) isBuffers(at *ssa.FieldAddr, isRead func(ssa.Value) bool) bool {
	if !isBufferPointerType(fieldAt(at).Type()) {
		return !t.asksMore(at, isRead) && !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
			st, ok := r.(*ssa.Store)
			return ok && st.Addr == ssa.Value(at)
		})
	}
	return !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return t.asksMore(r, isRead)
		case *ssa.Store:
			_, local := at.X.(*ssa.Alloc)
			return !local || !isEmptyBuffer(r.Val)
		}
		return true
	})
}

// asksMore reports whether the capacity of a Buffer may be asked for, which is another in a pool. So it does if a slice of its memory may
// show another array.
func (t *tracer) asksMore(buffer ssa.Value, isRead func(ssa.Value) bool) bool {
	for alias := range t.trailOf(buffer).seen {
		for _, use := range *alias.Referrers() {
			switch use := use.(type) {
			case *ssa.MakeClosure:
				return true
			case *ssa.Call:
				switch fn := use.Call.StaticCallee(); {
				case fn == nil:
				case slices.Contains([]string{"bytes.(*Buffer).Cap", "bytes.(*Buffer).Available", "bytes.(*Buffer).AvailableBuffer"}, runtimeName(fn)):
					return true
				case isOfBuffer(use) && isSliceType(use.Type()) && !isRead(use):
					return true
				}
			}
		}
	}
	return false
}

// bufferWrites returns the calls of a function that may write to the Buffer of a field.
func (t *tracer) bufferWrites(fn *ssa.Function, field *types.Var) (writes []ssa.Instruction) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			at, ok := instr.(*ssa.FieldAddr)
			if !ok || fieldAt(at) != field {
				continue
			}
			for alias := range t.trailOf(at).seen {
				if isSliceType(alias.Type()) || alias.Parent() != fn {
					continue
				}
				for _, use := range *alias.Referrers() {
					if call, ok := use.(ssa.CallInstruction); ok && mayGrow(call) {
						writes = append(writes, call)
					}
				}
			}
		}
	}
	return writes
}
