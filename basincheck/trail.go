//go:build go1.25

package basincheck

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/basin-go/basin/internal/callsite"
	"github.com/basin-go/basin/internal/misuse"
)

// A Step stands for equal calls that took or gave up a reference to a Shared.
type Step struct {
	Call  string // NewShared, Retain or Release
	Count uint64 // number of these calls
	Stack Stack  // of the calls, cut to a few frames
}

// at returns the call, its number if above one, and its source line.
func (s Step) at() string {
	f := s.Stack.Line()
	return fmt.Sprintf("%s in %s %s:%d", times(s.Call, s.Count), f.Function, f.File, f.Line)
}

func times(call string, n uint64) string {
	if n == 1 {
		return call
	}
	return fmt.Sprintf("%s ×%d", call, n)
}

// stepsOf returns the steps of t, which may be nil, and the order of the latest calls by index. Calls
// at one source line are one step, unless they have other callers.
func stepsOf(t *misuse.Trail) (steps []Step, order []int) {
	if t == nil {
		return nil, nil
	}
	at := make(map[string]int)
	index := make([]int, len(t.Steps))
	for i, s := range t.Steps {
		key := s.Call.String() + Stack(s.Stack).line()
		known, ok := at[key]
		if !ok {
			known = len(steps)
			at[key] = known
			steps = append(steps, Step{Call: s.Call.String(), Stack: s.Stack})
		}
		steps[known].Count += s.Count
		index[i] = known
	}
	for _, i := range t.Last {
		order = append(order, index[i])
	}
	return steps, order
}

// writeTrail writes the trail of r, if there is one.
func (r *Report) writeTrail(to *strings.Builder) {
	if r.Trail == nil {
		return
	}
	fmt.Fprintf(to, "\n  trail, by first call:")
	rows := make(map[string]int) // number of steps by call and line
	for _, s := range r.Trail {
		rows[Step{s.Call, 1, s.Stack}.at()]++
	}
	repeated := false
	for i, s := range r.Trail {
		calls := s.Stack.String()
		if rows[Step{s.Call, 1, s.Stack}.at()] == 1 {
			f := s.Stack.Line()
			calls = fmt.Sprintf("    %s\n        %s:%d", f.Function, f.File, f.Line)
		}
		fmt.Fprintf(to, "\n   %2d. %s\n%s", i+1, times(s.Call, s.Count), calls)
		repeated = repeated || s.Count > 1
	}
	if t := r.finding.Trail; t.Omitted > 0 {
		fmt.Fprintf(to, "\n    and %s at other lines", counted(t.Omitted, "call"))
	}
	if repeated {
		fmt.Fprintf(to, "\n    the last calls in order:")
		for _, i := range r.order {
			fmt.Fprintf(to, " %d", i+1)
		}
	}
}

// functionOf returns the declared function whose code made a call.
func functionOf(stack []uintptr) string { return callsite.Declaring(callsite.Of(stack).Function) }

// A balance has the references that a function has taken and given up.
type balance struct{ took, gave uint64 }

// blame returns sentences about a finding with a trail: how it came about; the function that released
// too often, if the trail shows it, or else the candidates.
func blame(f *misuse.Finding) (cause, suspect, candidates string) {
	t := f.Trail
	by := make(map[string]*balance)
	lines := make(map[runtime.Frame]bool)
	creator := ""
	var all balance
	count := func(c misuse.Call, n uint64, stack []uintptr) {
		who := functionOf(stack)
		b := by[who]
		if b == nil {
			b = new(balance)
			by[who] = b
		}
		switch c {
		case misuse.New, misuse.Retain:
			b.took += n
			all.took += n
		case misuse.Release:
			b.gave += n
			all.gave += n
			at := callsite.Of(stack)
			lines[runtime.Frame{File: at.File, Line: at.Line}] = true
		}
		if c == misuse.New {
			creator = who
		}
	}
	for _, s := range t.Steps {
		count(s.Call, s.Count, s.Stack)
	}
	switch f.Call {
	case misuse.Release:
		count(misuse.Release, 1, f.Here)
		cause = "One Release was too many, not necessarily the last."
	default:
		cause = "All references had been given up. Either this call lacks one, or one Release before was too many."
	}
	if t.Omitted > 0 || all.gave <= all.took {
		return cause, "", ""
	}
	if len(lines) == 1 && all.gave > 1 {
		for at := range lines {
			return cause, fmt.Sprintf("All %d were at %s:%d, for %s.", all.gave, at.File, at.Line, counted(all.took, "reference")), ""
		}
	}
	if suspect = suspectOf(by, creator); suspect != "" {
		return cause, suspect, ""
	}
	return cause, "", uneven(by)
}

// uneven lists the functions that did not release as often as they took references, for findings
// without a suspect.
func uneven(by map[string]*balance) string {
	var all []string
	names := slices.Collect(maps.Keys(by))
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
	for _, who := range names {
		if b := by[who]; b.took != b.gave {
			all = append(all, fmt.Sprintf("%s %d of %d", who, b.gave, b.took))
		}
	}
	return "Releases of references taken, by function, where these differ: " + strings.Join(all, ", ") + "."
}

// suspectOf names the function that gave up more references than it took, if it alone took and gave up
// any. A function that takes a reference may pass it on, so that one which is even may be at fault: its
// Release may be of the reference that it has passed on. So there is no suspect if another function took
// a reference, but for the creator, which may have passed the first one to the suspect.
func suspectOf(by map[string]*balance, creator string) string {
	over, passed := "", uint64(0)
	for who, b := range by {
		switch {
		case b.gave > b.took && over != "":
			return ""
		case b.gave > b.took:
			over = who
		case who == creator && b.took == 1 && b.gave == 0:
			passed = 1
		case b.took > 0:
			return ""
		}
	}
	if over == "" {
		return ""
	}
	b := by[over]
	if took := b.took + passed; took > 0 && b.gave > took {
		return fmt.Sprintf("Look first at %s: it released %s, for %s.", over, counted(b.gave, "time"), counted(took, "reference"))
	}
	return ""
}

// counted returns a number of things, such as "1 reference" or "2 references".
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// trailLine is the trail in one line, for logs.
func (r *Report) trailLine() string {
	var all []string
	for _, s := range r.Trail {
		all = append(all, s.at())
	}
	return strings.Join(all, "; ")
}

// adviceFor returns sentences about the cause of r and how to mend it, or "".
func (r *Report) adviceFor() string {
	if r.finding == nil || r.finding.Trail == nil {
		return r.Kind.advice()
	}
	cause, suspect, candidates := blame(r.finding)
	return strings.TrimSpace(cause + "\n" + cmp.Or(suspect, candidates))
}
