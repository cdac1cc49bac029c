// Package basintest fails tests that misuse pools of basin, or that do not put back
// what they took:
//
//	func TestServer(t *testing.T) {
//		basintest.Check(t)
//		...
//	}
//
// # What belongs to a test
//
// Checks apply to the whole process. While no other test is checked, everything that
// happens between Check and the end of the test belongs to the test, on whatever
// goroutine.
//
// When tests that call Check run in parallel, a misuse or a leak belongs to the test
// whose function is among the callers: on the test's own goroutine, or in a function
// literal that it has started as a goroutine. What was done on other goroutines, such
// as those of a server or a worker pool, could be any test's. It fails the last of
// the tests that ran together, and the message says so. If a test that does not call
// Check runs in parallel with tests that do, what it does is taken for theirs.
package basintest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/basincheck"
)

// An Option changes what Check does.
type Option func(*test)

// AllowLeaks lets the test keep what it took: a leak is no failure, but misuse still
// is.
func AllowLeaks() Option { return func(t *test) { t.allowsLeaks = true } }

// A test is one that is checked.
type test struct {
	testing.TB
	function    string // of the test
	allowsLeaks bool
	misuse      []*basincheck.Report
}

// patience is how long a test waits at its end for others to put back what they do
// not need any more, such as a server that has just sent an answer. It is the sum of
// what it sleeps and not a moment by the clock: a machine that stands still meanwhile
// takes nothing of it away from them.
var patience = time.Second

// running are the tests that are checked at the moment.
var running struct {
	mu     sync.Mutex
	tests  []*test
	before basincheck.Settings
	known  map[site]int64 // what was outstanding when the first of them began
	shared bool           // there has been more than one
	orphan []*basincheck.Report
}

// Check fails the test for each misuse, and for each place that took something and
// has not put it back when the test ends. The test ends after those of its cleanups
// that were registered after the call of Check. What the test drops is reported if
// the collector finds it in time.
//
// Until then every acquisition is tracked, as at [basincheck.Full], whatever
// [basincheck.Set] or BASIN_CHECK said before. Only the setting of guarded memory
// stays as it was.
func Check(t testing.TB, options ...Option) {
	t.Helper()
	c := &test{TB: t, function: caller()}
	for _, o := range options {
		o(c)
	}
	running.mu.Lock()
	if len(running.tests) == 0 {
		running.before = basincheck.Now()
		basincheck.Set(basincheck.Settings{Level: basincheck.Full, Guard: running.before.Guard, Handler: handle})
		running.known = out()
		running.shared = false
		running.orphan = nil
	} else {
		running.shared = true
	}
	running.tests = append(running.tests, c)
	running.mu.Unlock()
	t.Cleanup(c.end)
}

// caller returns the name of the function that called Check.
func caller() string {
	var pcs [1]uintptr
	if runtime.Callers(3, pcs[:]) == 0 {
		return ""
	}
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return f.Function
}

// in reports whether the function of the test, or a literal in it, is among the
// callers.
func (c *test) in(s basincheck.Stack) bool {
	return slices.ContainsFunc(s.Frames(), func(f runtime.Frame) bool {
		rest, ok := strings.CutPrefix(f.Function, c.function)
		return ok && c.function != "" && (rest == "" || rest[0] == '.')
	})
}

// handle is the handler of reports.
func handle(m *basincheck.Report) {
	running.mu.Lock()
	defer running.mu.Unlock()
	if at := siteOf(basincheck.Site{Pool: m.Pool, Stack: m.Acquired}); m.Kind == basincheck.Leak && running.known[at] > 0 {
		running.known[at]-- // it was outstanding before
		return
	}
	if len(running.tests) == 1 && !running.shared {
		c := running.tests[0]
		c.misuse = append(c.misuse, m)
		return
	}
	for _, stack := range []basincheck.Stack{m.Here, m.FirstPut, m.Acquired} {
		for _, c := range running.tests {
			if c.in(stack) {
				c.misuse = append(c.misuse, m)
				return
			}
		}
	}
	running.orphan = append(running.orphan, m)
}

// A site is where something was taken.
type site struct {
	pool string
	at   string // the stack
}

func siteOf(s basincheck.Site) site { return site{s.Pool, fmt.Sprint([]uintptr(s.Stack))} }

// out returns how many objects are outstanding, by site.
func out() map[site]int64 {
	n := make(map[site]int64)
	for _, s := range basincheck.Outstanding() {
		n[siteOf(s)] += s.Objects
	}
	return n
}

// leaked returns the outstanding objects that this test has to answer for. The caller
// holds the lock of running.
func (c *test) leaked() (leaks []basincheck.Site) {
	if c.allowsLeaks {
		return nil
	}
	last := len(running.tests) == 1
	for _, s := range basincheck.Outstanding() {
		if s.Objects <= running.known[siteOf(s)] {
			continue
		}
		others := slices.ContainsFunc(running.tests, func(o *test) bool { return o != c && o.in(s.Stack) })
		if c.in(s.Stack) || last && !others {
			leaks = append(leaks, s)
		}
	}
	return leaks
}

// end is the cleanup of the test.
func (c *test) end() {
	c.Helper()
	for wait := time.Millisecond; wait < patience; wait *= 2 {
		running.mu.Lock()
		n := len(c.leaked())
		running.mu.Unlock()
		if n == 0 {
			break
		}
		time.Sleep(wait)
	}
	// Twice, because the second collects what has a finalizer. Without the lock,
	// because handle is called with what is found.
	runtime.GC()
	runtime.GC()
	basincheck.Verify()

	running.mu.Lock()
	defer running.mu.Unlock()
	leaks := c.leaked()
	running.tests = slices.DeleteFunc(running.tests, func(o *test) bool { return o == c })
	misuse := c.misuse
	maybe := ""
	if len(running.tests) == 0 {
		misuse = append(misuse, running.orphan...)
		if running.shared {
			maybe = " (by this test or one that ran in parallel)"
		}
		basincheck.Set(running.before)
	} else {
		for _, s := range leaks { // others need not say it again
			running.known[siteOf(s)] = s.Objects
		}
	}
	for _, m := range misuse {
		if m.Kind == basincheck.Leak && c.allowsLeaks {
			continue
		}
		c.Errorf("%v%s", m, note(c, maybe, m.Here, m.FirstPut, m.Acquired))
	}
	for _, s := range leaks {
		c.Errorf("basin: not put back: %s of pool %q%s, acquired:\n%v", count(s.Objects, s.Bytes), s.Pool, note(c, maybe, s.Stack), s.Stack)
	}
}

// note returns maybe, unless one of the stacks is this test's for sure.
func note(c *test, maybe string, stacks ...basincheck.Stack) string {
	if slices.ContainsFunc(stacks, c.in) {
		return ""
	}
	return maybe
}

func count(objects, bytes int64) string {
	if objects == 1 {
		return fmt.Sprintf("1 object of %d bytes", bytes)
	}
	return fmt.Sprintf("%d objects of %d bytes in all", objects, bytes)
}
