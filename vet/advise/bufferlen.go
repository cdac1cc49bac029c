package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The length of a Buffer is that of the slice of all its bytes, if nothing comes between the two.

// isLenOfBuffer reports whether a number is the length of a Buffer that has just returned a slice of all its bytes.
func isLenOfBuffer(n, slice ssa.Value) bool {
	length, ok := n.(*ssa.Call)
	all, isCall := slice.(*ssa.Call)
	if !ok || !isCall || !isCalled(length, "bytes.(*Buffer).Len") || !isCalled(all, "bytes.(*Buffer).Bytes") || length.Block() != all.Block() {
		return false
	}
	buffer := all.Call.Args[0]
	if length.Call.Args[0] != buffer {
		a, isField := length.Call.Args[0].(*ssa.FieldAddr)
		b, ok := buffer.(*ssa.FieldAddr)
		if !isField || !ok || a.X != b.X || a.Field != b.Field {
			return false
		}
	}
	instrs := all.Block().Instrs
	i, j := slices.Index(instrs, ssa.Instruction(all)), slices.Index(instrs, ssa.Instruction(length))
	return !slices.ContainsFunc(instrs[min(i, j)+1:max(i, j)], func(between ssa.Instruction) bool {
		_, calls := between.(ssa.CallInstruction)
		return calls
	})
}
