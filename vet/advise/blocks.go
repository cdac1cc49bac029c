package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Instructions are in blocks, of which control goes from one to the next.

// reaches reports whether control may go from one block on to another, or back to itself,
// without entering the block without, which makes the value anew.
func reaches(from, to, without *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(*ssa.BasicBlock) bool
	visit = func(b *ssa.BasicBlock) bool {
		for _, next := range b.Succs {
			if next == without || seen[next] {
				continue
			}
			seen[next] = true
			if next == to || visit(next) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// from visits the instructions that may run after another, until visit reports true on each way.
func from(start ssa.Instruction, visit func(ssa.Instruction) (done bool)) {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock, begin int)
	walk = func(b *ssa.BasicBlock, begin int) {
		for _, i := range b.Instrs[begin:] {
			if visit(i) {
				return
			}
		}
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				walk(next, 0)
			}
		}
	}
	walk(start.Block(), slices.Index(start.Block().Instrs, start)+1)
}

// inLoop reports whether an instruction may run again before the function returns. The body of a range over a function
// is a literal, whose deferred calls are of the function around it.
func inLoop(instr ssa.Instruction) bool {
	return isLoopBody(instr.Parent()) || reaches(instr.Block(), instr.Block(), nil)
}
