//go:build go1.25

package misuse_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestRaceDetector runs programs with the race detector, at every level of checks: some use
// memory after its Put, some do not.
func TestRaceDetector(t *testing.T) {
	bin := os.Args[0]
	if !testenv.Race {
		if !pooltest.Long() {
			t.Skip("needs -race, or else BASIN_TEST_LONG=1 to build with it")
		}
		bin = filepath.Join(t.TempDir(), "racing.exe")
		if out, err := exec.Command("go", "test", "-c", "-race", "-o", bin).CombinedOutput(); err != nil {
			t.Skipf("no race detector here: %v %s", err, out) // not every system has the race detector and the tools to build with it
		}
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // by default each program takes a second to exit
	for _, tt := range []struct {
		program string
		races   bool
	}{
		{"late bytes", true}, {"write bytes", true}, {"handed bytes", false}, {"pooled bytes", false},
		{"late fixed", true}, {"write fixed", true}, {"handed fixed", false}, {"pooled fixed", false},
	} {
		t.Setenv(racingVariable, tt.program)
		for _, level := range []string{"off", "sampled=2", "full"} {
			_, stderr, err := pooltest.RunChecked(t, level, bin)
			raced := strings.Contains(stderr, "DATA RACE")
			if raced != tt.races || (err != nil) != tt.races {
				t.Errorf("%s with checks %s: %v, data races reported: %v, want %v\n%s", tt.program, level, err, raced, tt.races, stderr)
			}
			if raced && !strings.Contains(stderr, "racing.go:") {
				t.Errorf("%s with checks %s: the report does not name the program:\n%s", tt.program, level, stderr)
			}
		}
	}
}
