package corpus

import "testing"

// TestSameEarly has each function do what it did before the patch, where a round has appended nothing yet.
func TestSameEarly(t *testing.T) {
	xs := make([]int, 600)
	for i := range xs {
		xs[i] = 5
	}
	rows, sum := RowsBefore(4, xs)
	for i, row := range rows {
		if len(row) != 1 || row[0] != i || sum != 2400 {
			t.Error("RowsBefore", rows)
		}
	}
	m, sum := Otherwise(6, xs)
	for i, row := range m {
		if len(row) != 1 || row[0] != i || sum != 1800 {
			t.Error("Otherwise", m)
		}
	}
	if sum := TwinBefore(4, xs); sum != 4*5+6*1000 {
		t.Error("TwinBefore", sum)
	}
	if v, sum := NothingLeft(6, xs); v != nil || sum != 1800 {
		t.Error("NothingLeft", v, sum)
	}
}
