//go:build go1.25

package basincheck

import (
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/misuse"
)

// TestOne: a single thing has no plural.
func TestOne(t *testing.T) {
	if got := suspectOf(map[string]*balance{"main.f": {took: 1, gave: 3}}, ""); !strings.Contains(got, "released 3 times, for 1 reference.") {
		t.Error(got)
	}
	r := reportOf(&misuse.Finding{Kind: misuse.Leak, Pool: &misuse.Pool{Name: "p"}, Size: 1, Weight: 2, Count: 1})
	if got := r.Error(); !strings.Contains(got, "1 byte of pool") || !strings.Contains(got, "about 1 time,") {
		t.Error(got)
	}
}
