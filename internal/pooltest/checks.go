//go:build go1.25

package pooltest

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

// FullChecking has the settings of checks that track everything.
var FullChecking = basincheck.Settings{Level: basincheck.Full}

// Reports collects reports of misuse. It may be used by many goroutines at once.
type Reports struct {
	mu  sync.Mutex
	all []*basincheck.Report
}

// Handle is the Handler of the checks whose reports c collects.
func (c *Reports) Handle(r *basincheck.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, r)
}

// Take returns the reports since the last call.
func (c *Reports) Take() []*basincheck.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// BeginChecks begins new checks for the rest of the test, without records of earlier Gets. It
// returns the collection of their reports.
func BeginChecks(t testing.TB, s basincheck.Settings) *Reports {
	t.Helper()
	before := basincheck.Now()
	t.Cleanup(func() { basincheck.Set(before) })
	c := new(Reports)
	s.Handler = c.Handle
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(s)
	return c
}

// SwitchLevels goes through all levels of checks, rounds times. Other goroutines work meanwhile, and
// count their operations in worked. A level lasts for 20 operations.
func SwitchLevels(c *Reports, rounds int, worked *atomic.Int64) {
	for range rounds {
		for _, s := range []basincheck.Settings{FullChecking, {Level: basincheck.Sampled, Every: 2}, {}} {
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

// InCaller reports whether the innermost frame of s is in the file that calls it.
func InCaller(s basincheck.Stack) bool {
	_, file, _, _ := runtime.Caller(1)
	f := s.Frames()
	return len(f) > 0 && f[0].File == file
}

// RunChecked runs a program with the given level of checks, and returns its output, errors included.
func RunChecked(t *testing.T, level, bin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "BASIN_CHECK="+level)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
