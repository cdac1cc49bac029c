package corpus

import "testing"

// TestSameEarly has each function do what it did before the patch, where it has appended nothing yet.
func TestSameEarly(t *testing.T) {
	xs := make([]int, 600)
	for i := range xs {
		xs[i] = i
	}
	for range 3 {
		a, err := OrNothing(xs, 0)
		b, _ := OrNothing(xs, 1)
		c, _ := OrNothing(xs, 0)
		b = append(b, 7)
		if err != nil || len(a) != 1200 || len(b) != 1 || a[0] != 0 || c[0] != 0 {
			t.Error("OrNothing", len(a), b, c[0])
		}
		if b, _ := OrNothing(xs, 1); b != nil {
			t.Error("OrNothing is no nil")
		}
		if n, none := OwnedBy(xs); n != 600*599 || !none {
			t.Error("Owned", n, none)
		}
		if v, _ := OrAny(xs, 1); v.([]int) != nil {
			t.Error("OrAny")
		}
		if p := OfPage(xs, 1); p.Items != nil || OfPage(xs, 0).Total != 600 {
			t.Error("OfPage")
		}
		if w, n := Twin(xs); w != 7 || n != 600 {
			t.Error("Twin")
		}
		if w, n := TwinRead(xs); w != 7 || n != 1200 {
			t.Error("TwinRead")
		}
		n, m := Entries(xs)
		for i := range 3 {
			if m[i][0] != i || n != 600 {
				t.Error("Entries", m)
			}
		}
		if n, v := SetAgain(xs, 1); n != 600 || v != nil {
			t.Error("SetAgain")
		}
		if _, v := SetAgain(xs, 0); v != nil {
			t.Error("SetAgain of none")
		}
		if s, n := Marshaled(xs); s != "null" || n != 600 {
			t.Error("Marshaled", s)
		}
		Deferred(xs, func(v []int) {
			if v != nil {
				t.Error("Deferred")
			}
		})
		if n := Harmless(xs); n != 601 {
			t.Error("Harmless", n)
		}
	}
}
