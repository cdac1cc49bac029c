//go:build go1.25

package memory_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// resident returns the resident memory of the process, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestResidentAfterSpike: after a spike of 500 MiB, TrimIdle makes a process that does nothing small
// again. Its only time limit is that of the whole test run.
func TestResidentAfterSpike(t *testing.T) {
	pooltest.Reuses(t)
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is known on Linux only")
	}
	if testenv.Race || testenv.ASan {
		t.Skip("a detector keeps memory of its own")
	}
	const variable, mib = "BASIN_TEST_SPIKE", 1 << 20
	if os.Getenv(variable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=5m", "-test.v")
		cmd.Env = append(os.Environ(), variable+"=1", "GOGC=", "GOMEMLIMIT=", "GODEBUG=")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	spike := 500
	p := &basin.BytePool{MaxIdle: 1 << 30, IdleTime: 100 * time.Millisecond}
	func() {
		var all [][]byte
		for range spike {
			b := p.Get(mib)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			all = append(all, b)
		}
		for _, b := range all {
			p.Put(b)
		}
	}()
	t.Logf("%d MiB are resident after the spike", resident(t)/mib)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, began := m.NumGC, time.Now()
	go gccycle.TrimIdle(t.Context(), 50*time.Millisecond)
	least := resident(t)
	for least > 20*mib { // the test's time limit applies
		time.Sleep(50 * time.Millisecond)
		least = min(least, resident(t))
	}
	runtime.ReadMemStats(&m)
	t.Logf("%d MiB are resident after %v and %d collections", least/mib, time.Since(began).Round(time.Millisecond), m.NumGC-before)
}
