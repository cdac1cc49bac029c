package uses

import (
	"testing"

	"cli/used"
)

func TestLen(t *testing.T) {
	if n := used.Len(); n != 100 {
		t.Error(n)
	}
}
