//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/pin"
)

func TestMagazineIsWholeCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("a magazine is made to measure for 64-bit machines")
	}
	if size := unsafe.Sizeof(Magazine[*byte]{}); size != 256 {
		t.Errorf("a magazine of pointers has %d bytes, want 256", size)
	}
}

func TestMagazine(t *testing.T) {
	m := &Magazine[int]{limit: Slots}
	for i := range Slots {
		if n := m.Len(); n != uint(i) || !m.Room(n) {
			t.Fatalf("with %d items: Len() = %d, Room is %v", i, n, m.Room(n))
		}
		m.Push(uint(i), i+1)
	}
	if m.Room(Slots) {
		t.Error("a full magazine has room")
	}
	m.shift(Slots / 2)
	expect(t, "items after shift", m.items(), seq(Slots/2+1, Slots))
	expect(t, "slots after them are clear", zero(m.slots[1+m.Len():]), true)
	for i := Slots; i > Slots/2; i-- {
		expect(t, "Top", m.Top(m.Len()), i)
		if x := m.Pop(m.Len()-1, i); x != i {
			t.Errorf("Pop is %d, want %d", x, i)
		}
	}
	expect(t, "Len", m.Len(), 0)
	expect(t, "Top of nothing", m.Top(0), 0)
	expect(t, "all slots are clear", zero(m.slots[:]), true)
	m.fill([]int{1, 2, 3})
	expect(t, "items after fill", m.items(), []int{1, 2, 3})
	state := m.state.peek()
	expect(t, "lenOf", lenOf(state), 3)
	expect(t, "popsOf", popsOf(state), Slots-Slots/2)
	asked := uint64(0)
	for i := Slots; i > Slots/2; i-- {
		asked += uint64(i)
	}
	expect(t, "asked", m.asked.peek(), asked)
}

// TestMagazinesWiden: a magazine that is too small doubles, within the limits of its class and of
// the budgets.
func TestMagazinesWiden(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name    string
		maxIdle int64
		class   Class
		limits  []uint
	}{
		{"to all slots", 1e6, Class{Size: 10, Local: Slots}, []uint{1, 2, 4, 8, 16, Slots}},
		{"to the class's", 1e6, Class{Size: 10, Local: 5}, []uint{1, 2, 4, 5}},
		{"one", 1e6, Class{Size: 10, Local: 1}, []uint{1}},
		{"none", 1e6, Class{Size: 10, Local: 0}, nil},
		{"half of MaxIdle", 120, Class{Size: 10, Local: Slots}, []uint{1, 2, 4}}, // six would be half, but eight are next
		{"exactly half of MaxIdle", 160, Class{Size: 10, Local: Slots}, []uint{1, 2, 4, 8}},
		{"more than half of MaxIdle", 19, Class{Size: 10, Local: Slots}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](tt.maxIdle, tt.class)
			var limits []uint
			for i := range 100 {
				put(e, 0, i)
				audit(t, e)
				limit := uint(0)
				if m := magazine(e, 0, 0); m != nil {
					limit = m.limit
				}
				if limit > 0 && (len(limits) == 0 || limits[len(limits)-1] != limit) {
					limits = append(limits, limit)
				}
			}
			expect(t, "limits", limits, tt.limits)
			if t.Failed() {
				return
			}
			// Gets widen, too: fill a depot and get from it with a new magazine.
			e.reclaim(at(1))
			e.reclaim(at(2))
			e.reclaim(at(3))
			expect(t, "magazine is gone", magazine(e, 0, 0), e.empty)
			audit(t, e)
			for range 60 {
				get(e, 0)
				audit(t, e)
			}
		})
	}
}

// TestFullMagazineAtMaxIdle: if the older half cannot move to the depot, Put drops the new item and
// changes nothing else.
func TestFullMagazineAtMaxIdle(t *testing.T) {
	oneP(t)
	e := newEngine[int](400, Class{Size: 10, Local: Slots})
	n := 0
	for put(e, 0, n) == Kept {
		n++
		audit(t, e)
	}
	before := stack(e, 0)
	if len(before) < 25 { // up to half of MaxIdle may pay for empty slots
		t.Errorf("only %d of 40 items are kept", len(before))
	}
	expect(t, "verdict", put(e, 0, 1000), Full)
	expect(t, "items", stack(e, 0), before)
	expect(t, "stats", e.Stats(0), ClassStats{Puts: uint64(n) + 2, Full: 2, Idle: uint64(n)})
	audit(t, e)
}

// TestBusyAndQuietMagazines: only magazines that their P has not used for a cycle move to limbo,
// and only after another cycle do their items move to the depot.
func TestBusyAndQuietMagazines(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, Class{Size: 10, Local: Slots})
	const busy, quiet = 0, 1
	putAll(t, e, busy, seq(1, 5)...)
	putAll(t, e, quiet, seq(11, 15)...)
	b, q := magazine(e, 0, busy), magazine(e, 0, quiet)
	for i, want := range []struct {
		q     *Magazine[int] // in the table
		limbo int
		depot []int
	}{
		{q, 0, nil}, // used since the engine started
		{e.empty, 1, nil},
		{e.empty, 0, seq(11, 15)},
		{e.empty, 0, seq(11, 15)},
	} {
		e.reclaim(at(float64(i + 1)))
		audit(t, e)
		expect(t, "stack of the quiet class", stack(e, quiet), seq(11, 15))
		if magazine(e, 0, quiet) != want.q || len(e.at(quiet).limbo) != want.limbo || fmt.Sprint(depotItems(e, quiet)) != fmt.Sprint(want.depot) {
			t.Errorf("cycle %d: the quiet magazine is in the table: %v, in limbo: %d, in the depot: %v; want %v, %d, %v", i+1,
				magazine(e, 0, quiet) == q, len(e.at(quiet).limbo), depotItems(e, quiet), want.q == q, want.limbo, want.depot)
		}
		if magazine(e, 0, busy) != b || b.Len() != 5 {
			t.Errorf("cycle %d: the busy magazine is gone", i+1)
		}
		x, _ := get(e, busy)
		putAll(t, e, busy, x)
	}
	expect(t, "the quiet class's items", getAll(e, quiet), seq(15, 11))
	expect(t, "stats of the quiet class", e.Stats(quiet), ClassStats{Hits: 5, Misses: 1, Puts: 5, Asked: 60})
	expect(t, "stats of the busy class", e.Stats(busy), ClassStats{Hits: 4, Puts: 9, Asked: 40, Idle: 5})
}

// TestUseOfAnyKindIsUse: no kind of traffic makes a magazine look quiet.
func TestUseOfAnyKindIsUse(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name string
		use  func(e *Engine[int], i int)
	}{
		{"get", func(e *Engine[int], i int) { get(e, 0) }},
		{"put", func(e *Engine[int], i int) { putAll(t, e, 0, 100+i) }},
		{"get and put", func(e *Engine[int], i int) { x, _ := get(e, 0); putAll(t, e, 0, x) }},
		{"put and get", func(e *Engine[int], i int) { putAll(t, e, 0, 100+i); get(e, 0) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
			putAll(t, e, 0, seq(1, 10)...)
			m := magazine(e, 0, 0)
			for i := range 8 {
				e.reclaim(at(float64(i+1) / 2))
				if magazine(e, 0, 0) != m {
					t.Fatalf("cycle %d: a magazine in use is retired", i)
				}
				tt.use(e, i)
			}
		})
	}
}

// TestMagazineReturns: a P that comes back in time finds its magazine unchanged.
func TestMagazineReturns(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name  string
		use   func(e *Engine[int])
		stack []int
	}{
		{"to get", func(e *Engine[int]) {
			if x, ok := get(e, 0); !ok || x != 6 {
				t.Errorf("got %d, %v, want 6", x, ok)
			}
		}, seq(1, 5)},
		{"to put", func(e *Engine[int]) { putAll(t, e, 0, 7) }, seq(1, 7)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
			putAll(t, e, 0, seq(1, 6)...)
			m := magazine(e, 0, 0)
			limit := m.limit
			e.reclaim(at(1))
			e.reclaim(at(2))
			expect(t, "in limbo", len(e.at(0).limbo), 1)
			tt.use(e)
			audit(t, e)
			if magazine(e, 0, 0) != m || m.limit != limit || len(e.at(0).limbo) != 0 {
				t.Error("the magazine is not back as it was")
			}
			expect(t, "items", stack(e, 0), tt.stack)
			expect(t, "items in the depot", len(depotItems(e, 0)), 0)
			e.reclaim(at(3)) // must not settle the magazine now
			audit(t, e)
			expect(t, "items", stack(e, 0), tt.stack)
			if magazine(e, 0, 0) != m {
				t.Error("a magazine that came back is taken for quiet")
			}
		})
	}
}

// TestMagazineOfAnotherP: a P gets no items that another P may still be using, and all of them once
// that is impossible.
func TestMagazineOfAnotherP(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	putAll(t, e, 0, seq(1, 5)...)
	runtime.GOMAXPROCS(4)
	e.grow(3)
	runtime.GOMAXPROCS(1)
	m := magazine(e, 0, 0)
	e.table.Entry(0).Store(e.empty) // as if P 3 had put the items
	e.table.Entry(3 << bits).Store(m)
	miss := func(when string) {
		t.Helper()
		if x, ok := get(e, 0); ok {
			t.Errorf("%s, P 0 got item %d of P 3", when, x)
		}
		audit(t, e)
	}
	miss("while they are in the table")
	e.reclaim(at(1))
	miss("after a cycle")
	e.reclaim(at(2))
	expect(t, "P 3's magazine is retired", magazine(e, 3, 0), e.empty)
	miss("while they are in limbo")
	if r := e.at(0).inLimbo(3 << bits); r == nil || r.Magazine != m {
		t.Error("P 3's magazine is not in limbo")
	}
	e.reclaim(at(3))
	audit(t, e)
	expect(t, "items that P 0 gets when they are in the depot", getAll(e, 0), seq(5, 1))
	expect(t, "stats", e.Stats(0), ClassStats{Hits: 5, Misses: 4, Puts: 5, Asked: 90})
}

// TestPinnedSectionGoesOn: a section that loaded a magazine before it was retired may go on using
// it, and its operations count.
func TestPinnedSectionGoesOn(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name string
		end  func(e *Engine[int])
	}{
		{"settled", func(e *Engine[int]) { e.reclaim(at(3)) }},
		{"returned", func(e *Engine[int]) { putAll(t, e, 0, 8); get(e, 0) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
			putAll(t, e, 0, seq(1, 5)...)
			m := magazine(e, 0, 0)
			e.reclaim(at(1))
			e.reclaim(at(2))
			// One section pushes two items, and another pops one.
			m.Push(m.Len(), 6)
			m.Push(m.Len(), 7)
			expect(t, "popped", m.Pop(m.Len()-1, 10), 7)
			s := e.Stats(0)
			expect(t, "stats in limbo", s, ClassStats{Hits: 1, Puts: 7, Asked: 10, Idle: 6})
			tt.end(e)
			audit(t, e)
			expect(t, "items", stack(e, 0), seq(1, 6))
		})
	}
}

// TestHalving: at the end of a window, all magazines are retired. Those in use come back without
// the older half of their items.
func TestHalving(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name            string
		n               int
		busy            bool // used since the last cycle
		depot, magazine int  // items before the get that brings it back
	}{
		{"busy", 6, true, 3, 3},
		{"busy, odd", 7, true, 3, 4},
		{"busy, two", 2, true, 1, 1},
		{"busy, one", 1, true, 0, 1},
		{"busy, full", Slots, true, Slots / 2, Slots - Slots/2},
		{"quiet", 6, false, 0, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
			putAll(t, e, 0, seq(1, tt.n)...)
			m := magazine(e, 0, 0)
			e.reclaim(at(9))
			if tt.busy {
				x, _ := get(e, 0)
				putAll(t, e, 0, x)
			}
			limit := m.limit
			e.reclaim(at(10))
			expect(t, "in the table", magazine(e, 0, 0), e.empty)
			expect(t, "in the depot", len(depotItems(e, 0)), 0) // not before the P has shown that it is not using the magazine
			if x, _ := get(e, 0); x != tt.n {
				t.Errorf("got %d, want %d", x, tt.n)
			}
			audit(t, e)
			expect(t, "in the table again", magazine(e, 0, 0), m)
			expect(t, "in the depot", fmt.Sprint(depotItems(e, 0)), fmt.Sprint(seq(1, tt.n)[:tt.depot]))
			expect(t, "in the magazine", int(m.Len()), tt.magazine-1)
			expect(t, "limit", m.limit, limit-uint(tt.depot))
			expect(t, "all", fmt.Sprint(stack(e, 0)), fmt.Sprint(seq(1, tt.n)[:tt.n-1]))
		})
	}
}

// TestBottomOfBusyMagazine: items that a P never reaches are released in the end, however busy the
// top of its magazine is.
func TestBottomOfBusyMagazine(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	putAll(t, e, 0, seq(1, 200)...)
	for s := 0.0; s < 120; s++ {
		x, ok := get(e, 0)
		if !ok || x != 200 {
			t.Fatalf("after %v s: got %d, want 200", s, x)
		}
		putAll(t, e, 0, x)
		e.reclaim(at(s))
		audit(t, e)
	}
	if left := stack(e, 0); len(left) > 2 {
		t.Errorf("one item is in use, but %v stay", left)
	}
}

// TestQuietMagazinesGo: items in a quiet magazine are released like items in a depot.
func TestQuietMagazinesGo(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	putAll(t, e, 0, seq(1, 200)...)
	gone := 0.0
	for s := 1.0; len(stack(e, 0)) > 0 && s < 100; s++ {
		e.reclaim(at(s))
		audit(t, e)
		gone = s
	}
	if gone < idleTime.Seconds()/2 || gone > idleTime.Seconds() {
		t.Errorf("the last item went after %v s, of an IdleTime of %v", gone, idleTime)
	}
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 200, Released: 200})
}

// TestQuietMagazineGoesAtOnce: items of a magazine that was unused for two windows are released when
// it is settled, without another window.
func TestQuietMagazineGoesAtOnce(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name   string
		rounds []float64
		left   uint64
	}{
		{"used since the first round", []float64{120}, 5},
		{"in limbo", []float64{120, 139.9}, 5},
		{"settled in time", []float64{120, 125, 130}, 5},
		{"settled after two windows", []float64{120, 140}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
			putAll(t, e, 0, seq(1, 5)...)
			for _, s := range tt.rounds {
				e.reclaim(at(s))
				audit(t, e)
			}
			s := e.Stats(0)
			expect(t, "idle", s.Idle, tt.left)
			expect(t, "released", s.Released, 5-tt.left)
		})
	}
}
