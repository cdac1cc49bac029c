//go:build go1.25

package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

func TestLastInFirstOut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		local uint
	}{{"depot alone", 0}, {"magazine of one", 1}, {"magazine of five", 5}, {"full magazine", Slots}} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: tt.local})
			for _, n := range []int{1, 2, 3, Slots - 1, Slots, Slots + 1, 43, 100, 1000} {
				putAll(t, e, 0, seq(1, n)...)
				audit(t, e)
				expect(t, fmt.Sprintf("%d items in order", n), stack(e, 0), seq(1, n))
				expect(t, fmt.Sprintf("%d items come back", n), getAll(e, 0), seq(n, 1))
				audit(t, e)
			}
			s := e.Stats(0)
			expect(t, "stats", s, ClassStats{Hits: 1230, Misses: 9, Puts: 1230, Asked: 12390})
		})
	}
}

// TestGetBringsABatch: with an item for the caller, Get takes a batch of the newest items for later
// Gets.
func TestGetBringsABatch(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: 8})
	putAll(t, e, 0, seq(1, 100)...)
	for magazine(e, 0, 0).Len() > 0 {
		get(e, 0)
	}
	left := depotItems(e, 0)
	n := len(left)
	if x, _ := get(e, 0); x != n {
		t.Errorf("got %d, want %d", x, n)
	}
	m := magazine(e, 0, 0)
	expect(t, "batch", m.items(), seq(n-4, n-1))
	expect(t, "depot", depotItems(e, 0), seq(1, n-5))
	audit(t, e)
}

// TestDepotGivesUpRoom: the array of a depot shrinks with the number of items.
func TestDepotGivesUpRoom(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, onlyDepot)
	putAll(t, e, 0, seq(1, 10000)...)
	d := e.at(0)
	e.release(d, 9990)
	expect(t, "items", depotItems(e, 0), seq(9991, 10000))
	if cap(d.items) > 1000 {
		t.Errorf("10 items are in an array for %d", cap(d.items))
	}
	audit(t, e)
	e.release(d, 1e6) // more than the depot has
	expect(t, "items", len(d.items), 0)
	audit(t, e)
}

// TestDepotsOnDemand: only used classes have a depot.
func TestDepotsOnDemand(t *testing.T) {
	oneP(t)
	e := new(Engine[int])
	e.Init(new(Table[int]), 1e6, nil, Config[int]{
		Classes:  func() []Class { return []Class{{Size: 10, Local: 1}, {Size: 20, Local: 2}, {Size: 30, Local: 3}} },
		Bits:     bits,
		IdleTime: time.Hour,
	})
	depots := func() (sizes []int64) {
		for _, d := range e.made() {
			sizes = append(sizes, d.Size)
		}
		return sizes
	}
	e.Put(2, 1)
	expect(t, "depots", depots(), []int64{30})
	expect(t, "stats of a class without one", e.Stats(1), ClassStats{})
	e.Get(0, 1, OwnClass)
	expect(t, "depots", depots(), []int64{10, 30})
	var all []uint
	e.AllStats(func(c uint, s ClassStats) { all = append(all, c) })
	expect(t, "classes in AllStats", all, []uint{0, 2})
	audit(t, e)
}
