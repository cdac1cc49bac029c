package basintest

import (
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pooltest"
)

// TestPatience is the first: many of the tests after it wait in vain, which takes all of patience.
func TestPatience(t *testing.T) {
	if !pooltest.Long() {
		patience = 200 * time.Millisecond
	}
}
