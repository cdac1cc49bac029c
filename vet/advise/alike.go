package advise

import (
	"slices"
	"strings"
)

// A line can have several sites: of functions into which the compiler has copied it, or of several things that one call makes. Those of
// which the report says the same are one row.

// A row is all that a reader sees of a site, but for figures and the function that is called.
type row struct {
	file, kind, reason, call, module, escape, lines string
	line                                            int64
	verdict                                         Verdict
	patch                                           bool
}

func (s *Site) row() row {
	return row{s.File, s.Kind, s.Reason, s.Call, s.Module, s.Escape, strings.Join(slices.Concat(s.Lines, s.First), " "), s.Line, s.Verdict, s.Patch}
}

// joinAlike makes one row of sites that are alike, with the sum of their figures. The patch, which may be nil, forgets the others.
func (r *Report) joinAlike(p *patch) {
	first := map[row]*Site{}
	gone := map[*Site]bool{}
	r.Sites = slices.DeleteFunc(r.Sites, func(s *Site) bool {
		key := s.row()
		to := first[key]
		if to == nil || !to.takes(s, r) {
			first[key] = s
			return false
		}
		gone[s] = true
		return true
	})
	r.sort()
	if p == nil {
		return
	}
	for pkg, sites := range p.sites {
		p.sites[pkg] = slices.DeleteFunc(sites, func(s *Site) bool { return gone[s] })
	}
}

// takes adds the figures of another site to s, if the reason holds for the sum too.
func (s *Site) takes(other *Site, r *Report) bool {
	if s.tally == nil || other.tally == nil || r.heap == nil || s.Verdict == NotJudged && s.isSparse() {
		return false
	}
	sum := newSite(s.place, s.tally.plus(other.tally), r.heap)
	if s.Verdict == TooRare && (!sum.isRare(r) || !s.isRare(r)) {
		return false
	}
	s.Share, s.Bytes, s.Objects, s.Samples, s.Sizes, s.Age, s.Callers = sum.Share, sum.Bytes, sum.Objects, sum.Samples, sum.Sizes, sum.Age, sum.Callers
	s.tally, s.liveBytes, s.alive = sum.tally, sum.liveBytes, sum.alive
	s.Copies = max(s.Copies, other.Copies)
	s.addCalls(other.Calls)
	return true
}

// addCalls adds a function, if there is one, to those that make the memory of a row.
func (s *Site) addCalls(function string) {
	switch {
	case function == "" || slices.Contains(strings.Split(s.Calls, ", "), function):
	case s.Calls == "":
		s.Calls = function
	default:
		s.Calls += ", " + function
	}
}
