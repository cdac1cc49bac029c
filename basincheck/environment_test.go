//go:build go1.25

package basincheck_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/pooltest"
)

// levelVariable is the environment variable that makes the test program print the settings of BASIN_CHECK.
const levelVariable = "BASIN_TEST_PRINT_LEVEL"

func TestMain(m *testing.M) {
	if os.Getenv(levelVariable) == "" {
		os.Exit(m.Run())
	}
	basin.Put(basin.Get(100))
	c := basincheck.Now()
	fmt.Println(c.Level, c.Every, c.Guard)
}

// TestEnvironment starts a program with good and bad levels.
func TestEnvironment(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("there are no processes here")
	}
	t.Setenv(levelVariable, "1")
	const guard = guard.Available
	for _, tt := range []struct {
		env, want string
		warns     bool
	}{
		{"", "off 0 false", false},
		{"off", "off 0 false", false},
		{"sampled", "sampled 256 false", false},
		{"sampled=3", "sampled 3 false", false},
		{"full", "full 0 false", false},
		{"full,guard", fmt.Sprintf("full 0 %v", guard), !guard},
		{"sampled,guard", fmt.Sprintf("sampled 256 %v", guard), !guard},
		{"sampled=3,guard", fmt.Sprintf("sampled 3 %v", guard), !guard},
		{"off,guard", "off 0 false", true},
		{",guard", "off 0 false", true},
		{"full,guard,guard", "off 0 false", true},
		{"sampled=0", "off 0 false", true},
		{"sampled=-1", "off 0 false", true},
		{"sampled=x", "off 0 false", true},
		{"sampled=99999999999999999999", "off 0 false", true},
		{"Full", "off 0 false", true},
		{"full,", "off 0 false", true},
		{"on", "off 0 false", true},
	} {
		out, stderr, err := pooltest.RunChecked(t, tt.env, os.Args[0])
		if err != nil || strings.TrimSpace(out) != tt.want {
			t.Errorf("BASIN_CHECK=%s: %v, %s, want %s", tt.env, err, out, tt.want)
		}
		lines := strings.Count(stderr, "\n")
		if tt.warns && (lines != 1 || !strings.Contains(stderr, "BASIN_CHECK")) || !tt.warns && stderr != "" {
			t.Errorf("BASIN_CHECK=%s: on stderr %q, want a warning of one line: %v", tt.env, stderr, tt.warns)
		}
	}
}

// TestCachedResults runs go test at two levels: the results of one must not be cached for the
// other.
func TestCachedResults(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || !pooltest.Long() {
		t.Skip("has the go command compile tests: BASIN_TEST_LONG=1")
	}
	test := func(check string) (out string, err error) {
		out, stderr, err := pooltest.RunChecked(t, check, "go", "test", "./testdata/doubleput")
		return out + stderr, err
	}
	for range 2 {
		if out, err := test("off"); err != nil {
			t.Fatalf("without checks: %v\n%s", err, out)
		} else if strings.Contains(out, "(cached)") {
			if out, err := test("full"); err == nil || !strings.Contains(out, "double Put") {
				t.Errorf("with full checks: %v, want a double Put\n%s", err, out)
			}
			return
		}
	}
	t.Skip("go test keeps no results here")
}
