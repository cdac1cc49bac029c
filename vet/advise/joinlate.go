package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function that starts goroutines and waits for them often calls others in between, which may panic. A Put that is deferred from the
// beginning would run then, while the goroutines use the memory. So it is deferred behind the wait: a panic before leaves the memory to
// the collector.

// joinsLate reports whether an instruction starts a goroutine that has ended when its function has waited, however that goes on.
func joinsLate(start ssa.Instruction) bool {
	group := groupAt(start, isOwnGroup)
	if group == nil {
		return false
	}
	waits, adds, known := usesOf(group)
	return known && len(waits) > 0 && !replacesGroup(adds) && endsAll(group, waits, adds) && !mayReturnBefore(start)
}

// waitsOf returns the waits for a goroutine.
func waitsOf(start ssa.Instruction) []ssa.Instruction {
	waits, _, _ := usesOf(groupAt(start, isOwnGroup))
	return waits
}

// mayReturnBefore reports whether a function may return after it starts a goroutine, without a wait for that.
func mayReturnBefore(start ssa.Instruction) (early bool) {
	group, waits := groupAt(start, isOwnGroup), waitsOf(start)
	from(start, func(i ssa.Instruction) bool {
		_, returns := i.(*ssa.Return)
		early = early || returns || i == group.(ssa.Instruction) // another one
		return slices.Contains(waits, i)
	})
	return early
}

// waitsFor notes the start of a goroutine that has the memory, if that may be put behind the wait for its end.
func (t *trail) waitsFor(start ssa.Instruction) bool {
	made, ok := t.root.(ssa.Instruction)
	if !t.mayWait || !ok || made.Parent() != start.Parent() || !joinsLate(start) {
		return false
	}
	t.late = append(t.late, start)
	return true
}

// runs reports whether an instruction starts a function literal as a goroutine.
func (t *trail) runs(lit *ssa.MakeClosure, start ssa.Instruction) bool {
	switch start := start.(type) {
	case *ssa.Go:
		return start.Call.Value == ssa.Value(lit) && !slices.Contains(start.Call.Args, ssa.Value(lit))
	case *ssa.Call:
		return start.Call.Value != ssa.Value(lit) // to a group
	}
	return false
}
