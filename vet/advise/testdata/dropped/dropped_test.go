package corpus

import (
	"strings"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	text := strings.Repeat("abc\n\nd\n", 40)
	for range 3 {
		if n, last, empty := Both(text); n != 160 || last != 280 || empty {
			t.Error("Both", n, last, empty)
		}
		if n, last, empty := Both("abc"); n != 0 || last != 0 || !empty {
			t.Error("Both of nothing", n, last, empty)
		}
		if n := Lines(text); n != 120 {
			t.Error("Lines", n)
		}
		if n := Offsets(text); n != 280 {
			t.Error("Offsets", n)
		}
		if n, longest := Each([]string{"", "a\n\nbb\n", "abc\n", text}); n != 11123 || longest != "abc" {
			t.Error("Each", n, longest)
		}
		if !HasEven([]int{1, 5, 9}, 6) || HasEven([]int{1, 5, 9}, 7) {
			t.Error("HasEven")
		}
		if n := LastOdds([]int{4, 8, 6}); n != 3 {
			t.Error("LastOdds", n)
		}
		if n := Thirds([]int{2, 9, 12}); n != 23+9+18 {
			t.Error("Thirds", n)
		}
		if n := Fourths([]int{2, 9, 12}); n != 24 {
			t.Error("Fourths", n)
		}
		for _, c := range []struct {
			n, length int
			isNil     bool
		}{{0, 0, true}, {2, 1, false}, {4, 0, false}} {
			if n, isNil := List(c.n); n != c.length || isNil != c.isNil {
				t.Error("List", c.n, n, isNil)
			}
		}
		if n := Least([]int32{1, 4, 9, 16}); n != 12 {
			t.Error("Least", n)
		}
		if n := CountDifferences([]int32{1, 4, 9, 16}, 1); n != 3 {
			t.Error("CountDifferences", n)
		}
		if !panics(func() { CountDifferences(make([]int32, 3), 4) }) {
			t.Error("a negative capacity does not panic")
		}
		if n := Known(5); n != 0 {
			t.Error("Known", n)
		}
		for _, c := range []struct {
			limits []int
			sum    int
			fails  bool
		}{{[]int{0, 1, 3}, 4, false}, {[]int{3, 4, 100}, 4 + 4 + 4, false}, {[]int{5, 3}, 4, false}, {[]int{6, 7, 3}, 8, true}, {[]int{9}, 0, true}} {
			if sum, err := SumSquares(c.limits); sum != c.sum || (err != nil) != c.fails {
				t.Error("SumSquares", c.limits, sum, err)
			}
		}
		if n := Only(3); n != 17 {
			t.Error("Only", n)
		}
		if a, b, c := FirstCube([]int{1, 5}), Powers([]int{2, 3, 9}), Halves(2); a != 27 || b != 3 || c != 6 {
			t.Error("FirstCube, Powers, Halves", a, b, c)
		}
		if a, b := Rests([]int{2, 9}), Sevenths([]int{2, 15}); a != 2 || b != 9 {
			t.Error("Rests, Sevenths", a, b)
		}
		if keys := Records(3); keys != "acc" {
			t.Error("Records", keys)
		}
		if Keep(3); len(Last) != 2 || Last[1] != "x" {
			t.Error("Keep", Last)
		}
		if n := UseNamed(5) + len(Named(3)); n != 5 {
			t.Error("UseNamed", n)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}
