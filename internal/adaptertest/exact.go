//go:build go1.25

package adaptertest

import (
	"os"
	"testing"

	"github.com/basin-go/basin/internal/race"
)

// SkipUnlessExact skips a test that counts allocations if the race detector or checks add their
// own.
func SkipUnlessExact(t *testing.T) {
	if race.Enabled || Checked() {
		t.Skip("the race detector and checks allocate")
	}
}

// Checked reports whether the environment has switched checks on.
func Checked() bool { return os.Getenv("BASIN_CHECK") != "" }
