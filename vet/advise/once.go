package advise

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Memory that is made once in the life of a program has no use for a pool: that of init functions and variables of packages, and
// of a sync.Once that is such a variable.

const (
	atStart = "when the program starts"
	atFirst = "at its first use, by a sync.Once"
)

// onceIn says when a function runs, if it runs only once, or else nothing. It looks at callers to a depth.
func (t *tracer) onceIn(fn *ssa.Function, depth int) string {
	if fn.Synthetic == "package initializer" || fn.Parent() == nil && fn.Signature.Recv() == nil && strings.HasPrefix(fn.Name(), "init#") {
		return atStart
	}
	if t.onces[fn] {
		return atFirst
	}
	if depth == 0 || !t.closed(fn) || fn.Parent() != nil {
		return ""
	}
	when := ""
	for _, c := range t.calls[fn] {
		call, ok := c.(*ssa.Call) // which a goroutine of an init function is not
		if !ok {
			return ""
		}
		if when = t.onceIn(call.Parent(), depth-1); when == "" {
			return ""
		}
	}
	return when
}

// findOnces finds the functions that are only the argument of a sync.Once that is a variable of a package.
func (t *tracer) findOnces() {
	t.onces = map[*ssa.Function]bool{}
	for callee, calls := range t.calls {
		switch runtimeName(callee) {
		case "sync.(*Once).Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
		default:
			continue
		}
		for _, c := range calls {
			args := c.Common().Args
			if fn := given(args[len(args)-1]); fn != nil && isTheOnly(c) && (fn.Parent() != nil || t.isNamedOnce(fn)) {
				t.onces[fn] = true
			}
		}
	}
}

// given returns the function that a value is, if the value has one use, or nil.
func given(v ssa.Value) *ssa.Function {
	if uses := v.Referrers(); uses != nil && len(*uses) != 1 {
		return nil
	}
	if made, ok := v.(*ssa.MakeClosure); ok {
		v = made.Fn
	}
	fn, _ := v.(*ssa.Function)
	return fn
}

// isTheOnly reports whether the sync.Once of a call is a variable of the package, or a part of one.
func isTheOnly(c ssa.CallInstruction) bool {
	if len(c.Common().Args) == 1 { // sync.OnceFunc or the like
		return c.Parent().Synthetic == "package initializer"
	}
	v := c.Common().Args[0]
	for {
		at, ok := v.(*ssa.FieldAddr)
		if !ok {
			break
		}
		v = at.X
	}
	_, ok := v.(*ssa.Global)
	return ok
}

// isNamedOnce reports whether the package of a function, which alone can name it, names it once.
func (t *tracer) isNamedOnce(fn *ssa.Function) bool {
	obj := fn.Object()
	if obj == nil || obj.Exported() || t.packages[obj.Pkg()] == nil {
		return false
	}
	n := 0
	for _, used := range t.packages[obj.Pkg()].TypesInfo.Uses {
		if used == obj {
			n++
		}
	}
	return n == 1
}

// sayOnce says when memory is made that is made once.
func (s *Site) sayOnce(when string) {
	s.say(DoNotPool, "It is made once, %s.", when)
}

// isStarted reports whether all memory of a site was made before main began.
func (s *Site) isStarted() bool {
	return s.tally != nil && s.tally.started > 0 && s.tally.started == s.tally.objects
}

// noteProfiler says how much memory the profiler has made, which the report leaves out, if that is much.
func (r *Report) noteProfiler() {
	made := float64(r.heap.profiler) * r.heap.per()
	if made < rareShare*r.Bytes {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("The figures are without the memory that taking profiles allocates: %s%s.", bytesText(made), r.perSecond()))
}
