package shape

import "golang.org/x/tools/go/ssa"

// Loops maps the heads of loops to their blocks.
type Loops map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool

// LoopsOf finds the loops of a function.
func LoopsOf(fn *ssa.Function) Loops {
	loops := Loops{}
	for _, b := range fn.Blocks {
		for _, head := range b.Succs {
			if !head.Dominates(b) {
				continue
			}
			body := loops[head]
			if body == nil {
				body = map[*ssa.BasicBlock]bool{head: true}
				loops[head] = body
			}
			work := []*ssa.BasicBlock{b}
			for len(work) > 0 {
				b := work[len(work)-1]
				work = work[:len(work)-1]
				if !body[b] {
					body[b] = true
					work = append(work, b.Preds...)
				}
			}
		}
	}
	return loops
}

// InEachRound reports whether a block of a loop is on every way from its head back.
func InEachRound(b, head *ssa.BasicBlock, body map[*ssa.BasicBlock]bool) bool {
	for _, p := range head.Preds {
		if body[p] && !b.Dominates(p) {
			return false
		}
	}
	return true
}

// InWholeLoop reports whether a block belongs to every round of a loop, and every return comes after the end of that loop.
func InWholeLoop(loops Loops, b *ssa.BasicBlock) bool {
	for head, body := range loops {
		if !body[b] || !InEachRound(b, head, body) {
			continue
		}
		whole := true
		for _, other := range b.Parent().Blocks {
			if _, ok := other.Instrs[len(other.Instrs)-1].(*ssa.Return); ok {
				whole = whole && head.Dominates(other)
			}
			if body[other] && other != head {
				for _, s := range other.Succs {
					whole = whole && body[s] // no break
				}
			}
		}
		if whole {
			return true
		}
	}
	return false
}
