//go:build go1.25

package engine

import (
	"runtime"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestTableGoes: when no class is busy any more, the table is hidden at the end of a window and dropped
// in the next round. A class that becomes busy in between gets the same table back.
func TestTableGoes(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	for _, back := range []bool{false, true} {
		for _, hidden := range []bool{false, true} {
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, Class{Size: 20, Local: Slots})
			e.at(1).extra = 0
			runtime.GOMAXPROCS(8)
			e.grow(7)
			runtime.GOMAXPROCS(1)
			e.Hide(hidden)
			putAll(t, e, 0, seq(1, 10)...)
			array := e.table.first.Load()
			seconds := 0.0
			round := func() { seconds += 10; e.reclaim(at(seconds)); audit(t, e) }
			for range 5 {
				round()
			}
			expect(t, "the array stays while a class is busy", e.table.first.Load() == array, true)
			e.at(0).extra = 0
			for e.entries.Load() > 0 {
				round()
			}
			expect(t, "the array stays until the next round", e.table.first.Load() == array, true)
			expect(t, "rows that the fast path sees", rows(e), 0)
			if back {
				e.at(1).extra = 1
				putAll(t, e, 1, 11)
				expect(t, "the array comes back", e.table.first.Load() == array, true)
				expect(t, "entries", e.entries.Load(), 8<<bits)
				expect(t, "rows that the fast path sees", rows(e), map[bool]int{false: 8, true: 0}[hidden])
				e.at(1).extra = 0
				for e.entries.Load() > 0 {
					round()
				}
			}
			round()
			expect(t, "there is an array", e.table.first.Load() != nil, false)
			e.at(0).extra = 1
			putAll(t, e, 0, 21)
			expect(t, "entries of a new table", e.entries.Load(), 1<<bits)
			e.Hide(false)
			expect(t, "rows that the fast path sees", rows(e), 1)
			expect(t, "item", getAll(e, 0)[0], 21)
			audit(t, e)
		}
	}
}
