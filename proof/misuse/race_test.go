package misuse_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/checktest"
)

// TestCheckRaceDetector has the race detector look at programs that use what has been put,
// and at some that do not, with every level of checks.
func TestCheckRaceDetector(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with -race")
	}
	// Not every system has the detector and what it needs to build.
	if out, err := exec.Command("go", "build", "-race", "-o", filepath.Join(t.TempDir(), "x"), "../../basincheck/testdata/checklevel").CombinedOutput(); err != nil {
		t.Skipf("no race detector here: %v %s", err, out)
	}
	bin := checktest.Build(t, filepath.Join("testdata", "racing"), "-race")
	for _, tt := range []struct {
		program, pool string
		races         bool
	}{
		{"late", "bytes", true}, {"write", "bytes", true}, {"handed", "bytes", false}, {"pooled", "bytes", false},
		{"late", "fixed", true}, {"write", "fixed", true}, {"handed", "fixed", false}, {"pooled", "fixed", false},
	} {
		for _, level := range []string{"off", "sampled=2", "full"} {
			_, stderr, err := checktest.Run(t, level, bin, tt.program, tt.pool)
			raced := strings.Contains(stderr, "DATA RACE")
			if raced != tt.races || (err != nil) != tt.races {
				t.Errorf("%s %s with checks %s: %v, data races reported: %v, want %v\n%s", tt.program, tt.pool, level, err, raced, tt.races, stderr)
			}
			if raced && !strings.Contains(stderr, "main.go:") {
				t.Errorf("%s with checks %s: the report does not name the program:\n%s", tt.program, level, stderr)
			}
		}
	}
}
