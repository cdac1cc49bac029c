package advise

import "golang.org/x/tools/go/ssa"

// The method Grow makes the whole array of a strings.Builder, if it knows the length. So does the first write, if it is the only one. Then
// the string needs that memory, and no other.

// isWholeBy reports whether an instruction is a call of Grow that runs at most once for each Builder that its function makes.
func isWholeBy(instr, made ssa.Instruction) bool {
	c, ok := instr.(*ssa.Call)
	if !ok || !isCalled(c, "strings.(*Builder).Grow") || c.Parent() != made.Parent() {
		return false
	}
	return !reaches(c.Block(), c.Block(), made.Block()) || c.Block() == made.Block()
}

// mostlyWhole is the share of a Builder's bytes that Grow makes if hardly any is made after it.
const mostlyWhole = 0.95

// madeWholeBy returns the function of which one call makes the Builder's memory, or nothing.
func (s *Site) madeWholeBy() string {
	switch {
	case s.kind != kindBuilder || s.found == nil:
	case s.found.whole && s.found.wholeShare >= mostlyWhole:
		return "Grow"
	case s.found.wholeWrite:
		return "one call of " + unqualified(s.Calls)
	}
	return ""
}
