package corpus

import (
	"slices"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	list := []float64{3, 1, 2}
	numbers := All(3)
	limited, kept, extended := Limited(list, 2), Kept(list), Extended(list)
	text, err := Bytes("abc", false)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if m := Median(list); m != 2 {
			t.Error("Median", m)
		}
		if m := Least(list); m != 1 {
			t.Error("Least", m)
		}
		if n, err := Sum("ab", false); n != 'a'+'b' || err != nil {
			t.Error("Sum", n, err)
		}
		if _, err := Sum("ab", true); err != errFail {
			t.Error("Sum", err)
		}
		if b, err := Bytes("", false); b == nil || err != nil {
			t.Error("Bytes", b, err)
		}
		if b, err := Bytes("abc", true); b != nil || err == nil {
			t.Error("Bytes", b, err)
		}
		if a, b := Ranged(10, 20), Ranged(3, 20); a != 1+4*2+9*3+16*4 || b != -9 {
			t.Error("Ranged", a, b)
		}
		if Indexed(5, 3) != 9 || Cut(5, 3) != 25 || Switched(2) != "one" || Labeled(4) == 0 || Later(3) != 3 {
			t.Error("first", Indexed(5, 3), Cut(5, 3), Switched(2), Labeled(4), Later(3))
		}
		if n := First(7); n != 8 {
			t.Error("First", n)
		}
		if Limited([]float64{}, 1) == nil {
			t.Error("Limited is nil")
		}
	}
	if !slices.Equal(limited, []float64{2, 1, 2}) || !slices.Equal(kept[1], list) || !slices.Equal(extended, []float64{3, 1, 2, 1}) || string(text) != "abc" || !slices.Equal(numbers, []int{3, 0, 0}) {
		t.Error(limited, kept, extended, text, numbers)
	}
}
