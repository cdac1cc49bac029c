package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestTableGrows: magazines stay where they are when Ps are added, and return to
// the others when Ps are taken away.
func TestTableGrows(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, Class{Size: 20, Local: Slots})
	putAll(t, e, 0, seq(1, 10)...)
	putAll(t, e, 1, seq(11, 20)...)
	if !pin.Available {
		expect(t, "rows", rows(e), 0) // nor is there one for any P
		return
	}
	expect(t, "rows", rows(e), 1)
	m0, m1 := magazine(e, 0, 0), magazine(e, 0, 1)

	runtime.GOMAXPROCS(4)
	// The table grows when a P without a row comes along. With more goroutines that
	// never rest than Ps, some P other than the first runs one of them.
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for rows(e) < 4 {
				x, ok := get(e, 0)
				if ok {
					put(e, 0, x)
				}
			}
		})
	}
	users.Wait()
	runtime.GOMAXPROCS(1)
	expect(t, "rows", rows(e), 4)
	audit(t, e)
	if magazine(e, 0, 0) != m0 || magazine(e, 0, 1) != m1 {
		t.Error("a magazine is lost")
	}
	for p := range uint(4) {
		for c := uint(2); c < 1<<bits; c++ {
			expect(t, "entry of no class", magazine(e, p, c), e.empty)
		}
	}
	e.grow(0) // with fewer Ps than rows: nothing to do
	expect(t, "rows", rows(e), 4)

	// The other Ps are gone. What they had comes to the depot.
	for i := range 3 {
		e.reclaim(at(float64(i)))
		audit(t, e)
	}
	items := getAll(e, 0)
	slices.Sort(items)
	expect(t, "items", items, seq(1, 10))
	expect(t, "items", getAll(e, 1), seq(20, 11))
}

// TestAttachWithoutRow: a P whose row is missing, because GOMAXPROCS has been
// raised at this moment, is served by the depot.
func TestAttachWithoutRow(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	e.depots[0].Load().mu.Lock()
	if m := e.attach(e.depots[0].Load(), 0); m != nil { // the table is still empty
		t.Error("attach finds a magazine where there is no row")
		pin.Unpin()
	}
	e.depots[0].Load().mu.Unlock()
}

// TestRowsAreEarned: the table has no row for a P before the engine has been used enough for all
// the rows up to it.
func TestRowsAreEarned(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	e.earned.Store(0)
	for i := range opsPerRow - 1 {
		putAll(t, e, 0, i)
		expect(t, "rows", rows(e), 0)
	}
	expect(t, "items in the depot", len(depotItems(e, 0)), opsPerRow-1)
	putAll(t, e, 0, 100)
	expect(t, "rows after one more", rows(e), 1)
	audit(t, e)
	for _, tt := range []struct{ procs, p, rows int }{{1, 0, 1}, {8, 0, 1}, {8, 1, 2}, {8, 2, 4}, {6, 3, 4}, {6, 4, 6}, {8, 5, 6}, {8, 6, 8}, {4, 9, 10}} {
		runtime.GOMAXPROCS(tt.procs)
		e.grow(uint(tt.p))
		expect(t, fmt.Sprintf("rows for P %d of %d", tt.p, tt.procs), rows(e), tt.rows)
	}
	runtime.GOMAXPROCS(1)
	audit(t, e)
}
