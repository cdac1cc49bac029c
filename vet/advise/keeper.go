package advise

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// A function that may keep memory is only a name in a reason. The call by which it gets the memory, and the argument, tell a reader
// where to look.

// findKeeper says by which call, and as which argument, the function gets a site's memory that may keep it.
func (s *source) findKeeper(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.way != isKept || a.fate.keeper == nil {
		return
	}
	at := s.fset.PositionFor(a.fate.keeper.Pos(), false)
	if !at.IsValid() {
		return
	}
	a.keptAt = fmt.Sprintf(" The call is at %s:%d, with the memory as %s.", base(at.Filename), at.Line, argumentName(a.fate.keeper.Common(), a.fate.kept))
}

// argumentName names the argument of a call that is a value, as the function does if that is known.
func argumentName(c *ssa.CallCommon, v ssa.Value) string {
	params, args := c.Signature().Params(), c.Args
	if !c.IsInvoke() && c.Signature().Recv() != nil {
		if args[0] == v {
			return "its receiver"
		}
		args = args[1:]
	}
	for i, arg := range args {
		if arg != v || i >= params.Len() {
			continue
		}
		if name := params.At(i).Name(); name != "" && name != "_" {
			return "argument " + name
		}
		return fmt.Sprintf("argument %d", i+1)
	}
	return "its receiver"
}

// keptText is the sentence on the call by which the memory of a site that needs an owner may be kept.
func (s *Site) keptText() string {
	if s.Verdict != NeedsOwner || s.found == nil {
		return ""
	}
	return s.found.keptAt
}
