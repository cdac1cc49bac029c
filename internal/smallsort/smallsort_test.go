//go:build go1.25

package smallsort

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort compares with the stable sort of package slices.
func TestSort(t *testing.T) {
	type element struct{ key, place int }
	for n := range 50 {
		var got []element
		for i := range n {
			got = append(got, element{rand.IntN(1 + n/3), i})
		}
		want := slices.Clone(got)
		slices.SortStableFunc(want, func(a, b element) int { return cmp.Compare(a.key, b.key) })
		if Sort(got, func(a, b *element) bool { return a.key < b.key }); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
