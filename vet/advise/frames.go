package advise

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The frames of stacks have the names of functions as the runtime writes them.

// functionsNamed returns the loaded functions by the names of profiles.
func (s *source) functionsNamed() map[string]*ssa.Function {
	if s.named == nil {
		s.named = map[string]*ssa.Function{}
		for _, fn := range s.functions {
			s.named[plain(s.literalName(fn))] = fn
		}
	}
	return s.named
}

// callsIn returns the calls in the line of a frame.
func (s *source) callsIn(f frame) (calls []ssa.CallInstruction) {
	fn := s.functionsNamed()[f.function]
	if fn == nil {
		return nil
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok && s.line(call.Pos()) == f.line {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// callerName names a function as the callers of a profile are named, as far as is known.
func (s *source) callerName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return ""
	}
	name := runtimeName(fn)
	if s.program && fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" {
		return "main" + name[packageEnd(name):]
	}
	return name
}

// literalName names a function literal as profiles do, unless it is inlined.
func (s *source) literalName(fn *ssa.Function) string {
	parent := fn.Parent()
	if parent == nil && fn.Object() == nil && fn.Pkg != nil { // init, which sets the variables of the package
		return escaped(fn.Pkg.Pkg.Path()) + "." + fn.Name()
	}
	if parent == nil {
		return s.callerName(fn)
	}
	n := slices.Index(parent.AnonFuncs, fn) + 1
	if parent.Parent() == nil {
		return fmt.Sprint(s.literalName(parent), ".func", n)
	}
	return fmt.Sprint(s.literalName(parent), ".", n)
}

// shareOn returns the share of a site's bytes that has one of some functions on its stacks, or 0 if these are not known.
func (s *source) shareOn(site *Site, functions []*ssa.Function) float64 {
	if site.tally == nil {
		return 0
	}
	names := map[string]bool{}
	for _, fn := range functions {
		names[plain(s.literalName(fn))] = true
	}
	var all, on int64
	for stack, bytes := range site.tally.stacks {
		all += bytes
		if slices.ContainsFunc(framesOf(stack), func(f frame) bool { return names[f.function] }) {
			on += bytes
		}
	}
	return float64(on) / float64(max(all, 1))
}
