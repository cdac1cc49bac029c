//go:build go1.25

package check

import (
	"sync"
	"testing"
)

// TestBudget: the limit is met exactly, with the reserve and without it.
func TestBudget(t *testing.T) {
	l := budget{limit: 1000}
	for _, tt := range []struct {
		n, reserved int64
		want        bool
	}{
		{1001, 0, false}, {901, 100, false}, {900, 100, true}, {1, 100, false}, {0, 101, false}, {0, 100, true},
		{101, 0, false}, {100, 0, true}, {1, 0, false}, {0, 0, true},
	} {
		if got := l.take(tt.n, tt.reserved); got != tt.want {
			t.Errorf("with %d bytes used, take(%d, %d) = %t", l.used.Load(), tt.n, tt.reserved, got)
		}
	}
	l.give(1)
	if !l.take(1, 0) || l.used.Load() != 1000 {
		t.Errorf("%d bytes are used", l.used.Load())
	}
	full := budget{limit: unlimited}
	if !full.take(unlimited-reservedForPuts, reservedForPuts) || full.take(1, reservedForPuts) {
		t.Error("without a limit, the sum overflows")
	}
}

// TestBudgetShared: users that take at once get no more than the limit together, and all of it.
func TestBudgetShared(t *testing.T) {
	l := budget{limit: 30_000}
	var took [4]int64
	var users sync.WaitGroup
	for i := range took {
		users.Go(func() {
			for l.take(7, 0) {
				took[i]++
			}
		})
	}
	users.Wait()
	if sum := took[0] + took[1] + took[2] + took[3]; sum != 30_000/7 || l.used.Load() != sum*7 {
		t.Errorf("%v were taken, %d bytes are used", took, l.used.Load())
	}
}
