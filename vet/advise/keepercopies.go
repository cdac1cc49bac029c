package advise

import "golang.org/x/tools/go/ssa"

// Some callers of a function may keep the memory that most are done with. They can have copies, if that does not cost much.

// mostCopied is the share of a site's bytes that may go to such callers.
const mostCopied = 0.25

// shareAlong returns the share of a site's bytes that was allocated for the functions of some calls.
func (s *source) shareAlong(site *Site, calls []*ssa.Call) float64 {
	if site.tally == nil {
		return 0
	}
	by := map[string]bool{}
	for _, call := range calls {
		by[plain(s.literalName(call.Parent()))] = true
	}
	var all, kept int64
	for stack, bytes := range site.tally.stacks {
		all += bytes
		for _, f := range framesOf(stack) {
			if by[f.function] {
				kept += bytes
				break
			}
		}
	}
	return float64(kept) / float64(max(all, 1))
}
