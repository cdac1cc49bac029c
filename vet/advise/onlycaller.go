package advise

import "golang.org/x/tools/go/ssa"

// findOnlyCaller notes the only function that calls the one which makes and returns a site's memory.
func (s *source) findOnlyCaller(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.way != isReturned {
		return
	}
	fn := a.instr.Parent()
	if a.fate.where != "is returned from "+name(fn) || !s.isCalledOnly(fn) {
		return
	}
	p := s.tracer.packages[fn.Pkg.Pkg]
	if p == nil || len(p.IgnoredFiles)+len(p.OtherFiles) > 0 { // for other systems, or in assembly
		return
	}
	var only *ssa.Function
	for _, c := range s.callers[fn] {
		if c.in == fn || only != nil && c.in != only {
			return
		}
		only = c.in
	}
	a.only = name(only)
}

// whereTo says where memory goes, and to whom if that is known.
func (a *allocation) whereTo() string {
	if a.only == "" {
		return a.fate.where
	}
	return a.fate.where + " to " + a.only + ", its only caller"
}
