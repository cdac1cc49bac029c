package corpus

import (
	"io"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for range 3 {
		if n := Mixed(io.Discard, 500); n != 1000 {
			t.Error("Mixed", n)
		}
		if n := Numbers(10); n != 45 {
			t.Error("Numbers", n)
		}
		if n := Later(io.Discard, 700); n != 0 {
			t.Error("Later", n)
		}
		if n := Perhaps(10) + Elsewhere(10) + Beside(10); n != 0 {
			t.Error("the others", n)
		}
	}
}
