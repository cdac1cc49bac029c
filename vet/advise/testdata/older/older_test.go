package corpus

import "testing"

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for i := 0; i < 3; i++ {
		if n := Sum([]int{5, 1, 2, 7}); n != 12 {
			t.Error("Sum", n)
		}
		if n := Variables(5); n != 25 {
			t.Error("Variables", n)
		}
		if s := Local([]string{"abc", "", "d"}); s != "3abc corpus.pair;1d corpus.pair;3" {
			t.Error("Local", s)
		}
		if n := Twice([]int{1, 2}); n != 9 {
			t.Error("Twice", n)
		}
		if n := Upper("ab"); n != 'A'+'B' {
			t.Error("Upper", n)
		}
	}
}
