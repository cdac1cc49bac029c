package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Some callers of a function may keep the memory that most are done with. They can have copies, if that does not cost much.

// mostCopied is the share of a site's bytes that may go to such callers.
const mostCopied = 0.25

// mayCopy reports whether the caller that gets memory as the result of a call, with this fate, would not notice that it is a copy, but for
// its address.
func (a *allocation) mayCopy(call *ssa.Call, result int, f *fate) bool {
	return !a.apart && !inLoop(call) && isSliceType(resultOf(call, result).Type()) && !a.hasRoom(result) && !f.sized && !f.forked && !f.several && !f.resliced
}

// hasRoom reports whether memory may be returned with room behind its length, which others may use.
func (a *allocation) hasRoom(result int) bool {
	switch made := a.root().(type) {
	case *ssa.MakeSlice:
		if !isSameNumber(made.Len, made.Cap) {
			return true
		}
	case *ssa.Slice: // of an array with a constant size
		array, ok := made.X.(*ssa.Alloc)
		if length, isConst := made.High.(*ssa.Const); !ok || array.Comment != "makeslice" || made.High != nil && !(isConst && length.Int64() == arrayLength(array)) {
			return true
		}
	case *ssa.Convert: // of a string
	default:
		return true
	}
	return slices.ContainsFunc(a.instr.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		ret, ok := lastOf(b).(*ssa.Return)
		return ok && slices.ContainsFunc(merged(ret.Results[result]), func(v ssa.Value) bool { return v != a.root() && !isNil(v) })
	})
}
