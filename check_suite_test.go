package basin_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/basin-go/basin"
)

// The whole suite can run with full checks:
//
//	BASIN_CHECK=full go test .
//
// Then no misuse may be reported but of tests that misuse on purpose, and say so. Leaks
// do not count: these tests drop what they have looked at, which is allowed.

// TestMain fails if anything is reported.
func TestMain(m *testing.M) {
	c := basin.CheckingNow()
	if c.Level != basin.CheckFull {
		os.Exit(m.Run())
	}
	var mu sync.Mutex
	said := make(map[string]bool) // without the sizes and offsets, which vary
	c.Handler = func(m *basin.Misuse) {
		if m.Kind == basin.Leak {
			return
		}
		text := fmt.Sprintf("\n%v: %v\n%v\nacquired\n%v\nput\n%v\n", basin.CheckFull, m.Kind, m.Here, m.Acquired, m.FirstPut)
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
	if len(said) > 0 {
		fmt.Printf("%d reports\n", len(said))
		code = 1
	}
	os.Exit(code)
}
