package basincheck

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/basin-go/basin/internal/check"
)

// A Report is one misuse of a pool. It is an error, and what [Full] panics with.
type Report struct {
	Kind Kind
	Pool string // the name of the pool; for WrongPool, of the pool that the slice is from

	// Size is the size of the whole memory in bytes; for ForeignPut, the capacity.
	Size int

	// Offset says more about some kinds: for WriteAfterPut, the offset of the first
	// byte that changed; for InteriorPut, the offset at which the slice begins; for
	// ReslicedPut, the capacity of the slice. For other kinds it is zero.
	Offset int

	Acquired Stack // when it was handed out; nil for ForeignPut
	FirstPut Stack // when it was put back, or nil
	Here     Stack // the offending call; nil if the collector or Verify found it

	// Count is how often misuse of this kind was found in this pool and with this
	// acquisition site, this one included.
	Count uint64
}

// reportOf returns f for users.
func reportOf(f *check.Finding) *Report {
	return &Report{
		Kind:     Kind(f.Kind),
		Pool:     f.Owner.Name,
		Size:     f.Size,
		Offset:   f.Offset,
		Acquired: f.Acquired,
		FirstPut: f.FirstPut,
		Here:     f.Here,
		Count:    f.Count,
	}
}

// Error returns the whole report, in several lines.
func (r *Report) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "basin: %v: %d bytes", r.Kind, r.Size)
	switch r.Kind {
	case WriteAfterPut:
		fmt.Fprintf(&s, ", the first that has changed at offset %d,", r.Offset)
	case InteriorPut:
		fmt.Fprintf(&s, ", put from offset %d on,", r.Offset)
	case ReslicedPut:
		fmt.Fprintf(&s, ", put with a capacity of %d,", r.Offset)
	}
	fmt.Fprintf(&s, " of pool %q", r.Pool)
	if r.Count > 1 {
		fmt.Fprintf(&s, " (%d times)", r.Count)
	}
	for _, part := range []struct {
		name  string
		stack Stack
	}{{"here", r.Here}, {"put back", r.FirstPut}, {"acquired", r.Acquired}} {
		if part.stack != nil {
			fmt.Fprintf(&s, "\n  %s:\n%v", part.name, part.stack)
		}
	}
	return s.String()
}

// Found returns what checks have found since the program began: the latest report of
// each kind, pool and acquisition site, with how often as its Count. Those found most
// often come first. Checks remember 512 of them, and forget those found least often
// first.
func Found() []*Report {
	var all []*Report
	for _, f := range check.Found() {
		all = append(all, reportOf(f))
	}
	return all
}

// handlerOf returns the function to call for each finding.
func handlerOf(s Settings) func(*check.Finding) {
	switch h := s.Handler; {
	case h != nil:
		return func(f *check.Finding) { h(reportOf(f)) }
	case s.Level == Full:
		return panicOrLog
	}
	return logSometimes
}

// panicOrLog is the handler of Full. A leak is no reason to panic on a goroutine of the
// runtime.
func panicOrLog(f *check.Finding) {
	if f.Kind == check.Leak {
		logSometimes(f)
		return
	}
	panic(reportOf(f))
}

// logEach is the least time between two lines in the log about one group of findings.
const logEach = time.Minute

// logSometimes is the handler of Sampled.
func logSometimes(f *check.Finding) {
	if !check.Due(f, time.Now(), logEach) {
		return
	}
	r := reportOf(f)
	slog.Warn("basin: "+r.Kind.String(), "pool", r.Pool, "size", r.Size, "offset", r.Offset, "count", r.Count,
		"here", r.Here.String(), "put", r.FirstPut.String(), "acquired", r.Acquired.String())
}
