package corpus

import (
	"strings"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for range 3 {
		if s, n := Queued(100); s != "bc"+strings.Repeat("ab", 100) || n != 300 {
			t.Error("Queued", s, n)
		}
		if n := Added([]string{"ab", "c"}); n != 5 {
			t.Error("Added", n)
		}
		if n := Stacked(2); n != 3 {
			t.Error("Stacked", n)
		}
		if first, n := Tree(3); first != 0 || n != 3 {
			t.Error("Tree", first, n)
		}
		if a, b := Copied(1); a != 1 || b != 2 {
			t.Error("Copied", a, b)
		}
		if !Empty(0) || Empty(1) {
			t.Error("Empty")
		}
		if n := Rounds(3); n != 6 {
			t.Error("Rounds", n)
		}
		if n := Again(3); n != 2 {
			t.Error("Again", n)
		}
		if before, after := Older(1); before != 2 || after != 1 {
			t.Error("Older", before, after)
		}
		if c, d := Beside(1); c != 1 || d != 2 {
			t.Error("Beside", c, d)
		}
		if n := Lent(1) + Swapped(1); n != 2 {
			t.Error("Lent, Swapped", n)
		}
		if n := Sized(3); n != 1 {
			t.Error("Sized", n)
		}
	}
}
