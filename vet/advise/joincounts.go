package advise

import (
	"go/token"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A group counts its goroutines. A count of zero tells that all have ended only if each was added before it started.

// groups are the types of groups of goroutines.
var groups = []string{"*sync.WaitGroup", "*golang.org/x/sync/errgroup.Group"}

// calledOf returns the method of a group that a call calls, or nothing.
func calledOf(group ssa.Value, call ssa.CallInstruction) string {
	c := call.Common()
	fn := c.StaticCallee()
	if fn == nil || len(c.Args) == 0 || c.Args[0] != group {
		return ""
	}
	for _, typ := range groups {
		pkg, name := packageOf(typ[1:]), unqualified(typ)
		if method, ok := strings.CutPrefix(runtimeName(fn), pkg+".(*"+name+")."); ok {
			return method
		}
	}
	return ""
}

// replacesGroup reports whether a function may set a group when that has counted.
func replacesGroup(adds []ssa.Instruction) bool {
	return slices.ContainsFunc(adds, func(set ssa.Instruction) bool {
		_, ok := set.(*ssa.Store)
		return ok && slices.ContainsFunc(adds, func(i ssa.Instruction) bool { return i != set && !runsBefore(set, i) })
	})
}

// addsAgain reports whether a function adds to a group after it has waited.
func addsAgain(group ssa.Value, waits, adds []ssa.Instruction) bool {
	return slices.ContainsFunc(waits, func(wait ssa.Instruction) bool {
		return slices.ContainsFunc(adds, func(add ssa.Instruction) bool { return comesBefore(wait, add, group.(ssa.Instruction)) }) // another one
	})
}

// endsAll reports whether all goroutines of a group have ended whenever its function has waited. Each of them is done once, at its end. If
// none is added after the wait, one that were not done when that ends would make the count negative later, which panics.
func endsAll(group ssa.Value, waits, adds []ssa.Instruction) bool {
	return !addsAgain(group, waits, adds) || !replacesGroup(adds) && countsAll(group, waits, adds)
}

// countsAll reports whether a function adds to a group, before it starts goroutines, at least as many as it starts. So the count is
// zero only when all have ended, at the end of each of several waits.
func countsAll(group ssa.Value, waits, adds []ssa.Instruction) bool {
	claimed := map[*ssa.Call]int64{} // goroutines that an Add counts
	for _, start := range adds {
		switch start := start.(type) {
		case *ssa.Go:
			add := lastAdd(group, adds, start)
			if add == nil {
				return false
			}
			if claimed[add] = claimedBy(start, add, claimed[add]); claimed[add] == 0 {
				return false
			}
		case *ssa.Call:
			switch calledOf(group, start) {
			case "Go", "TryGo":
			case "Add":
				if !isNatural(start.Call.Args[1], map[ssa.Value]bool{}) && mayCount(start, waits, adds) {
					return false // less than before
				}
			default:
				return false
			}
		case *ssa.Store: // see replacesGroup
		default:
			return false
		}
	}
	return true
}

// mayCount reports whether a group may count goroutines when it is added to.
func mayCount(add ssa.Instruction, waits, adds []ssa.Instruction) bool {
	return slices.ContainsFunc(adds, func(before ssa.Instruction) bool {
		_, set := before.(*ssa.Store)
		return !set && comesBefore(before, add, waits...)
	})
}

// lastAdd returns the last call of Add that surely comes before a goroutine, or nil.
func lastAdd(group ssa.Value, adds []ssa.Instruction, start *ssa.Go) (last *ssa.Call) {
	for _, i := range adds {
		add, ok := i.(*ssa.Call)
		if ok && calledOf(group, add) == "Add" && runsBefore(add, start) && (last == nil || runsBefore(last, add)) {
			last = add
		}
	}
	return last
}

// claimedBy returns how many goroutines a call of Add counts with those of one instruction, beside the ones that it has counted before. It
// returns 0 if these are too many.
func claimedBy(start *ssa.Go, add *ssa.Call, before int64) int64 {
	number := add.Call.Args[1]
	if c, ok := number.(*ssa.Const); ok && before < c.Int64() && !comesBefore(start, start, add) {
		return before + 1
	}
	if before == 0 && isCountedLoop(start, add, number) {
		return math.MaxInt64 // and all of them
	}
	return 0
}

// comesBefore reports whether an instruction may run after another, and before one of some others does.
func comesBefore(first, then ssa.Instruction, others ...ssa.Instruction) (found bool) {
	from(first, func(i ssa.Instruction) bool {
		found = found || i == then
		return found || slices.Contains(others, i)
	})
	return found
}

// isCountedLoop reports whether an instruction runs once in each round of a loop, which has at most so many after each Add.
func isCountedLoop(start, add ssa.Instruction, number ssa.Value) bool {
	for b := start.Block(); b != nil; b = b.Idom() {
		check, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !reaches(start.Block(), b, nil) {
			continue
		}
		if less, ok := check.Cond.(*ssa.BinOp); !ok || less.Op != token.LSS || !isSameCount(less.Y, number) || !isCounter(less.X, b) || !b.Succs[0].Dominates(start.Block()) {
			return false // the innermost loop is another one
		}
		return runsBefore(add, check) && !comesBefore(start, start, b.Instrs[0]) && !slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool {
			return !b.Dominates(p) && comesBefore(check, p.Instrs[len(p.Instrs)-1], add)
		})
	}
	return false
}

// isCounter reports whether a value is 0, 1, 2 and so on in the rounds of a loop, or begins with a larger number.
func isCounter(v ssa.Value, loop *ssa.BasicBlock) bool {
	next, added := v.(*ssa.BinOp) // for a range, which begins with -1
	if added {
		v = next.X
	}
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != loop || added && !isIncrement(next, phi) {
		return false
	}
	for i, e := range phi.Edges {
		if loop.Dominates(loop.Preds[i]) {
			more, ok := e.(*ssa.BinOp)
			if !ok || !isIncrement(more, phi) {
				return false
			}
			continue
		}
		c, ok := e.(*ssa.Const)
		if !ok || c.Value == nil || c.Int64() < 0 && !(added && c.Int64() == -1) {
			return false
		}
	}
	return true
}

func isIncrement(sum *ssa.BinOp, of ssa.Value) bool {
	c, ok := sum.Y.(*ssa.Const)
	return sum.Op == token.ADD && sum.X == of && ok && c.Value != nil && c.Int64() > 0
}

// isSameCount reports whether two values are the same number, or lengths of one slice.
func isSameCount(a, b ssa.Value) bool {
	x, ok := a.(*ssa.Call)
	return isSameNumber(a, b) || ok && len(x.Call.Args) == 1 && isSliceType(x.Call.Args[0].Type()) && isLengthOf(a, x.Call.Args[0]) && isLengthOf(b, x.Call.Args[0])
}
