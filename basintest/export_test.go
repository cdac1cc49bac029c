//go:build go1.25

package basintest

import (
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pooltest"
)

// TestPatience must run first: many later tests wait in vain, which takes all of patience.
func TestPatience(t *testing.T) {
	if !pooltest.Long() {
		patience = 200 * time.Millisecond
	}
}
