package advise

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A line often makes several things, and a row speaks of one. So appends that make nothing do not count, and the row names the others
// unless the sizes tell which of them has most of the bytes.

// growing leaves out the appends of a line that make no array, or none as small as half of the bytes, if the line allocates otherwise.
func growing(site *Site, instrs []ssa.Instruction) []ssa.Instruction {
	rest := slices.DeleteFunc(slices.Clone(instrs), func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		return ok && isAppend(call) && (neverGrows(call) || isTooLarge(call, site))
	})
	if len(rest) == len(instrs) || !slices.ContainsFunc(rest, func(i ssa.Instruction) bool { a, _ := allocationOf(i); return a != nil || len(conversions(i)) > 0 }) {
		return instrs
	}
	return rest
}

// leastArray is the size of the smallest array that append makes: it fills the allocator's smallest size class.
const leastArray = 8

// isTooLarge reports whether half of the bytes of a site, or more, are in pieces too small for an array of an append.
func isTooLarge(call *ssa.Call, site *Site) bool {
	list, ok := call.Type().Underlying().(*types.Slice)
	if !ok {
		return false
	}
	small := 0.0
	for _, s := range site.Sizes {
		if s.Size < max(sizeOfType(list.Elem()), leastArray) {
			small += s.Bytes
		}
	}
	return 2*small >= site.Bytes && small > 0
}

// neverGrows reports whether an append surely finds room: the slice is made empty, with a capacity to which a loop counts, and each
// round of that appends one element, or none.
func neverGrows(call *ssa.Call) bool {
	g := &growth{seen: map[ssa.Value]bool{}}
	g.back(call)
	if len(g.bases) != 1 || len(g.appends) != 1 || !g.single() || g.shared != nil {
		return false
	}
	made, ok := g.bases[0].(*ssa.MakeSlice)
	list := variadic(call.Call.Args[1])
	return ok && isZero(made.Len) && list != nil && list.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len() == 1 &&
		slices.ContainsFunc(call.Parent().Blocks, func(head *ssa.BasicBlock) bool {
			return (countsTo(head, made.Cap) && call.Block() != head || rangesTo(head, made.Cap)) && appendsOnce(head, call, made)
		})
}

// countsTo reports whether a block is the head of a loop that counts by ones, from 0 or more, and ends before a number.
func countsTo(head *ssa.BasicBlock, end ssa.Value) bool {
	branch, ok := lastOf(head).(*ssa.If)
	if !ok {
		return false
	}
	less, ok := branch.Cond.(*ssa.BinOp)
	if !ok || less.Op != token.LSS || !isSameEnd(less.Y, end) {
		return false
	}
	least := int64(0)
	index, ok := less.X.(*ssa.Phi)
	if next, isNext := less.X.(*ssa.BinOp); isNext && isOneMore(next, next.X) { // a range over a slice counts before it compares
		index, ok = next.X.(*ssa.Phi)
		least = -1
	}
	return ok && index.Block() == head && !slices.ContainsFunc(index.Edges, func(e ssa.Value) bool {
		c, isConst := e.(*ssa.Const)
		return !(isConst && c.Value != nil && constant.Compare(c.Value, token.GEQ, constant.MakeInt64(least))) && !isOneMore(e, index)
	})
}

// rangesTo reports whether a block is the body of a range over a number, which compares at its end, and before its first round.
func rangesTo(head *ssa.BasicBlock, end ssa.Value) bool {
	return slices.ContainsFunc(head.Instrs, func(i ssa.Instruction) bool {
		phi, ok := i.(*ssa.Phi)
		return ok && phi.Comment == "rangeint.iter" && slices.ContainsFunc(phi.Edges, func(next ssa.Value) bool {
			return isOneMore(next, phi) && slices.ContainsFunc(*next.Referrers(), func(r ssa.Instruction) bool {
				less, ok := r.(*ssa.BinOp)
				return ok && less.Op == token.LSS && less.X == next && isSameEnd(less.Y, end)
			})
		})
	})
}

// isOneMore reports whether a number is another one plus 1.
func isOneMore(n, than ssa.Value) bool {
	sum, ok := n.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD || sum.X != than {
		return false
	}
	c, ok := sum.Y.(*ssa.Const)
	return ok && c.Value != nil && constant.Compare(c.Value, token.EQL, constant.MakeInt64(1))
}

// isSameEnd reports whether two numbers are the same value or constant, or the length of the same slice.
func isSameEnd(a, b ssa.Value) bool {
	if isSameNumber(a, b) {
		return true
	}
	x, isX := a.(*ssa.Call)
	y, isY := b.(*ssa.Call)
	return isX && isY && isCallOfLen(x) && isCallOfLen(y) && x.Call.Args[0] == y.Call.Args[0] && !isMapOrChan(x.Call.Args[0])
}

func isCallOfLen(c *ssa.Call) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// isMapOrChan reports whether the length of a value changes.
func isMapOrChan(v ssa.Value) bool {
	switch v.Type().Underlying().(type) {
	case *types.Map, *types.Chan, *types.Pointer:
		return true
	}
	return false
}

// appendsOnce reports whether an append runs at most once in each round of the loop with a head, and the loop runs once for each slice
// that is made.
func appendsOnce(head *ssa.BasicBlock, call *ssa.Call, made *ssa.MakeSlice) bool {
	at := call.Block()
	if !head.Dominates(at) || reaches(at, at, head) || !reaches(at, head, nil) || !made.Block().Dominates(head) {
		return false
	}
	return !slices.ContainsFunc(head.Preds, func(p *ssa.BasicBlock) bool {
		return !head.Dominates(p) && p != made.Block() && reaches(head, p, made.Block())
	})
}

// findBeside notes the other things that a line makes, if the sizes do not tell which of the things has most of the bytes.
func (a *allocation) findBeside(site *Site, instrs []ssa.Instruction) {
	if a.other != "" || 2*site.bytesOf(sizeOf(a.instr)) > site.Bytes {
		return
	}
	counts := map[string]int{}
	for _, instr := range instrs {
		if other, _ := allocationOf(instr); other != nil && a.isBeside(other, instr) && site.mayMostlyBe(instr) {
			counts[other.text()]++
		}
	}
	var all []string
	for text, n := range counts {
		if text == a.text() {
			text = "another " + text
			if n > 1 {
				text = fmt.Sprintf("%d more of %s", n, a.text())
			}
		}
		all = append(all, text)
	}
	if len(all) > 0 {
		a.beside = " The line also makes " + inWords(all) + ": the sizes do not tell which has most of the bytes."
	}
}

// isBeside reports whether a line makes another thing with memory of its own.
func (a *allocation) isBeside(other *allocation, instr ssa.Instruction) bool {
	return instr != a.instr && other.instr == instr && other.other == "" && !isEmptyArray(instr.(ssa.Value).Type()) && !a.has(instr) && !isInPassing(instr) && (a.kind != kindString || other.kind != kindString)
}

// mayMostlyBe reports whether half of the bytes of a site or more may be of an instruction, by its size.
func (s *Site) mayMostlyBe(instr ssa.Instruction) bool {
	size := sizeOf(instr)
	return size == 0 || 2*s.bytesOf(size) >= s.Bytes
}

// isInPassing reports whether a string is only compared, looked up or a part of a longer one, for which the compiler makes none.
func isInPassing(instr ssa.Instruction) bool {
	v, ok := instr.(ssa.Value)
	return ok && isString(v.Type()) && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.Range:
			return false
		case *ssa.Lookup:
			return r.Index != v
		}
		return true
	})
}

// has reports whether a patch of the memory has an instruction, too.
func (a *allocation) has(instr ssa.Instruction) bool {
	return slices.ContainsFunc(a.more, func(m *allocation) bool { return m.instr == instr })
}

// besideText names other things that the line makes, if the verdict is one on the memory.
func (s *Site) besideText() string {
	if s.found == nil || s.Verdict == TooRare {
		return ""
	}
	return s.found.beside
}
