package basin_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
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
	var reports []string
	c.Handler = func(m *basin.Misuse) {
		if m.Kind == basin.Leak {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, m.Error())
	}
	basin.SetChecking(c)
	code := m.Run()
	basin.Verify()
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(reports)
	for _, r := range slices.Compact(reports) {
		fmt.Println("\n" + r)
	}
	if len(reports) > 0 {
		fmt.Printf("%d reports\n", len(reports))
		code = 1
	}
	os.Exit(code)
}

var _ = strings.Contains
