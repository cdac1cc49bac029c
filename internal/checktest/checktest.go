//go:build go1.25

// Package checktest is for tests of checks: it collects reports, and runs programs that
// are checked.
package checktest

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/basincheck"
)

// Full is the level that tracks everything.
var Full = basincheck.Settings{Level: basincheck.Full}

// A Collector keeps the reports that it is told of. It may be used by many goroutines at
// once.
type Collector struct {
	mu  sync.Mutex
	all []*basincheck.Report
}

// Handle is the Handler of checks that c collects reports of.
func (c *Collector) Handle(r *basincheck.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, r)
}

// Take returns the reports since the last call.
func (c *Collector) Take() []*basincheck.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// Begin begins new checks for the rest of the test, which know of nothing that was handed
// out before, and returns who is told of misuse.
func Begin(t testing.TB, s basincheck.Settings) *Collector {
	t.Helper()
	before := basincheck.Now()
	t.Cleanup(func() { basincheck.Set(before) })
	c := new(Collector)
	s.Handler = c.Handle
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(s)
	return c
}

// SwitchLevels goes through all levels, rounds times. Others work meanwhile, and count
// their operations in worked: a level lasts until it is 20 more.
func SwitchLevels(c *Collector, rounds int, worked *atomic.Int64) {
	for range rounds {
		for _, s := range []basincheck.Settings{Full, {Level: basincheck.Sampled, Every: 2}, {}} {
			s.Handler = c.Handle
			basincheck.Set(s)
			for before := worked.Load(); worked.Load() < before+20; {
				runtime.Gosched()
			}
		}
	}
}

// Kinds returns the kinds of reports, in their order.
func Kinds(all []*basincheck.Report) []basincheck.Kind {
	var k []basincheck.Kind
	for _, r := range all {
		k = append(k, r.Kind)
	}
	return k
}

// In reports whether the innermost frame of s is in the file that calls In.
func In(s basincheck.Stack) bool {
	_, file, _, _ := runtime.Caller(1)
	f := s.Frames()
	return len(f) > 0 && f[0].File == file
}

// Run runs a program with the given level of checks, and returns its output, errors included.
func Run(t *testing.T, level, bin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "BASIN_CHECK="+level)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
