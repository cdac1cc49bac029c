//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestTableGrows: magazines stay in place when Ps are added. When Ps are taken away, their items
// return to the other Ps.
func TestTableGrows(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, Class{Size: 20, Local: Slots})
	putAll(t, e, 0, seq(1, 10)...)
	putAll(t, e, 1, seq(11, 20)...)
	if !pin.Available {
		expect(t, "rows", rows(e), 0) // there are no rows
		return
	}
	expect(t, "rows", rows(e), 1)
	m0, m1 := magazine(e, 0, 0), magazine(e, 0, 1)

	runtime.GOMAXPROCS(4)
	// The table grows at the first use by a P without a row. With more busy goroutines than Ps,
	// some P other than the first runs one of them.
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
	e.grow(0) // with fewer Ps than rows, nothing happens
	expect(t, "rows", rows(e), 4)

	// The other Ps are gone. Their items move to the depot.
	for i := range 3 {
		e.reclaim(at(float64(i)))
		audit(t, e)
	}
	items := getAll(e, 0)
	slices.Sort(items)
	expect(t, "items", items, seq(1, 10))
	expect(t, "items", getAll(e, 1), seq(20, 11))
}

// TestAttachWithoutRow: the depot serves a P that has no row yet, because GOMAXPROCS was raised
// just now.
func TestAttachWithoutRow(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	e.at(0).mu.Lock()
	if m := e.attach(e.at(0), 0); m != nil { // the table is still empty
		t.Error("attach finds a magazine where there is no row")
		pin.Unpin()
	}
	e.at(0).mu.Unlock()
}

// TestRowsOfBusyPs: the table has no row before a class is busy, and then no more rows than Ps
// need.
func TestRowsOfBusyPs(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, Class{Size: 10, Local: Slots})
	for c := range uint(2) {
		e.at(c).extra = 0
		putAll(t, e, c, seq(1, 100)...)
		expect(t, "rows", rows(e), 0)
		expect(t, "items in the depot", len(depotItems(e, c)), 100)
	}
	e.at(1).extra = 1
	putAll(t, e, 0, 101)
	expect(t, "rows after a Put of the other class", rows(e), 0)
	putAll(t, e, 1, 101)
	expect(t, "rows of a busy class", rows(e), 1)
	audit(t, e)
	for _, tt := range []struct{ procs, p, rows int }{{1, 0, 1}, {8, 0, 1}, {8, 1, 2}, {8, 2, 4}, {6, 3, 4}, {6, 4, 6}, {8, 5, 6}, {8, 6, 8}, {4, 9, 10}} {
		runtime.GOMAXPROCS(tt.procs)
		e.grow(uint(tt.p))
		expect(t, fmt.Sprintf("rows for P %d of %d", tt.p, tt.procs), rows(e), tt.rows)
	}
	runtime.GOMAXPROCS(1)
	audit(t, e)
}
