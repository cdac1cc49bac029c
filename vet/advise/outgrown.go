package advise

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A slice that is made with a capacity grows by append only where it outgrows that. So its reason names the capacity, and
// smaller memory of the line is that of something else.

// growsMostly reports whether surely most bytes of a line are arrays of its append.
func (a *allocation) growsMostly(site *Site, instrs []ssa.Instruction) bool {
	if slices.ContainsFunc(instrs, func(instr ssa.Instruction) bool {
		other, _ := allocationOf(instr)
		return other != nil && other.instr == instr && instr != a.instr && sizeOf(instr) == 0 && !isInPassing(instr)
	}) {
		return false
	}
	least, bytes := leastGrown(a), 0.0
	for _, size := range site.Sizes {
		if size.Size >= least && ofExactSize(instrs, size.Size) == nil {
			bytes += size.Bytes
		}
	}
	return 2*bytes > site.Bytes
}

// noteOutgrown notes that the append of a line outgrows the capacities with which its slice is made, on other lines.
func (s *source) noteOutgrown(a *allocation, site *Site, instrs []ssa.Instruction) {
	v, ok := a.instr.(ssa.Value)
	if !ok || a.kind != kindAppend || s.line(a.instr.Pos()) != int(site.Line) || !a.growsMostly(site, instrs) {
		return
	}
	makes := makesOf(v)
	for _, made := range makes {
		if s.line(made.Pos()) == int(site.Line) {
			return
		}
	}
	switch len(makes) {
	case 0:
	case 1:
		a.outgrown = fmt.Sprintf(" It outgrows the capacity%s with which it is made at line %d.", s.capacityText(makes[0]), s.line(makes[0].Pos()))
	default:
		a.outgrown = fmt.Sprintf(" It outgrows each of the %d capacities with which it may be made.", len(makes))
	}
}

// capacityText names the capacity of a make, unless that is long.
func (s *source) capacityText(made ssa.Instruction) string {
	const long = 20
	if n := capacityOf(made); n > 0 {
		return fmt.Sprint(" of ", n)
	}
	_, call, _ := s.callAt(made)
	if call == nil || len(call.Args) < 2 {
		return ""
	}
	if text := types.ExprString(call.Args[len(call.Args)-1]); len(text) <= long && !strings.Contains(text, "\n") {
		return " " + text
	}
	return ""
}

// outgrownText says which capacity the memory outgrows, if the verdict is one on the memory.
func (s *Site) outgrownText() string {
	switch s.Verdict {
	case NeedsOwner, PoolIt, Reuse, LongLived, Preallocate:
		if s.found != nil {
			return s.found.outgrown
		}
	}
	return ""
}
