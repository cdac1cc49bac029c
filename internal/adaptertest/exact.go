package adaptertest

import (
	"os"
	"testing"

	"github.com/basin-go/basin/internal/race"
)

// SkipUnlessExact skips a test that counts allocations where those of the race detector
// or of checks would be among them.
func SkipUnlessExact(t *testing.T) {
	if race.Enabled || Checked() {
		t.Skip("the race detector and checks allocate")
	}
}

// Checked reports whether the environment has switched checks on.
func Checked() bool { return os.Getenv("BASIN_CHECK") != "" }
