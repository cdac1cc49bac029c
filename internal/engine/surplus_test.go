//go:build go1.25

package engine

import (
	"slices"
	"testing"
)

// TestSurplus makes items of several classes idle, and then uses some of each class in each window
// of ten seconds. Items that were never needed at the same time as the others are released.
func TestSurplus(t *testing.T) {
	// A use takes some items of each class at one time and puts them back.
	type use []int
	for _, tt := range []struct {
		name  string
		reach uint
		idle  use
		uses  []use // in each window
		want  use   // idle at the end
	}{
		{"all at one time", 2, use{2, 2, 2}, []use{{2, 2, 2}}, use{2, 2, 2}},
		{"one class after the other", 2, use{2, 2, 2}, []use{{2}, {0, 2}, {0, 0, 2}}, use{0, 0, 2}},
		{"each class by itself", 0, use{2, 2, 2}, []use{{2}, {0, 2}, {0, 0, 2}}, use{2, 2, 2}},
		{"two at one time", 2, use{2, 2, 2}, []use{{2}, {0, 2, 2}}, use{0, 2, 2}},
		{"frequent small, rare large", 2, use{3, 0, 3}, []use{{3}, {3}, {3}, {3}, {3}, {3}, {0, 0, 1}}, use{3, 0, 0}},
		{"nothing used", 2, use{2, 2, 2}, nil, use{0, 0, 0}},
		{"surplus smaller than any item", 2, use{0, 1, 1}, []use{{0, 1}, {0, 0, 1}}, use{0, 0, 1}},
		{"surplus smaller than the item that is left", 2, use{1, 0, 1}, []use{{1}, {0, 0, 1}}, use{0, 0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, fitting(3, 0, tt.reach)...) // depots only, of sizes 10, 20 and 30
			item := 0
			for c, n := range tt.idle {
				for range n {
					item++
					putAll(t, e, uint(c), item)
				}
			}
			e.reclaim(at(10))
			for second := 11; second <= 60; second++ {
				if second%10 == 5 {
					for _, u := range tt.uses {
						var held [3][]int
						for c, n := range u {
							for range n {
								if x, class, ok := e.Get(uint(c), 1, BestFit); ok {
									held[class] = append(held[class], x)
								}
							}
						}
						for c := range held {
							putAll(t, e, uint(c), held[c]...)
						}
					}
				}
				e.reclaim(at(float64(second)))
				audit(t, e)
			}
			var got use
			for c := range uint(3) {
				got = append(got, int(e.Stats(c).Idle))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v are idle, want %v", got, tt.want)
			}
		})
	}
}
