package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function literal may start the goroutines for whose end the function around it waits: another function splits a range, and
// calls the literal for each part. The goroutines are like calls of the function around, for its variables. The literal itself
// returns before they end.

// joinsAround reports whether a function literal, which has a variable from outside, starts a goroutine with an instruction, and
// the function around the literal waits for the end of that.
func (t *tracer) joinsAround(variable ssa.Value, start ssa.Instruction) bool {
	if free, ok := variable.(*ssa.FreeVar); !ok || free.Parent() != start.Parent() || isLoopBody(start.Parent()) {
		return false
	}
	own := groupAt(start, func(group ssa.Value) bool { _, free := group.(*ssa.FreeVar); return free })
	if own == nil {
		return false
	}
	group, ok := captured(own).(*ssa.Alloc)
	if !ok || group.Parent() != start.Parent().Parent() || !isCalmAfter(start, own, func(*ssa.Call) bool { return false }) {
		return false
	}
	lit := literalOf(start.Parent())
	starts, known := startsOf(lit, group)
	return known && !slices.ContainsFunc(starts, func(by ssa.Instruction) bool {
		call, ok := by.(*ssa.Call)
		return !ok || len(t.variants[call.Call.StaticCallee().Object()]) > 0 || !awaits(call, group) || !goesOnCalmly(lit, own, call)
	})
}

// literalOf returns the instruction that makes a function literal.
func literalOf(fn *ssa.Function) *ssa.MakeClosure {
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			if lit, ok := i.(*ssa.MakeClosure); ok && lit.Fn == ssa.Value(fn) {
				return lit
			}
		}
	}
	return nil
}

// goesOnCalmly reports whether nothing panics after the first run of a function literal, until the call ends that leads to it. The
// literal has a group from outside.
func goesOnCalmly(lit *ssa.MakeClosure, own ssa.Value, call *ssa.Call) bool {
	return !slices.ContainsFunc(runsOf(lit, call), func(run *ssa.Call) bool {
		return run != call && !isCalmAfter(run, nil, func(next *ssa.Call) bool {
			if next.Call.Value == run.Call.Value {
				return isCalmFunction(lit.Fn.(*ssa.Function), own, maxCalm)
			}
			return isCalmFunction(next.Call.StaticCallee(), nil, maxCalm)
		})
	})
}

// isCalmAfter reports whether nothing that may run after an instruction in its function panics. The calls of functions must be calm,
// too.
func isCalmAfter(start ssa.Instruction, group ssa.Value, isCalmCall func(*ssa.Call) bool) bool {
	calm := true
	from(start, func(i ssa.Instruction) bool {
		calm = calm && isCalmOrEnd(i, group, isCalmCall)
		return !calm
	})
	return calm
}

// maxCalm is how deep functions that call others are looked at.
const maxCalm = 3

// isCalmFunction reports whether neither a function nor those that it calls may panic.
func isCalmFunction(fn *ssa.Function, group ssa.Value, depth int) bool {
	if fn == nil || len(fn.Blocks) == 0 || depth == 0 {
		return false
	}
	calls := func(next *ssa.Call) bool { return isCalmFunction(next.Call.StaticCallee(), nil, depth-1) }
	return !slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool { return !isCalmOrEnd(i, group, calls) })
	})
}

// isCalmOrEnd reports whether an instruction does not panic, but may end its function.
func isCalmOrEnd(i ssa.Instruction, group ssa.Value, isCalmCall func(*ssa.Call) bool) bool {
	_, ends := i.(*ssa.Return)
	call, ok := i.(*ssa.Call)
	return ends || isCalm(i, group) || ok && isCalmCall(call)
}
