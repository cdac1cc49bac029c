package advise

import (
	"fmt"
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A map may be made with a constant size hint, and make large tables even if few elements come.

// leastHint is the size of a table from which that is worth a word.
const leastHint = 4 << 10

// sizeHintText says that a constant size hint makes all memory of the line of a map, or nothing.
func (s *source) sizeHintText(a *allocation, made *ssa.MakeMap, site *Site) string {
	if a.instr != ssa.Instruction(made) || a.kind == kindMap || site.mostBytes().Size < leastHint {
		return ""
	}
	hint, ok := made.Reserve.(*ssa.Const)
	if _, call, _ := s.callAt(made); !ok || hint.Value == nil || call == nil { // a literal has as many as it names
		return ""
	}
	if countsElements(made.Parent(), made, hint) || slices.ContainsFunc(made.Parent().AnonFuncs, func(fn *ssa.Function) bool { return countsElements(fn, made, hint) }) {
		return ""
	}
	return fmt.Sprintf(" Its size hint of %s makes all of this, however many elements come: without the hint, it grows as they do.", hint.Value)
}

// countsElements reports whether a loop of a function that sets elements of a map counts to its size hint.
func countsElements(fn *ssa.Function, made *ssa.MakeMap, hint *ssa.Const) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			set, ok := instr.(*ssa.MapUpdate)
			if !ok || settled(set.Map) != ssa.Value(made) {
				continue
			}
			if slices.ContainsFunc(fn.Blocks, func(end *ssa.BasicBlock) bool {
				branch, ok := lastOf(end).(*ssa.If)
				return ok && reaches(end, b, nil) && reaches(b, end, nil) && readsFrom(branch.Cond, func(v ssa.Value) bool { return isOfKind(v, constant.Int) && isSame(v, hint) })
			}) {
				return true
			}
		}
	}
	return false
}

// isOfKind reports whether a value is a constant of a kind. Others compare as equal to any number.
func isOfKind(v ssa.Value, k constant.Kind) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == k
}
