//go:build go1.25

// Package basintest fails tests that misuse pools of basin, or that do not put back memory that
// they acquired:
//
//	func TestServer(t *testing.T) {
//		basintest.Check(t)
//		...
//	}
//
// # Which test a finding belongs to
//
// Checks apply to the whole process. While only one checked test runs, every finding between
// Check and the end of that test belongs to it, on any goroutine.
//
// If tests that call Check run in parallel, memory belongs to the test whose goroutine acquired
// it, and a misuse to the test whose goroutine committed it. A goroutine belongs to a test if its
// callers include the test's function, or a function literal in it, and do not include the function
// of another running test. Findings on other goroutines, such as those of a server or a worker pool,
// may belong to any test. They fail the last of the tests that ran together, and the first line of
// the message says so. If a test without Check runs in parallel with checked
// tests, its findings are counted as theirs.
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
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
)

// An Option changes the behaviour of Check.
type Option func(*test)

// AllowLeaks lets the test keep memory that it acquired. Misuse still fails the test.
func AllowLeaks() Option { return func(t *test) { t.allowsLeaks = true } }

// A test is one that has called Check.
type test struct {
	testing.TB
	function    string // outermost function on the test's goroutine
	goroutine   uint64 // goroutine that called Check
	allowsLeaks bool
	misuse      []*basincheck.Report
	ended       bool
}

// patience is the time that a test waits at its end for memory to be put back. It is the sum of
// its sleeps and not a deadline: if the machine stalls meanwhile, the other goroutines lose no
// time.
var patience = time.Second

// running is the group of checked tests that run at the same time.
var running struct {
	mu     sync.Mutex
	tests  []*test // including those that have ended since the first began
	left   int     // number of tests that have not ended
	before basincheck.Settings
	known  map[site]int64 // outstanding items when the first test began
	orphan []*basincheck.Report
}

// Check fails the test for each misuse, and for each place that has acquired memory and not put
// it back when the test ends. The test ends after those of its cleanups that were registered
// after the call of Check. Memory that became garbage is reported if the collector finds it in
// time.
//
// At the end another goroutine may still be about to put memory back: the handler of a server
// that has just sent its answer, for example. So Check looks repeatedly, until all memory is
// back or it has slept for one second in total. Then it collects garbage twice and reports. A
// test that puts everything back does not wait.
//
// Until the test ends, every acquisition is tracked, as at [basincheck.Full], whatever the level was before.
// Only the setting of guarded memory is kept. The test must not call [basincheck.Set].
func Check(t testing.TB, options ...Option) {
	t.Helper()
	c := &test{TB: t, function: testFunction(), goroutine: check.Goroutine()}
	for _, o := range options {
		o(c)
	}
	running.mu.Lock()
	if running.left == 0 {
		running.before = basincheck.Now()
		check.Goroutines.Store(true)
		basincheck.Set(basincheck.Settings{Level: basincheck.Full, Guard: running.before.Guard, Handler: handle})
		running.known = out()
		running.tests, running.orphan = nil, nil
	}
	running.tests = append(running.tests, c)
	running.left++
	running.mu.Unlock()
	t.Cleanup(c.end)
}

// testFunction returns the name of the outermost function of the test: package testing calls
// it.
func testFunction() string {
	pcs := make([]uintptr, 1<<10)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for function := ""; ; {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "testing.") {
			return function
		}
		if !strings.HasPrefix(f.Function, "runtime.") {
			function = f.Function
		}
		if !more {
			return function
		}
	}
}

// in reports whether the callers in s include the function of the test, or a literal in it.
func (c *test) in(s basincheck.Stack) bool {
	return slices.ContainsFunc(s.Frames(), func(f runtime.Frame) bool {
		rest, ok := strings.CutPrefix(f.Function, c.function)
		return ok && c.function != "" && (rest == "" || rest[0] == '.')
	})
}

// testOf returns the test that a finding on the given goroutine with the given stack belongs
// to. It returns nil if several tests are possible, or if the test has ended. The caller holds
// the lock of running.
func testOf(goroutine uint64, stack basincheck.Stack) *test {
	if len(running.tests) == 1 {
		return running.tests[0]
	}
	var found *test
	sure := true
	for _, c := range running.tests {
		switch {
		case stack == nil:
		case c.goroutine == goroutine && goroutine != 0:
			found, sure = c, true
		case found != nil && found.goroutine == goroutine:
		case !c.in(stack) || found != nil && len(c.function) < len(found.function): // a subtest's name is longer than its parent's
		default:
			sure = found == nil || c.function != found.function // unsure if both are runs of the same test
			found = c
		}
	}
	if !sure || found == nil || found.ended {
		return nil
	}
	return found
}

// handle is the Handler of basincheck.
func handle(m *basincheck.Report) {
	running.mu.Lock()
	defer running.mu.Unlock()
	by := misuse.FindingOf(m).Goroutine // goroutine that acquired
	if at := siteOf(m.Pool, m.Acquired, by); m.Kind == basincheck.Leak && running.known[at] > 0 {
		running.known[at]-- // outstanding before the tests began
		return
	}
	c := testOf(check.Goroutine(), m.Here)
	if c == nil {
		c = testOf(0, m.FirstPut)
	}
	if c == nil {
		c = testOf(by, m.Acquired)
	}
	if c == nil {
		running.orphan = append(running.orphan, m)
		return
	}
	c.misuse = append(c.misuse, m)
}

// A site is an acquisition stack of a pool, on one goroutine.
type site struct {
	pool      string
	at        string // call stack
	goroutine uint64
}

func siteOf(pool string, stack []uintptr, goroutine uint64) site {
	return site{pool, fmt.Sprint(stack), goroutine}
}

// outstanding returns the outstanding items by site.
func outstanding() []check.Site {
	if t := check.Current.Load(); t != nil {
		return t.Outstanding()
	}
	return nil
}

// out returns the number of outstanding items by site.
func out() map[site]int64 {
	n := make(map[site]int64)
	for _, s := range outstanding() {
		n[siteOf(s.Pool, s.Acquired, s.Goroutine)] += s.Items
	}
	return n
}

// leaked returns the outstanding items that this test is responsible for. The caller holds
// the lock of running.
func (c *test) leaked() (leaks []check.Site) {
	if c.allowsLeaks {
		return nil
	}
	last := running.left == 1
	for _, s := range outstanding() {
		if s.Items <= running.known[siteOf(s.Pool, s.Acquired, s.Goroutine)] {
			continue
		}
		if of := testOf(s.Goroutine, s.Acquired); of == c || of == nil && last {
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
	// Collect twice, because objects with a finalizer need a second collection. Do it without
	// the lock, because leaks call handle.
	runtime.GC()
	runtime.GC()
	basincheck.Verify()

	running.mu.Lock()
	defer running.mu.Unlock()
	const maybe = " (by this test or one that ran in parallel)"
	leaks := c.leaked()
	for _, m := range c.misuse {
		c.fail(m, "")
	}
	if running.left == 1 {
		for _, m := range running.orphan {
			c.fail(m, maybe)
		}
	}
	for _, s := range leaks {
		note := ""
		if testOf(s.Goroutine, s.Acquired) != c {
			note = maybe
		}
		c.Errorf("basin: not put back: %s of pool %q%s, acquired:\n%v", count(s.Items, s.Bytes), s.Pool, note, basincheck.Stack(s.Acquired))
		running.known[siteOf(s.Pool, s.Acquired, s.Goroutine)] = s.Items // the other tests need not report it again
	}
	c.ended = true
	if running.left--; running.left == 0 {
		check.Goroutines.Store(false)
		basincheck.Set(running.before)
	}
}

// fail fails the test for m, with a note in the first line.
func (c *test) fail(m *basincheck.Report, note string) {
	c.Helper()
	if m.Kind == basincheck.Leak && c.allowsLeaks {
		return
	}
	head, rest, _ := strings.Cut(m.Error(), "\n")
	c.Errorf("%s%s\n%s", head, note, rest)
}

func count(items, bytes int64) string {
	size := fmt.Sprintf("%d bytes", bytes)
	if bytes == 1 {
		size = "1 byte"
	}
	if items == 1 {
		return "1 item of " + size
	}
	return fmt.Sprintf("%d items of %s in all", items, size)
}
