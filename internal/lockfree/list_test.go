//go:build go1.25

package lockfree

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestList compares lists with maps, while elements are added and replaced.
func TestList(t *testing.T) {
	const indexes = 20
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var l *List[int]
		want := make(map[uint]*int)
		for range 30 {
			before, had := l, maps.Clone(want)
			i := r.UintN(indexes)
			e := new(int)
			l = l.With(i, e)
			want[i] = e
			compare(t, l, want, indexes)
			compare(t, before, had, indexes) // it has not changed
		}
	}
}

func compare(t *testing.T, l *List[int], want map[uint]*int, indexes uint) {
	t.Helper()
	for i := range indexes + 2 {
		if l.At(i) != want[i] {
			t.Fatalf("At(%d) is %p, want %p", i, l.At(i), want[i])
		}
	}
	var order []uint
	for i, e := range l.Each {
		if e != want[i] {
			t.Fatalf("Each yields %p at %d, want %p", e, i, want[i])
		}
		order = append(order, i)
	}
	if keys := slices.Sorted(maps.Keys(want)); !slices.Equal(order, keys) {
		t.Fatalf("Each yields the indexes %d, want %d", order, keys)
	}
	for i := range l.Each { // it can be left early
		if i != order[0] {
			t.Fatalf("Each begins with %d, want %d", i, order[0])
		}
		break
	}
}
