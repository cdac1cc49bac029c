//go:build go1.25

package basincheck

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/basin-go/basin/internal/misuse"
)

// A Report is one misuse of a pool. It is an error, and the value that [Full] panics with.
type Report struct {
	Kind Kind
	Pool string // the name of the pool that handed out the object; for ForeignPut, of the pool of the Put

	// Size is the size of the array or object in bytes; for ForeignPut, the capacity of the
	// slice.
	Size int

	// Offset depends on the kind. For WriteAfterPut it is the offset of the first changed byte;
	// for InteriorPut, the offset at which the slice begins; for ReslicedPut, the capacity of
	// the slice. For UseAfterPut and OutOfBounds it is the offset of the access, and for other
	// kinds zero.
	Offset int

	Acquired Stack // the Get, or nil if it is not known, as for ForeignPut
	FirstPut Stack // the first Put, Release or Close, or nil if there was none
	Here     Stack // the misusing call, or nil if it is not known, as for WriteAfterPut and some of WrongPool

	// Trail has the calls that took and gave up references to a Shared, in the order of their
	// first occurrence, before the misusing call. One Release too many takes the reference of
	// someone else, whose own Release then fails: that call is Here, and FirstPut is no better
	// suspect. Trail has at most 16 steps. It is nil for all else, and for the Reports of [Found]
	// beyond 20.
	Trail []Step

	// Suspect is a sentence that says where the Release too many is, if Trail tells it. It is
	// empty if several calls may be it.
	Suspect string

	// Count is the number of findings with this kind, pool and acquisition site, this one
	// included. If Estimated is true it is an estimate: a [Leak] found at [Sampled] counts as
	// N.
	Count     uint64
	Estimated bool

	order   []int // of the latest calls in Trail
	finding *misuse.Finding
}

func init() {
	misuse.FindingOf = func(report any) *misuse.Finding { return report.(*Report).finding }
}

// reportOf returns the Report of f.
func reportOf(f *misuse.Finding) *Report {
	r := &Report{
		Kind:      Kind(f.Kind),
		Pool:      f.Pool.Name,
		Size:      f.Size,
		Offset:    f.Offset,
		Acquired:  f.Acquired,
		FirstPut:  f.FirstPut,
		Here:      f.Here,
		Count:     f.Count,
		Estimated: f.Weight > 1,
		finding:   f,
	}
	r.Trail, r.order = stepsOf(f.Trail)
	if f.Trail != nil {
		_, r.Suspect, _ = blame(f)
	}
	return r
}

// Error returns the whole report, in several lines.
func (r *Report) Error() string {
	var s strings.Builder
	switch {
	case r.Size == 0 && r.Kind == UseAfterPut:
		fmt.Fprintf(&s, "basin: %v: guarded memory that others got since", r.Kind)
	case r.Kind == ForeignPut:
		fmt.Fprintf(&s, "basin: %v: %s of no pool, put into pool %q", r.Kind, counted(uint64(r.Size), "byte"), r.Pool)
	default:
		fmt.Fprintf(&s, "basin: %v: %s of pool %q", r.Kind, counted(uint64(r.Size), "byte"), r.Pool)
	}
	switch r.Kind {
	case WriteAfterPut:
		fmt.Fprintf(&s, ", changed at offset %d", r.Offset)
	case InteriorPut:
		fmt.Fprintf(&s, ", put from offset %d on", r.Offset)
	case ReslicedPut:
		fmt.Fprintf(&s, ", put with a capacity of %d", r.Offset)
	case UseAfterPut, OutOfBounds:
		if r.Size > 0 {
			fmt.Fprintf(&s, ", read or written at offset %d", r.Offset)
		}
	case WrongPool:
		if r.finding != nil {
			fmt.Fprintf(&s, ", put into pool %q", r.finding.Into)
		}
	}
	switch {
	case r.Estimated:
		fmt.Fprintf(&s, " (about %s, estimated from samples)", counted(r.Count, "time"))
	case r.Count > 1:
		fmt.Fprintf(&s, " (%d times)", r.Count)
	}
	if advice := r.adviceFor(); advice != "" {
		fmt.Fprintf(&s, "\n  %s", strings.Join(strings.Split(advice, "\n"), "\n  "))
	}
	r.writeTrail(&s)
	for _, part := range r.stacks() {
		fmt.Fprintf(&s, "\n  %s:\n%v", part.words, part.stack)
	}
	return s.String()
}

// A reportedStack is a stack with its names in messages and in logs.
type reportedStack struct {
	words, name string
	stack       Stack
}

// stacks returns the stacks of r that are not nil.
func (r *Report) stacks() (all []reportedStack) {
	for _, s := range []reportedStack{{"here", "here", r.Here}, {"put back", "put", r.FirstPut}, {"acquired", "acquired", r.Acquired}} {
		if s.stack != nil {
			all = append(all, s)
		}
	}
	return all
}

// advice returns a sentence that says how to mend a misuse, or "".
func (k Kind) advice() string {
	switch k {
	case DoublePut:
		return `One of two Puts is too many: "here" is the second, "put back" the first.`
	case WriteAfterPut:
		return "The call that stops here is innocent: someone else wrote to the memory after its Put, and this call only found it.\n" +
			"Next, catch the write itself: BASIN_CHECK=full,guard in tests, BASIN_CHECK=sampled,guard in production, or -race."
	case ForeignPut:
		return "Put only memory of pools, or use Adopt. It may also be a second Put, long after the first."
	case InteriorPut, ReslicedPut:
		return "Put the slice with the start and the capacity that Get returned. Its length does not matter."
	case WrongPool:
		return "Put it into the pool that handed it out."
	case UseAfterRelease:
		return "It must not be used after its Put, Release or Close."
	case UseAfterPut:
		return `"here" is the access, "put back" the Put that came too early.`
	case OutOfBounds:
		return `"here" is the access. Look for unsafe code or assembly that goes beyond the capacity of the slice.`
	}
	return ""
}

// Found returns the findings since the program began: for each kind, pool and acquisition stack
// the latest Report, with the number of findings as its Count. The most frequent come first.
// Checks remember 512 Reports, and forget the least frequent first. At Off there may be Reports of
// [WrongPool].
func Found() []*Report {
	var all []*Report
	for _, f := range misuse.Found() {
		all = append(all, reportOf(f))
	}
	return all
}

// handlerOf returns the function to call for each finding.
func handlerOf(s Settings) func(*misuse.Finding) {
	switch h := s.Handler; {
	case h != nil:
		return func(f *misuse.Finding) { h(reportOf(f)) }
	case s.Level == Full:
		return panicOrLog
	}
	return logSometimes
}

// panicOrLog is the handler of Full. It does not panic for a leak, which no call has caused.
func panicOrLog(f *misuse.Finding) {
	if f.Kind == misuse.Leak {
		logSometimes(f)
		return
	}
	panic(reportOf(f))
}

// logEach is the least time between two lines in the log about one group of findings.
const logEach = time.Minute

// logSometimes is the handler of Sampled. It leaves out attributes that do not apply.
func logSometimes(f *misuse.Finding) {
	if !misuse.Due(f, time.Now(), logEach) {
		return
	}
	r := reportOf(f)
	attrs := []any{"pool", r.Pool, "size", r.Size, "count", r.Count}
	if r.Kind == WrongPool {
		attrs = append(attrs, "into", f.Into)
	}
	if r.Offset != 0 || r.Kind == WriteAfterPut || r.Kind == UseAfterPut {
		attrs = append(attrs, "offset", r.Offset)
	}
	if r.Estimated {
		attrs = append(attrs, "estimated", true)
	}
	if r.Suspect != "" {
		attrs = append(attrs, "suspect", r.Suspect)
	}
	if r.Trail != nil {
		attrs = append(attrs, "trail", r.trailLine())
	}
	for _, part := range r.stacks() {
		attrs = append(attrs, part.name, part.stack.line())
	}
	slog.Warn("basin: "+r.Kind.String(), attrs...)
}
