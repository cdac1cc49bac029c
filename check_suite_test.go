package basin_test

import (
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
// Then it fails if misuse is reported, but of tests that say that they misuse on purpose, and for nothing
// else: what is put is not reused then, so tests of that fail by design, and print so. Leaks do not count:
// these tests drop what they have looked at, which is allowed.

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
	c := basin.CheckingNow()
	if c.Level != basin.CheckFull {
		os.Exit(m.Run())
	}
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
	m.Run()
	basin.Verify()
	mu.Lock()
	defer mu.Unlock()
	fmt.Printf("%d reports of misuse\n", len(said))
	os.Exit(min(len(said), 1))
}
