package corpus

import (
	"context"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for range 3 {
		if n := Parallel(1000); n != 3000 {
			t.Error("Parallel", n)
		}
		if n := Parallel(3); n != 9 {
			t.Error("Parallel", n)
		}
		if n := Called(700); n != 2100 {
			t.Error("Called", n)
		}
		if n, err := Grouped(500); n != 3000 || err != nil {
			t.Error("Grouped", n, err)
		}
		if n, err := Cancelled(t.Context(), 500); n != 1000 || err != nil {
			t.Error("Cancelled", n, err)
		}
		if n := Divided(1000); n != 3000 {
			t.Error("Divided", n)
		}
		if n := Split(1000); n != 2000 {
			t.Error("Split", n)
		}
		if n := Started(1000); n != 2000 {
			t.Error("Started", n)
		}
		if n := Workers(100); n != 200 {
			t.Error("Workers", n)
		}
		if n := InParts(1000, 3); n != 2000 {
			t.Error("InParts", n)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("InParts does not panic")
				}
			}()
			InParts(999, 5)
		}()
		if n := InPhases(1000, 3); n != 3000 {
			t.Error("InPhases", n)
		}
		if n := TwoByTwo(1000); n != 1000 {
			t.Error("TwoByTwo", n)
		}
		if n, err := Checked(1000); n != 1000 || err != nil {
			t.Error("Checked", n, err)
		}
		if _, err := Checked(0); err == nil {
			t.Error("Checked has no error")
		}
		if n := Filled(1000, 4); n != 1000 {
			t.Error("Filled", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Cancelled(ctx, 500); err == nil {
			t.Error("Cancelled has no error")
		}
	}
}
