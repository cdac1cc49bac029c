// Package basintest fails tests that misuse pools of basin, or that do not put back what they
// took:
//
//	func TestServer(t *testing.T) {
//		basintest.Check(t)
//		...
//	}
//
// # What belongs to a test
//
// Checks are of the whole process. While no other test is checked at the same time, all that
// happens between Check and the end of the test is the test's, on whatever goroutine.
//
// When tests that call Check run in parallel, a misuse or a leak is the test's whose function is
// among the callers: on the test's own goroutine, or in a function literal that it has
// started as a goroutine. What was done on other goroutines, such as those of a server or
// a worker pool, could be anybody's: it fails the last of the tests that ran
// together, which says so. What tests do in parallel that do not call Check is taken for
// somebody's who does.
package basintest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
)

// An Option changes what Check does.
type Option func(*test)

// Leaks says that what the test does not put back is no failure. Misuse still is.
func Leaks() Option { return func(t *test) { t.leaks = true } }

// A test is one that is checked.
type test struct {
	testing.TB
	function string // of the test
	leaks    bool
	misuse   []*basin.Misuse
}

// patience is how long a test may take at its end until others have put back what they do
// not need any more, such as a server that has just sent an answer.
const patience = time.Second

// running are the tests that are checked at the moment.
var running struct {
	mu     sync.Mutex
	tests  []*test
	before basin.Checking
	known  map[site]int64 // what was out when the first of them began
	shared bool           // there has been more than one
	orphan []*basin.Misuse
}

// Check has every acquisition tracked until the test and its cleanups that are registered
// later have ended, as [basin.CheckFull] does, and then fails the test for each misuse,
// and for each place where it has taken something that is neither put back nor dropped by
// then. What is dropped is reported if the collector finds it in time.
//
// Levels of basin.SetChecking and BASIN_CHECK are set aside meanwhile, but for guarded memory.
func Check(t testing.TB, options ...Option) {
	t.Helper()
	c := &test{TB: t, function: caller()}
	for _, o := range options {
		o(c)
	}
	running.mu.Lock()
	if len(running.tests) == 0 {
		running.before = basin.CheckingNow()
		basin.SetChecking(basin.Checking{Level: basin.CheckFull, Guard: running.before.Guard, Handler: handle})
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

// in reports whether the function of the test, or a literal in it, is among the callers.
func (c *test) in(s basin.Stack) bool {
	return slices.ContainsFunc(s.Frames(), func(f runtime.Frame) bool {
		rest, ok := strings.CutPrefix(f.Function, c.function)
		return ok && c.function != "" && (rest == "" || rest[0] == '.')
	})
}

// handle is told of misuse.
func handle(m *basin.Misuse) {
	running.mu.Lock()
	defer running.mu.Unlock()
	if at := siteOf(basin.Site{Pool: m.Pool, Stack: m.Acquired}); m.Kind == basin.Leak && running.known[at] > 0 {
		running.known[at]-- // it was out before
		return
	}
	if len(running.tests) == 1 && !running.shared {
		c := running.tests[0]
		c.misuse = append(c.misuse, m)
		return
	}
	for _, stack := range []basin.Stack{m.Here, m.FirstPut, m.Acquired} {
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
	at   *uintptr // the begin of the stack, of which there is only one
}

func siteOf(s basin.Site) site {
	if len(s.Stack) == 0 {
		return site{pool: s.Pool}
	}
	return site{s.Pool, &s.Stack[0]}
}

// out returns how many objects are out, by site.
func out() map[site]int64 {
	n := make(map[site]int64)
	for _, s := range basin.InUse() {
		n[siteOf(s)] += s.Objects
	}
	return n
}

// leaked returns what is out that this test has to answer for. The caller holds the lock of
// running.
func (c *test) leaked() (leaks []basin.Site) {
	if c.leaks {
		return nil
	}
	last := len(running.tests) == 1
	for _, s := range basin.InUse() {
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
	deadline := time.Now().Add(patience)
	for wait := time.Millisecond; time.Now().Before(deadline); wait *= 2 {
		running.mu.Lock()
		n := len(c.leaked())
		running.mu.Unlock()
		if n == 0 {
			break
		}
		time.Sleep(wait)
	}
	// Twice, as what has a finalizer is collected by the second. Without the lock, for what is found
	// is told to handle.
	runtime.GC()
	runtime.GC()
	basin.Verify()

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
		basin.SetChecking(running.before)
	} else {
		for _, s := range leaks { // others need not say it again
			running.known[siteOf(s)] = s.Objects
		}
	}
	for _, m := range misuse {
		if m.Kind == basin.Leak && c.leaks {
			continue
		}
		c.Errorf("%v%s", m, note(c, maybe, m.Here, m.FirstPut, m.Acquired))
	}
	for _, s := range leaks {
		c.Errorf("basin: not put back: %s of pool %q%s, acquired:\n%v", count(s.Objects, s.Bytes), s.Pool, note(c, maybe, s.Stack), s.Stack)
	}
}

// note returns maybe, unless one of the stacks is this test's for sure.
func note(c *test, maybe string, stacks ...basin.Stack) string {
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
