//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// fitting returns n classes of sizes 10, 20, 30, ... An item of a class may serve requests of up to
// reach classes before it. A magazine has at most local slots.
func fitting(n int, local, reach uint) (classes []Class) {
	for c := range uint(n) {
		classes = append(classes, Class{Size: int64(c+1) * 10, Local: local, Fit: min(c+reach, uint(n)-1)})
	}
	return classes
}

// TestBestFit: Get takes the right item for a request of class 1, with items of classes 2 to 5 in
// different places. Class 4 is the last that may serve it.
func TestBestFit(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	const otherP = 1
	type where int
	const (
		none where = iota
		own        // this P's magazine
		limbo
		depot
		others      // another P's magazine
		othersLimbo // the same in limbo
	)
	for _, tt := range []struct {
		name string
		at   [6]where // by class
		want uint     // the item's class, or 1 for a miss
	}{
		{"nothing", [6]where{}, 1},
		{"own class, magazine", [6]where{1: own, 2: own}, 1},
		{"own class, depot", [6]where{1: depot, 2: own}, 1},
		{"own class, limbo", [6]where{1: limbo, 2: own}, 1},
		{"smaller", [6]where{0: depot}, 1},
		{"magazine", [6]where{2: own}, 2},
		{"depot", [6]where{2: depot}, 2},
		{"limbo", [6]where{2: limbo}, 2},
		{"the smallest in magazines", [6]where{3: own, 4: own}, 3},
		{"the smallest in depots", [6]where{3: depot, 4: depot}, 3},
		{"magazine before depot", [6]where{2: depot, 3: own}, 3},
		{"the largest that may, magazine", [6]where{4: own}, 4},
		{"the largest that may, depot", [6]where{4: depot}, 4},
		{"too large, magazine", [6]where{5: own}, 1},
		{"too large, depot", [6]where{5: depot}, 1},
		{"too large, limbo", [6]where{5: limbo}, 1},
		{"another P's", [6]where{2: others, 3: others}, 1},
		{"another P's in limbo", [6]where{2: othersLimbo}, 1},
		{"past another P's", [6]where{2: others, 3: othersLimbo, 4: depot}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, fitting(6, Slots, 3)...)
			runtime.GOMAXPROCS(4)
			e.grow(otherP)
			runtime.GOMAXPROCS(1)
			had := 0
			for c, at := range tt.at {
				if at == none {
					continue
				}
				had++
				putAll(t, e, uint(c), 100+c)
				d, m := e.at(uint(c)), magazine(e, 0, uint(c))
				mine, its := e.table.Entry(uint(c)), e.table.Entry(otherP<<bits|uint(c))
				switch at {
				case limbo, depot, othersLimbo:
					mine.Store(e.empty)
					d.limbo = append(d.limbo, retired[int]{Magazine: m, entry: uint(c), since: e.last})
					if at == othersLimbo {
						d.limbo[0].entry = otherP<<bits | uint(c)
					}
					d.restock()
					if at == depot {
						e.settle(d, func(retired[int]) bool { return true }, e.last)
					}
				case others:
					mine.Store(e.empty)
					its.Store(m)
				}
			}
			audit(t, e)
			x, c, ok := e.Get(1, 7, BestFit)
			hit := tt.want != 1 || tt.at[1] != none
			if c != tt.want || ok != hit || ok && x != int(100+c) {
				t.Errorf("item %d of class %d, %t; want class %d, %t", x, c, ok, tt.want, hit)
			}
			audit(t, e)
			left := 0
			for c := range uint(6) {
				s, want := e.Stats(c), ClassStats{}
				left += int(s.Idle)
				if tt.at[c] != none {
					want = ClassStats{Puts: 1, Idle: 1}
				}
				if c == tt.want {
					want.Asked = 7
					if want.Idle = 0; hit {
						want.Hits = 1
					} else {
						want.Misses = 1
					}
				}
				expect(t, fmt.Sprintf("stats of class %d", c), s, want)
			}
			if ok {
				had--
				putAll(t, e, c, x)
				if again, ok := get(e, c); !ok || again != x {
					t.Errorf("then Get of class %d is item %d, %t", c, again, ok)
				}
			}
			expect(t, "items left", left, had)
			audit(t, e)
		})
	}
}

// TestGetIsOfItsClass: Get takes no larger item.
func TestGetIsOfItsClass(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, fitting(3, Slots, 3)...)
	putAll(t, e, 1, 1)
	putAll(t, e, 2, 2)
	if x, _, ok := e.Get(0, 1, OwnClass); ok {
		t.Errorf("Get of class 0 is item %d", x)
	}
	audit(t, e)
}

// TestBorrows: a class that larger items often serve gets its own items in time.
func TestBorrows(t *testing.T) {
	oneP(t)
	for _, tt := range []struct {
		size  int64
		times int // requests served by larger items before the class gets its own, give or take a sample
	}{
		{10, 16},
		{1024, 16},
		{6400, 100},
	} {
		e := newEngine[int](1e9, Class{Size: tt.size, Local: Slots, Fit: 1}, Class{Size: 2 * tt.size, Local: Slots, Fit: 1})
		putAll(t, e, 1, 7)
		for range 3 {
			served := 0
			for x, c, ok := e.Get(0, 1, BestFit); ok && served < 1000; x, c, ok = e.Get(0, 1, BestFit) {
				putAll(t, e, c, x)
				served++
			}
			if served <= tt.times-borrowSample || served > tt.times+borrowSample {
				t.Errorf("of %d bytes: larger items served %d requests, want about %d", tt.size, served, tt.times)
			}
		}
		putAll(t, e, 0, 8)
		if x, c, ok := e.Get(0, 1, BestFit); x != 8 || c != 0 || !ok {
			t.Errorf("of %d bytes: item %d of class %d, %t, though its class has one", tt.size, x, c, ok)
		}
		audit(t, e)
	}
}

// TestBorrowsNothingNeedless: an item of a larger class does not serve while the depot of the class has one.
func TestBorrowsNothingNeedless(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e9, Class{Size: 10, Fit: 1}, Class{Size: 20, Local: Slots, Fit: 1})
	for range 3 * borrowSample { // whichever Get takes the lock
		putAll(t, e, 0, 1)
		putAll(t, e, 1, 2)
		if x, c, ok := e.Get(0, 1, BestFit); x != 1 || c != 0 || !ok {
			t.Fatalf("item %d of class %d, %t", x, c, ok)
		}
		if x, c, ok := e.Get(0, 1, BestFit); ok && (x != 2 || c != 1) {
			t.Fatalf("then item %d of class %d", x, c)
		} else if !ok { // the class gets its own
			get(e, 1)
		}
	}
	audit(t, e)
}

// TestReplaces: a miss that makes a large item releases one idle item that this item can replace:
// the largest of those that are at least half as large.
func TestReplaces(t *testing.T) {
	oneP(t)
	const mib = 1 << 20
	classes := []Class{{mib / 2, 0, 2}, {mib, 0, 3}, {mib * 3 / 2, 0, 4}, {mib * 2, 0, 5}, {mib * 3, 0, 6}, {mib * 4, 0, 6}, {mib * 6, 0, 6}}
	for _, tt := range []struct {
		name  string
		idle  []uint // classes
		asked uint   // class
		fit   bool   // the larger items may serve the request
		left  []int  // idle after the request, by class
	}{
		{"half as large", []uint{3}, 5, true, []int{0, 0, 0, 0, 0, 0, 0}},
		{"the largest, once", []uint{3, 4, 4}, 5, true, []int{0, 0, 0, 1, 1, 0, 0}},
		{"less than half as large", []uint{2}, 5, true, []int{0, 0, 1, 0, 0, 0, 0}},
		{"the largest class", []uint{5}, 6, true, []int{0, 0, 0, 0, 0, 0, 0}},
		{"no large item", []uint{0}, 1, true, []int{1, 0, 0, 0, 0, 0, 0}},
		{"hardly large", []uint{1}, 2, true, []int{0, 0, 0, 0, 0, 0, 0}},
		{"a larger one serves", []uint{3, 6}, 5, true, []int{0, 0, 0, 1, 0, 0, 0}},
		{"not served by larger ones", []uint{3}, 5, false, []int{0, 0, 0, 1, 0, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEngine[int](1e9, classes...)
			for i, c := range tt.idle {
				putAll(t, e, c, i)
			}
			if tt.fit {
				e.Get(tt.asked, 1, BestFit)
			} else {
				e.Get(tt.asked, 1, OwnClass)
			}
			var left []int
			for c := range classes {
				left = append(left, int(e.Stats(uint(c)).Idle))
			}
			expect(t, "idle", left, tt.left)
			audit(t, e)
		})
	}

	// A miss that only gives a class its own item, while larger ones are idle, replaces nothing.
	e := newEngine[int](1e9, classes...)
	putAll(t, e, 3, 1)
	putAll(t, e, 6, 2)
	for {
		x, c, ok := e.Get(5, 1, BestFit)
		if !ok {
			break
		}
		putAll(t, e, c, x)
	}
	expect(t, "idle after the miss", e.Stats(3).Idle, 1)
}

// TestBestFitHidden: best fit works while magazines are hidden.
func TestBestFitHidden(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, fitting(3, Slots, 3)...)
	putAll(t, e, 2, 2)
	e.Hide(true)
	if x, c, ok := e.Get(0, 1, BestFit); x != 2 || c != 2 || !ok {
		t.Errorf("item %d of class %d, %t", x, c, ok)
	}
	e.Hide(false) // for audit
	audit(t, e)
}

// TestBestFitCounts: a request served by a larger item is charged for that item.
func TestBestFitCounts(t *testing.T) {
	oneP(t)
	e := newEngine[int](60, fitting(3, 0, 3)...) // depots only
	putAll(t, e, 2, 1, 2)
	if v := put(e, 0, 3); v != Full {
		t.Fatalf("verdict %d", v)
	}
	if _, c, ok := e.Get(0, 1, BestFit); c != 2 || !ok {
		t.Fatalf("class %d, %t", c, ok)
	}
	expect(t, "taken", e.idle.taken.Load(), 30)
	putAll(t, e, 0, 3, 4, 5)
	expect(t, "taken", e.idle.taken.Load(), 60)
	audit(t, e)
}

// TestAnyClass: Get finds items of all classes: first in the nearest larger class, then in the
// nearest smaller one. A miss counts once.
func TestAnyClass(t *testing.T) {
	for _, local := range []uint{0, Slots} {
		t.Run(fmt.Sprintf("%d slots", local), func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, fitting(6, local, 5)...)
			for c := range uint(6) {
				putAll(t, e, c, 100+int(c))
			}
			for _, want := range []int{103, 104, 105, 102, 101, 100} {
				if x, _, ok := e.Get(3, 7, AnyClass); !ok || x != want {
					t.Errorf("item %d, %t; want %d", x, ok, want)
				}
				audit(t, e)
			}
			if x, _, ok := e.Get(3, 7, AnyClass); ok {
				t.Errorf("item %d of an empty engine", x)
			}
			audit(t, e)
			for c := range uint(6) {
				want := ClassStats{Hits: 1, Puts: 1, Asked: 7}
				if c == 3 {
					want.Misses, want.Asked = 1, 14
				}
				expect(t, fmt.Sprintf("stats of class %d", c), e.Stats(c), want)
			}
		})
	}
}

// TestAnyClassHidden: Get finds items of all classes while magazines are hidden.
func TestAnyClassHidden(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, fitting(3, Slots, 3)...)
	putAll(t, e, 0, 5)
	e.Hide(true)
	if x, _, ok := e.Get(2, 1, AnyClass); x != 5 || !ok {
		t.Errorf("item %d, %t", x, ok)
	}
	e.Hide(false) // for audit
	audit(t, e)
}
