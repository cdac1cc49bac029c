//go:build go1.25

package engine

import (
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestRetrieve: the wanted items go, wherever they are, and no other. Budgets and counts stay exact.
func TestRetrieve(t *testing.T) {
	for _, own := range []bool{false, true} {
		for _, local := range []uint{0, Slots} {
			for _, limbo := range []bool{false, true} {
				oneP(t)
				e := newEngine[int](1e6, Class{Size: 10, Local: local}, Class{Size: 10, Local: local})
				for i := range 20 {
					putAll(t, e, uint(i%2), 100+i)
				}
				if limbo {
					e.reclaim(at(1))
				}
				before := [2]ClassStats{e.Stats(0), e.Stats(1)}
				found := e.Retrieve(own, func(c uint, x int) bool { return c == 1 && x%3 == 0 })
				audit(t, e)
				want := 0
				for i := range 20 {
					if i%2 == 1 && (100+i)%3 == 0 {
						want++
					}
				}
				expect(t, "found", len(found), want)
				for _, r := range found {
					if r.Class != 1 || r.Item%3 != 0 {
						t.Errorf("found %v", r)
					}
				}
				for c := range uint(2) {
					n := uint64(0)
					if c == 1 {
						n = uint64(want)
					}
					s := e.Stats(c)
					expect(t, "idle", s.Idle, before[c].Idle-n)
					expect(t, "released", s.Released, before[c].Released+n)
					expect(t, "puts", s.Puts, before[c].Puts)
					if own {
						n = 0
					}
					expect(t, "strays", s.Strays, n)
				}
				for range 20 {
					for c := range uint(2) {
						if x, _, ok := e.Get(c, 1, OwnClass); ok && c == 1 && x%3 == 0 {
							t.Errorf("%d is still there", x)
						}
					}
				}
				e.Trim()
				audit(t, e)
				expect(t, "taken after Trim", e.idle.taken.Load(), 0)
			}
		}
	}
}

// TestRetrieveFromMagazines: the world stops only if a magazine may have a wanted item.
func TestRetrieveFromMagazines(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	putAll(t, e, 0, 1, 2, 3)
	if n := e.at(0).slots; n == 0 {
		t.Fatal("there are no magazines")
	}
	before := e.at(0).limbo
	expect(t, "found", len(e.Retrieve(false, func(_ uint, x int) bool { return x == 4 })), 0)
	expect(t, "in limbo", len(e.at(0).limbo), len(before))
	expect(t, "found", len(e.Retrieve(false, func(_ uint, x int) bool { return x == 2 })), 1)
	audit(t, e)
}

// TestRetrieveKeepsOwners: nobody gets somebody else's item while items are taken out.
func TestRetrieveKeepsOwners(t *testing.T) {
	oneOwner(t, func(e *Engine[int], i int) { e.Retrieve(i%2 == 0, func(_ uint, x int) bool { return x%5 == 0 }) })
}
