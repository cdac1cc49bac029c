package advise

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// findOnlyCaller notes the only functions that call the one which makes and returns a site's memory, if these are few.
func (s *source) findOnlyCaller(site *Site) {
	const few = 3
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
	var calls []ssa.CallInstruction
	for _, c := range s.callers[fn] {
		calls = append(calls, c.call)
		if c.in == fn {
			return
		}
	}
	if calls = oncePerCaller(calls); len(calls) <= few {
		a.only = placesOf(calls)
	}
}

// oncePerCaller returns the first call of each function.
func oncePerCaller[C ssa.CallInstruction](calls []C) (first []C) {
	for _, c := range calls {
		if !slices.ContainsFunc(first, func(o C) bool { return o.Parent() == c.Parent() }) {
			first = append(first, c)
		}
	}
	return first
}

// placesOf names the functions and the lines that have calls.
func placesOf[C ssa.CallInstruction](calls []C) (all []string) {
	for _, c := range calls {
		at := c.Parent().Prog.Fset.PositionFor(c.Pos(), false)
		all = append(all, fmt.Sprintf("%s at %s:%d", name(c.Parent()), base(at.Filename), at.Line))
	}
	return all
}

// whereTo says where memory goes, and to whom if that is known.
func (a *allocation) whereTo() string {
	switch len(a.only) {
	case 0:
		return a.fate.where
	case 1:
		return a.fate.where + " to " + a.only[0] + ", its only caller"
	}
	return a.fate.where + " to its only callers, " + inWords(slices.Clone(a.only))
}

// findDone notes the callers that are done with a site's memory when they return, if that is their result: they let it go
// nowhere. There may be other callers.
func (s *source) findDone(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.ways != 1<<isReturned || len(a.owners) > 0 {
		return
	}
	root := a.root()
	if root == nil {
		return
	}
	result := a.onlyResult(root)
	if result < 0 {
		return
	}
	a.done = map[string]bool{}
	for _, c := range s.callers[a.instr.Parent()] {
		call, ok := c.call.(*ssa.Call)
		by := s.callerName(c.in)
		before, seen := a.done[by]
		a.done[by] = ok && by != "" && (before || !seen) && s.mayOwn(call, a, result)
	}
}
