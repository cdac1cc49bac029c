package basin_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
)

// The whole suite can run with full checks:
//
//	BASIN_CHECK=full go test .
//
// Then it fails if misuse is reported as well, but of tests that say that they misuse on purpose. What is put
// is not reused then, so tests of that are skipped. Leaks do not count: these tests drop what they have looked
// at, which is allowed.

// The stress tests pass with sampled checks too: BASIN_CHECK=sampled=2 go test -run 'Stress|Ownership' .

// fullChecks is whether the suite runs so, and someChecks whether anything is checked.
var (
	fullChecks = basin.CheckingNow().Level == basin.CheckFull
	someChecks = basin.CheckingNow().Level != basin.CheckOff
)

// reuses says that t looks at what becomes of what was put.
func reuses(t testing.TB) {
	if fullChecks {
		t.Skip("with full checks nothing is reused")
	}
}

// misusing counts the tests that are running and misuse on purpose.
var misusing atomic.Int32

// misuses says that t does.
func misuses(t testing.TB) {
	misusing.Add(1)
	t.Cleanup(func() {
		basin.Verify() // or a write after Put would be reported later
		misusing.Add(-1)
	})
}

func TestMain(m *testing.M) {
	if !fullChecks {
		os.Exit(m.Run())
	}
	// Examples cannot skip themselves: these show what is reused, or what misuse does.
	flag.Set("test.skip", "^Example(Pool|FixedPool|TryPut|BytePool_Stats)$")
	c := basin.CheckingNow()
	var mu sync.Mutex
	said := make(map[string]bool) // without the sizes and offsets, which vary
	c.Handler = func(m *basin.Misuse) {
		if m.Kind == basin.Leak || misusing.Load() > 0 {
			return
		}
		text := fmt.Sprintf("\nmisuse: %v\n%v\nacquired\n%v\nput\n%v\n", m.Kind, m.Here, m.Acquired, m.FirstPut)
		mu.Lock()
		defer mu.Unlock()
		if !said[text] {
			said[text] = true
			fmt.Print(text)
		}
	}
	basin.SetChecking(c)
	code := m.Run()
	basin.Verify()
	mu.Lock()
	defer mu.Unlock()
	fmt.Printf("%d reports of misuse\n", len(said))
	os.Exit(max(code, min(len(said), 1)))
}
