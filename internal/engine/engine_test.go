package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
)

// Engines in these tests are at rest but for the test itself: there is one P, so
// that the test knows which magazine it uses, and nobody but the test calls
// reclaim, with a time of its own.

const bits = 3 // up to seven classes

// idleTime gives windows of ten seconds.
const idleTime = 20 * time.Second

// at returns the time the given number of seconds after the engine began.
func at(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

// oneP leaves the test a single P, and so a single magazine for each class.
func oneP(t testing.TB) {
	procs := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
}

// equal is the Same of all items in these tests.
func equal[T comparable](a, b T) bool { return a == b }

// newEngine returns an engine that has not asked to be called at each garbage
// collection, whose clock shows the time of the last reclaim, and in which all Ps have
// earned a row of the table.
func newEngine[T comparable](maxIdle int64, classes ...Class) *Engine[T] {
	e := new(Engine[T])
	e.Init(new(Table[T]), Config[T]{
		Classes:  func() []Class { return classes },
		Bits:     bits,
		MaxIdle:  maxIdle,
		IdleTime: idleTime,
		Same:     equal[T],
	})
	e.start.Do(func() {
		e.depots = make([]sched.Pointer[depot[T]], len(classes))
		e.fungible = fungible(classes)
		e.clock = func() time.Duration { return e.last }
		e.used.Store(true)
	})
	e.earned.Store(1 << 20)
	for c := range classes {
		e.depot(uint(c))
	}
	return e
}

// get is how pools get: the fast path first.
func get[T any](e *Engine[T], c uint) (x T, ok bool) {
	if x, ok = getFast(e, c); ok {
		return x, true
	}
	return e.Get(c, asked)
}

// getFit is get for who takes larger items too.
func getFit[T any](e *Engine[T], c uint) (x T, class uint, ok bool) {
	if x, ok = getFast(e, c); ok {
		return x, c, true
	}
	return e.GetFit(c, asked)
}

const asked = 10

// getFast is the fast path of get.
func getFast[T any](e *Engine[T], c uint) (x T, ok bool) {
	i := uint(pin.Pin())<<e.config.Bits | c
	if e.table.Has(i) {
		m := e.table.Entry(i).Load()
		if top := m.Len() - 1; top < Slots {
			x, ok = m.Pop(top, asked), true
		}
	}
	pin.Unpin()
	return x, ok
}

// put is how pools put.
func put[T any](e *Engine[T], c uint, x T) Verdict { return e.Put(c, x) }

// putAll puts items that all have to be kept.
func putAll[T any](t testing.TB, e *Engine[T], c uint, items ...T) {
	t.Helper()
	for _, x := range items {
		if v := put(e, c, x); v != Kept {
			t.Fatalf("put(%v) in class %d has verdict %d, want it kept", x, c, v)
		}
	}
}

// getAll gets items until there are none.
func getAll[T any](e *Engine[T], c uint) (items []T) {
	for {
		x, ok := get(e, c)
		if !ok {
			return items
		}
		items = append(items, x)
	}
}

// seq returns the integers from first to last, down too.
func seq(first, last int) (s []int) {
	for i := first; i <= last; i++ {
		s = append(s, i)
	}
	for i := first; i >= last && first > last; i-- {
		s = append(s, i)
	}
	return s
}

// rows returns the number of Ps that the table has room for.
func rows[T any](e *Engine[T]) (n int) {
	for e.table.Has(uint(n) << e.config.Bits) {
		n++
	}
	return n
}

// magazine returns the magazine of class c of P p.
func magazine[T any](e *Engine[T], p, c uint) *Magazine[T] {
	return e.table.Entry(p<<e.config.Bits | c).Load()
}

// depotItems returns what is in a depot, and what of it is not used.
func depotItems[T any](e *Engine[T], c uint) []T { return slices.Clone(e.depots[c].Load().items) }

// stack returns all items of a class, the oldest first. There must be no other
// P's magazine.
func stack[T any](e *Engine[T], c uint) []T {
	items := depotItems(e, c)
	for _, r := range e.depots[c].Load().limbo {
		items = append(items, r.items()...)
	}
	if e.table.Has(0) {
		items = append(items, magazine(e, 0, c).items()...)
	}
	return items
}

// audit checks what is true of every engine at rest. The budgets are the heart of
// it: what is taken must be exactly what items in depots and slots of
// magazines cost.
func audit[T any](t testing.TB, e *Engine[T]) {
	t.Helper()
	var idle, local int64
	for c, d := range e.made() {
		idle += int64(len(d.items)) * d.Size
		if d.low < 0 || int(d.low) > len(d.items) || d.due < 0 {
			t.Errorf("class %d: low-water mark %d of %d items, %d due", c, d.low, len(d.items), d.due)
		}
		if rest := d.items[len(d.items):cap(d.items)]; !zero(rest) {
			t.Errorf("class %d: the depot holds on to items that have left: %v", c, rest)
		}
		if stocked := len(d.items)+len(d.limbo) > 0; d.stocked.Load() != stocked {
			t.Errorf("class %d: stocked is %t with %d items and %d magazines in limbo", c, !stocked, len(d.items), len(d.limbo))
		}
		if rest := d.limbo[len(d.limbo):cap(d.limbo)]; !zero(rest) {
			t.Errorf("class %d: limbo holds on to magazines that have left", c)
		}
		check := func(where string, m *Magazine[T]) {
			n := m.Len()
			if n > m.limit || m.limit > uint(d.local) || m.limit > Slots {
				t.Errorf("class %d, %s: %d items, limit %d, of at most %d", c, where, n, m.limit, d.local)
			}
			if !zero(m.slots[:1]) || !zero(m.slots[1+n:]) {
				t.Errorf("class %d, %s: %d items, but around them the slots hold %v", c, where, n, m.slots)
			}
			idle += int64(m.limit) * d.Size
			local += int64(m.limit) * d.Size
		}
		for i, r := range d.limbo {
			check(fmt.Sprintf("limbo %d", i), r.Magazine)
		}
		if e.table.Has(0) {
			for p := range rows(e) {
				if m := magazine(e, uint(p), c); m != e.empty {
					check(fmt.Sprintf("P %d", p), m)
				}
			}
		}
	}
	if got := e.idle.taken.Load(); got != idle || got > e.idle.limit {
		t.Errorf("%d of the idle budget of %d are taken, but items and slots cost %d", got, e.idle.limit, idle)
	}
	if got := e.local.taken.Load(); got != local || got > e.local.limit {
		t.Errorf("%d of the local budget of %d are taken, but slots cost %d", got, e.local.limit, local)
	}
	if e.empty.state.get() != 0 || e.empty.limit != 0 || !zero(e.empty.slots[:]) {
		t.Error("the magazine that stands for none is not empty")
	}
}

// zero reports whether all values are zero.
func zero[T any](values []T) bool {
	for _, v := range values {
		if r := reflect.ValueOf(&v).Elem(); !r.IsZero() {
			return false
		}
	}
	return true
}

// expect compares.
func expect[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// onlyDepot is a class that no magazine holds, so that a test sees the depot alone.
var onlyDepot = Class{Size: 10, Local: 0}

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

func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name          string
		limit, before int64
		n             int64
		ok            bool
	}{
		{"all", 100, 0, 100, true},
		{"rest", 100, 60, 40, true},
		{"nothing", 100, 100, 0, true},
		{"one too many", 100, 60, 41, false},
		{"more than all", 100, 0, 101, false},
		{"no budget", 0, 0, 1, false},
		{"sum overflows", math.MaxInt64, math.MaxInt64 - 1, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Budget{limit: tt.limit}
			b.taken.Store(tt.before)
			if ok := b.take(tt.n); ok != tt.ok {
				t.Errorf("take(%d) with %d of %d taken is %v", tt.n, tt.before, tt.limit, ok)
			}
			want := tt.before
			if tt.ok {
				want += tt.n
			}
			expect(t, "taken", b.taken.Load(), want)
			if tt.ok {
				b.give(tt.n)
				expect(t, "taken after give", b.taken.Load(), tt.before)
			}
		})
	}
	t.Run("many at once", func(t *testing.T) {
		b := Budget{limit: 10}
		var now, over atomic.Int64
		var users sync.WaitGroup
		for range 8 {
			users.Go(func() {
				for i := range int64(2000) {
					n := i%4 + 1
					if b.take(n) {
						if now.Add(n) > b.limit {
							over.Add(1)
						}
						runtime.Gosched()
						now.Add(-n)
						b.give(n)
					}
				}
			})
		}
		users.Wait()
		expect(t, "times more than the limit was taken", over.Load(), 0)
		expect(t, "taken", b.taken.Load(), 0)
	})
}

// TestNothingHappensBeforeUse: a pool that nobody uses should cost nothing.
func TestNothingHappensBeforeUse(t *testing.T) {
	e := new(Engine[int])
	e.Init(new(Table[int]), Config[int]{
		Classes: func() []Class { t.Error("Classes is called"); return nil },
		Bits:    bits,
	})
	e.Trim()
	expect(t, "stats", e.Stats(3), ClassStats{})
	expect(t, "rows", rows(e), 0)
}

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

// TestGetBringsABatch: with one item for the caller come some for those after it,
// from the right end of the depot.
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

// TestSharedBudget has two engines take from one budget.
func TestSharedBudget(t *testing.T) {
	oneP(t)
	shared := NewBudget(100)
	engines := [2]*Engine[int]{}
	for i := range engines {
		engines[i] = newEngine[int](80, Class{Size: 10, Local: Slots})
		engines[i].idle.within = &share{of: shared}
	}
	one, other := engines[0], engines[1]
	check := func(what string) {
		t.Helper()
		audit(t, one)
		audit(t, other)
		expect(t, what+": taken", shared.taken.Load(), one.idle.taken.Load()+other.idle.taken.Load())
	}
	kept := func(e *Engine[int], n int) (kept int) {
		for i := range n {
			if put(e, 0, 1+i) == Kept {
				kept++
			}
		}
		return kept
	}
	expect(t, "kept by one", kept(one, 20), 8) // its own limit
	check("one")
	expect(t, "kept by the other", kept(other, 20), 2)
	check("both")
	if n := one.local.taken.Load() + other.local.taken.Load(); pin.Available && (n == 0 || n > 50) {
		t.Errorf("slots take %d of 100", n)
	}
	one.Trim()
	check("after Trim")
	expect(t, "kept after Trim", kept(other, 20), 6)
	check("after Trim")
	other.idle.within.leave()
	expect(t, "taken when the other is gone", shared.taken.Load(), one.idle.taken.Load())
	expect(t, "limit", shared.Limit(), int64(100))
}

// TestSlotsAreEarned gets and puts one large item until the P has a slot for it.
func TestSlotsAreEarned(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		size int64
		gets int
	}{{4095, 0}, {4096, 1}, {40 << 10, 10}, {1 << 20, 256}} {
		t.Run(fmt.Sprint(tt.size), func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e9, Class{Size: tt.size, Local: Slots})
			putAll(t, e, 0, 1)
			gets := 0
			for ; magazine(e, 0, 0) == e.empty && gets < 1000; gets++ {
				if gets == tt.gets/2 {
					e.reclaim(at(0.1)) // from here on it is counted anew
				}
				x, ok := get(e, 0)
				expect(t, "got", ok, true)
				putAll(t, e, 0, x)
				audit(t, e)
			}
			expect(t, "gets", gets, tt.gets/2+tt.gets)
		})
	}
}

// TestMagazinesWiden checks that a magazine that proves too small is doubled, as
// far as its class and the budgets go.
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
				if limit := magazine(e, 0, 0).limit; limit > 0 && (len(limits) == 0 || limits[len(limits)-1] != limit) {
					limits = append(limits, limit)
				}
			}
			expect(t, "limits", limits, tt.limits)
			if t.Failed() {
				return
			}
			// Getting widens as well: a depot full of items, and a new magazine.
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

// TestMaxIdle is about depots; for magazines it is audit that compares.
func TestMaxIdle(t *testing.T) {
	for _, tt := range []struct {
		name    string
		maxIdle int64
		kept    int // of 50 items that cost 10
	}{
		{"none", 9, 0},
		{"one", 10, 1},
		{"nineteen", 199, 19},
		{"all", 500, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](tt.maxIdle, onlyDepot)
			for round := range 3 { // what was taken makes room again
				for i := range 50 {
					want := Full
					if i < tt.kept {
						want = Kept
					}
					expect(t, fmt.Sprintf("round %d: verdict of put %d", round, i), put(e, 0, i), want)
					audit(t, e)
				}
				items := getAll(e, 0)
				slices.Reverse(items)
				expect(t, "items kept", fmt.Sprint(items), fmt.Sprint(seq(0, 49)[:tt.kept]))
			}
			kept := uint64(3 * tt.kept)
			expect(t, "stats", e.Stats(0), ClassStats{Hits: kept, Misses: 3, Puts: 150, Full: 150 - kept, Asked: 10 * (kept + 3)})
		})
	}
}

// TestFullMagazineAtMaxIdle: when the older half cannot go to the depot, the new
// item is turned away and everything else stays where it is.
func TestFullMagazineAtMaxIdle(t *testing.T) {
	oneP(t)
	e := newEngine[int](400, Class{Size: 10, Local: Slots})
	n := 0
	for put(e, 0, n) == Kept {
		n++
		audit(t, e)
	}
	before := stack(e, 0)
	if len(before) < 25 { // of 40: up to half of MaxIdle may be for slots that are not filled
		t.Errorf("only %d of 40 items are kept", len(before))
	}
	expect(t, "verdict", put(e, 0, 1000), Full)
	expect(t, "items", stack(e, 0), before)
	expect(t, "stats", e.Stats(0), ClassStats{Puts: uint64(n) + 2, Full: 2, Idle: uint64(n)})
	audit(t, e)
}

func TestDouble(t *testing.T) {
	for _, tt := range []struct {
		name  string
		local uint
		do    func(e *Engine[int])
		put   int
		want  Verdict
	}{
		{"on top of the magazine", Slots, func(e *Engine[int]) { put(e, 0, 1) }, 1, Double},
		{"on top of a magazine of one", 1, func(e *Engine[int]) { put(e, 0, 1) }, 1, Double},
		{"on top of a full magazine", 3, func(e *Engine[int]) { put(e, 0, 1); put(e, 0, 2); put(e, 0, 3) }, 3, Double},
		{"on top of the depot", 0, func(e *Engine[int]) { put(e, 0, 1); put(e, 0, 2) }, 2, Double},
		{"on top of a magazine in limbo", Slots, func(e *Engine[int]) {
			put(e, 0, 1)
			put(e, 0, 2)
			e.reclaim(at(1))
			e.reclaim(at(2))
		}, 2, Double},
		{"on top of one in limbo that is halved", Slots, func(e *Engine[int]) {
			put(e, 0, 1)
			put(e, 0, 2)
			e.reclaim(at(10))
		}, 2, Double},
		{"on top of the depot, from a magazine", Slots, func(e *Engine[int]) {
			put(e, 0, 1)
			put(e, 0, 2)
			e.reclaim(at(1))
			e.reclaim(at(2))
			e.reclaim(at(3))
		}, 2, Double},
		{"taken meanwhile", Slots, func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }, 1, Kept},
		{"taken from the depot meanwhile", 0, func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }, 1, Kept},
		{"let go meanwhile", Slots, func(e *Engine[int]) { put(e, 0, 1); e.Trim() }, 1, Kept},
		{"in another class", Slots, func(e *Engine[int]) { put(e, 1, 1) }, 1, Kept},
		{"nothing there", Slots, func(e *Engine[int]) {}, 0, Kept}, // as the zero of an empty slot
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: tt.local}, Class{Size: 10, Local: tt.local})
			tt.do(e)
			before := len(stack(e, 0))
			double := e.Stats(0).Double
			if v := put(e, 0, tt.put); v != tt.want {
				t.Errorf("verdict %d, want %d", v, tt.want)
			}
			audit(t, e)
			if tt.want == Double {
				double++
				before--
			}
			expect(t, "items", len(stack(e, 0)), before+1)
			expect(t, "counted as double", e.Stats(0).Double, double)
		})
	}
	t.Run("nothing to compare with", func(t *testing.T) {
		oneP(t)
		e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot)
		e.config.Same = nil
		for range 40 {
			expect(t, "verdict", e.Put(0, 1), Kept)
			expect(t, "verdict", e.Put(1, 1), Kept)
		}
		expect(t, "counted as double", e.Stats(0).Double+e.Stats(1).Double, 0)
	})
}

// A step of a test of what stays: something happens, and a millisecond later there is a round of
// reclaim after which so many items are left.
type step struct {
	at   float64 // seconds
	get  int     // items taken, and put back
	put  int     // new items
	left int
}

// TestRelease follows the depot through windows of ten seconds.
func TestRelease(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"untouched items go over a window", []step{
			{at: 1, put: 100, left: 100},
			{at: 10, left: 100}, // they came in the course of this window, so nothing is known of them
			{at: 15, left: 100},
			{at: 20, left: 100}, // untouched for this one
			{at: 21, left: 90},
			{at: 22, left: 80},
			{at: 25, left: 50},
			{at: 29.9, left: 1},
			{at: 30, left: 0},
		}},
		{"a share at the end, if there are no cycles in between", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{at: 30, left: 0},
		}},
		{"few items and many cycles", []step{
			{put: 3, at: 10, left: 3},
			{at: 20, left: 3},
			{at: 20.5, left: 3}, {at: 21, left: 3}, {at: 21.5, left: 3}, {at: 22, left: 3}, {at: 22.5, left: 3},
			{at: 25, left: 2}, {at: 27, left: 2}, {at: 29, left: 1}, {at: 30, left: 0},
		}},
		{"what is touched stays", []step{
			{put: 100, at: 10, left: 100},
			{get: 30, at: 15, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 65}, // half of 70
			{at: 30, left: 30},
			// The thirty were not touched since, so they go next.
			{at: 35, left: 15},
			{at: 40, left: 0},
		}},
		{"all are touched", []step{
			{put: 100, at: 10, left: 100},
			{get: 100, at: 20, left: 100},
			{get: 100, at: 30, left: 100},
			{get: 100, at: 35, left: 100},
			{get: 100, at: 40, left: 100},
		}},
		{"needed after all", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 50},
			{get: 30, at: 26, left: 46}, // 50 were due, of which 20 are still untouched: a fifth
			{at: 30, left: 30},
		}},
		{"all needed after all", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{get: 100, at: 21, left: 100},
			{at: 30, left: 100},
		}},
		{"new ones do not count as untouched", []step{
			{put: 50, at: 10, left: 50},
			{put: 50, at: 19, left: 100},
			{at: 20, left: 100},
			{at: 30, left: 50},
			{at: 40, left: 0},
		}},
		{"two windows in one cycle", []step{
			{put: 100, at: 10, left: 100},
			{at: 30, left: 0},
		}},
		{"two windows in one cycle, some touched", []step{
			{put: 100, at: 10, left: 100},
			{get: 20, at: 31, left: 20},
			{at: 51, left: 0},
		}},
		{"one window in a cycle, since they came", []step{
			{put: 100, at: 5, left: 100},
			{at: 16, left: 100}, // since 5
			{at: 21, left: 50},
			{at: 26, left: 0},
		}},
		{"two windows in a cycle, since they came", []step{
			{put: 100, at: 9, left: 100},
			{at: 29, left: 0},
		}},
		{"a cycle in no time", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 50},
			{at: 25, left: 50},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, onlyDepot)
			next := 1
			for _, s := range tt.steps {
				e.clock = func() time.Duration { return at(s.at - 0.001) }
				taken := make([]int, 0, s.get)
				for range s.get {
					x, _ := get(e, 0)
					taken = append(taken, x)
				}
				slices.Reverse(taken)
				putAll(t, e, 0, taken...)
				putAll(t, e, 0, seq(next, next+s.put-1)[:s.put]...)
				next += s.put
				before := depotItems(e, 0)
				released := e.Stats(0).Released
				e.reclaim(at(s.at))
				audit(t, e)
				after := depotItems(e, 0)
				if len(after) != s.left {
					t.Fatalf("at %v s: %d items are left, want %d", s.at, len(after), s.left)
				}
				// The oldest go first.
				gone := len(before) - len(after)
				expect(t, "items left", fmt.Sprint(after), fmt.Sprint(before[gone:]))
				expect(t, "released", e.Stats(0).Released-released, uint64(gone))
			}
		})
	}
}

// TestDepotGivesUpRoom: the array of a depot shrinks with it.
func TestDepotGivesUpRoom(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, onlyDepot)
	putAll(t, e, 0, seq(1, 10000)...)
	d := e.depots[0].Load()
	e.release(d, 9990)
	expect(t, "items", depotItems(e, 0), seq(9991, 10000))
	if cap(d.items) > 1000 {
		t.Errorf("10 items are in an array for %d", cap(d.items))
	}
	audit(t, e)
	e.release(d, 1e6) // more than there are
	expect(t, "items", len(d.items), 0)
	audit(t, e)
}

// TestBusyAndQuietMagazines: only what its P has not used for a cycle goes to
// limbo, and only after another cycle to the depot.
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
		{q, 0, nil}, // used since the engine began
		{e.empty, 1, nil},
		{e.empty, 0, seq(11, 15)},
		{e.empty, 0, seq(11, 15)},
	} {
		e.reclaim(at(float64(i + 1)))
		audit(t, e)
		expect(t, "stack of the quiet class", stack(e, quiet), seq(11, 15))
		if magazine(e, 0, quiet) != want.q || len(e.depots[quiet].Load().limbo) != want.limbo || fmt.Sprint(depotItems(e, quiet)) != fmt.Sprint(want.depot) {
			t.Errorf("cycle %d: the quiet magazine is in the table: %v, in limbo: %d, in the depot: %v; want %v, %d, %v", i+1,
				magazine(e, 0, quiet) == q, len(e.depots[quiet].Load().limbo), depotItems(e, quiet), want.q == q, want.limbo, want.depot)
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

// TestUseOfAnyKindIsUse: no kind of traffic looks like quiet.
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

// TestMagazineReturns: a P that comes back in time finds its magazine as it was.
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
			expect(t, "in limbo", len(e.depots[0].Load().limbo), 1)
			tt.use(e)
			audit(t, e)
			if magazine(e, 0, 0) != m || m.limit != limit || len(e.depots[0].Load().limbo) != 0 {
				t.Error("the magazine is not back as it was")
			}
			expect(t, "items", stack(e, 0), tt.stack)
			expect(t, "items in the depot", len(depotItems(e, 0)), 0)
			e.reclaim(at(3)) // must not settle it now
			audit(t, e)
			expect(t, "items", stack(e, 0), tt.stack)
			if magazine(e, 0, 0) != m {
				t.Error("a magazine that came back is taken for quiet")
			}
		})
	}
}

// TestMagazineOfAnotherP: a P does not get what may still be in use by another,
// and gets it all when that is out of the question.
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
	e.table.Entry(0).Store(e.empty) // as if P 3 had put them
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
	if r := e.depots[0].Load().inLimbo(3 << bits); r == nil || r.Magazine != m {
		t.Error("P 3's magazine is not in limbo")
	}
	e.reclaim(at(3))
	audit(t, e)
	expect(t, "items that P 0 gets when they are in the depot", getAll(e, 0), seq(5, 1))
	expect(t, "stats", e.Stats(0), ClassStats{Hits: 5, Misses: 4, Puts: 5, Asked: 90})
}

// TestPinnedSectionGoesOn: a section that loaded a magazine before it was retired
// may still use it. What it does counts.
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
			// One section pushes two, another pops one.
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

// TestHalving: at the end of a window all magazines are retired, and those in use
// return without the older half of their items.
func TestHalving(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, tt := range []struct {
		name            string
		n               int
		busy            bool // used since the cycle before
		depot, magazine int  // items, before the get that brings it back
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
			expect(t, "in the depot", len(depotItems(e, 0)), 0) // not before the P says that it is not using it
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

// TestBottomOfBusyMagazine: what a P never reaches goes in the end, however busy
// the top of its magazine is.
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

// TestQuietMagazinesGo: what sits in a magazine that nobody uses goes as what
// sits in a depot.
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
	if gone < idleTime.Seconds()/2 || gone > 1.5*idleTime.Seconds() {
		t.Errorf("the last item went after %v s, of an IdleTime of %v", gone, idleTime)
	}
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 200, Released: 200})
}

func TestEvict(t *testing.T) {
	const small, large, huge, other = 0, 1, 2, 3
	classes := []Class{{Size: 10}, {Size: 25}, {Size: 101}, {Size: 20}}
	for _, tt := range []struct {
		name     string
		do       func(e *Engine[int])
		put      uint
		want     Verdict
		small    []int // left
		released uint64
	}{
		{"of another class", func(e *Engine[int]) { e.reclaim(at(10)) }, large, Kept, seq(4, 10), 3},
		{"exactly as much", func(e *Engine[int]) { e.reclaim(at(10)) }, other, Kept, seq(3, 10), 2},
		{"not judged yet", func(e *Engine[int]) {}, large, Full, seq(1, 10), 0},
		{"in use", func(e *Engine[int]) {
			e.reclaim(at(10))
			items := getAll(e, small)
			slices.Reverse(items)
			putAll(t, e, small, items...)
		}, large, Full, seq(1, 10), 0},
		{"too few that are not in use", func(e *Engine[int]) {
			e.reclaim(at(10))
			for range 8 {
				get(e, small)
			}
			putAll(t, e, small, seq(3, 10)...)
		}, large, Full, seq(3, 10), 2},
		{"some are free anyway", func(e *Engine[int]) {
			e.reclaim(at(10))
			get(e, small)
			get(e, small)
		}, large, Kept, seq(4, 8), 3}, // it does not count on what is free, for others may take it
		{"not of its own class", func(e *Engine[int]) { e.reclaim(at(10)) }, small, Full, seq(1, 10), 0},
		{"more than MaxIdle", func(e *Engine[int]) { e.reclaim(at(10)) }, huge, Full, seq(1, 10), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](100, classes...)
			putAll(t, e, small, seq(1, 10)...)
			expect(t, "verdict of one too many", put(e, small, 11), Full)
			tt.do(e)
			audit(t, e)
			expect(t, "verdict", put(e, tt.put, 1000), tt.want)
			audit(t, e)
			expect(t, "items left", depotItems(e, small), tt.small)
			expect(t, "released", e.Stats(small).Released, tt.released)
			want := uint64(0)
			if tt.want == Full {
				want = 1
			}
			if tt.put == small {
				want++
			}
			expect(t, "turned away", e.Stats(tt.put).Full, want)
		})
	}
	t.Run("of several classes", func(t *testing.T) {
		oneP(t)
		e := newEngine[int](100, Class{Size: 10, Local: 0}, Class{Size: 30, Local: 0}, Class{Size: 80, Local: 0})
		putAll(t, e, 0, seq(1, 4)...)
		putAll(t, e, 1, 11, 12)
		e.reclaim(at(10))
		expect(t, "verdict", put(e, 2, 100), Kept)
		audit(t, e)
		expect(t, "released", []uint64{e.Stats(0).Released, e.Stats(1).Released, e.Stats(2).Released}, []uint64{4, 2, 0})
	})
	t.Run("for half a magazine", func(t *testing.T) {
		if !pin.Available {
			t.Skip("no magazines in this build")
		}
		oneP(t)
		e := newEngine[int](200, Class{Size: 10, Local: 0}, Class{Size: 10, Local: 8})
		putAll(t, e, 1, seq(101, 108)...)
		expect(t, "limit", magazine(e, 0, 1).limit, 8)
		putAll(t, e, 0, seq(1, 12)...)
		audit(t, e)
		e.reclaim(at(10))
		expect(t, "verdict", put(e, 1, 109), Kept)
		audit(t, e)
		expect(t, "items", stack(e, 1), seq(101, 109))
		// The magazine was halved, so half of it is two of its four items.
		expect(t, "items left", depotItems(e, 0), seq(3, 12))
	})
	t.Run("looks again after the next cycle only", func(t *testing.T) {
		oneP(t)
		e := newEngine[int](100, classes...)
		putAll(t, e, small, seq(1, 10)...)
		items := getAll(e, small)
		e.reclaim(at(10))
		slices.Reverse(items)
		putAll(t, e, small, items...)
		expect(t, "verdict", put(e, large, 1), Full)
		e.reclaim(at(20))
		expect(t, "verdict", put(e, large, 1), Kept)
		audit(t, e)
	})
	t.Run("passes by a class that is locked", func(t *testing.T) {
		// Else two that evict from each other would wait for ever.
		oneP(t)
		e := newEngine[int](100, classes...)
		putAll(t, e, small, seq(1, 10)...)
		e.reclaim(at(10))
		e.depots[small].Load().mu.Lock()
		expect(t, "verdict", put(e, large, 1), Full)
		e.depots[small].Load().mu.Unlock()
		audit(t, e)
	})
}

// TestTrim: whatever is idle goes, wherever it is, and nothing that was counted is
// lost.
func TestTrim(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(e *Engine[int])
	}{
		{"nothing", func(e *Engine[int]) {}},
		{"empty", func(e *Engine[int]) { putAll(t, e, 0, 1); get(e, 0); get(e, 0) }},
		{"magazine", func(e *Engine[int]) { putAll(t, e, 0, seq(1, 20)...); get(e, 0) }},
		{"depot", func(e *Engine[int]) { putAll(t, e, 1, seq(1, 20)...); get(e, 1) }},
		{"magazine and depot", func(e *Engine[int]) { putAll(t, e, 0, seq(1, 300)...); get(e, 0) }},
		{"limbo", func(e *Engine[int]) { putAll(t, e, 0, seq(1, 20)...); e.reclaim(at(1)); e.reclaim(at(2)) }},
		{"limbo, magazine and depot", func(e *Engine[int]) {
			putAll(t, e, 0, seq(1, 50)...)
			putAll(t, e, 2, seq(1, 5)...)
			e.reclaim(at(1))
			putAll(t, e, 0, seq(51, 60)...)
			e.reclaim(at(2))
		}},
		{"due", func(e *Engine[int]) { putAll(t, e, 1, seq(1, 20)...); e.reclaim(at(10)); e.reclaim(at(20)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot, Class{Size: 1000, Local: 4})
			tt.do(e)
			var before []ClassStats
			for c := range e.depots {
				before = append(before, e.Stats(uint(c)))
			}
			for range 2 {
				e.Trim()
				audit(t, e)
				expect(t, "taken", e.idle.taken.Load(), 0)
				for c := range e.depots {
					want := before[c]
					want.Released += want.Idle
					want.Idle = 0
					expect(t, fmt.Sprintf("stats of class %d", c), e.Stats(uint(c)), want)
					expect(t, "in limbo", len(e.depots[c].Load().limbo), 0)
					if x, ok := get(e, uint(c)); ok {
						t.Errorf("class %d: got %d after Trim", c, x)
					}
					before[c].Misses++
					before[c].Asked += 10
					before[c].Released, before[c].Idle = want.Released, 0
				}
			}
			// It is as good as new.
			for c := range uint(len(e.depots)) {
				putAll(t, e, c, seq(1, 50)...)
				audit(t, e)
				expect(t, "items", getAll(e, c), seq(50, 1))
			}
			for s := range 60 {
				e.reclaim(at(float64(20 + s)))
				audit(t, e)
			}
			expect(t, "taken in the end", e.idle.taken.Load(), 0)
		})
	}
}

// TestReclaimDuringTrim: a round of reclaim that began while Trim waits may have
// been scheduled before Trim took the magazines out of the table, so it must
// not count on a grace period for them.
func TestReclaimDuringTrim(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot, onlyDepot)
	putAll(t, e, 0, seq(1, 10)...)
	wait := func(c uint, done func(d *depot[int]) bool) {
		d := e.depots[c].Load()
		for {
			d.mu.Lock()
			ok := done(d)
			d.mu.Unlock()
			if ok {
				return
			}
			runtime.Gosched()
		}
	}
	var both sync.WaitGroup
	last := e.depots[2].Load()
	last.mu.Lock() // Trim stops here
	both.Go(e.Trim)
	wait(0, func(d *depot[int]) bool { return len(d.limbo) == 1 && d.limbo[0].doomed })
	putAll(t, e, 0, 11, 12) // into another magazine, for this one is doomed
	e.depots[1].Load().mu.Lock()
	e.depots[1].Load().due = 1 // a mark that reclaim removes, after it has been at class 0
	e.depots[1].Load().mu.Unlock()
	both.Go(func() { e.reclaim(at(1)) })
	wait(1, func(d *depot[int]) bool { return d.due == 0 })
	wait(0, func(d *depot[int]) bool {
		if len(d.limbo) != 1 || d.limbo[0].Len() != 10 || len(d.items) != 0 {
			t.Errorf("%d items in the depot, %d magazines in limbo: reclaim has settled what Trim took out", len(d.items), len(d.limbo))
		}
		return true
	})
	last.mu.Unlock()
	both.Wait()
	audit(t, e)
	expect(t, "items", stack(e, 0), []int{11, 12})
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 12, Released: 10, Idle: 2})
}

// TestTrimWaits: Trim must not touch a magazine while a pinned section may be
// using it.
func TestTrimWaits(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	procs := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(procs)
	// A collection that wants to begin would stop everybody but the pinned
	// section, which waits for Trim: nothing would happen until it gives up.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 20 {
		e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
		var pinned atomic.Bool
		var section sync.WaitGroup
		section.Go(func() {
			for {
				e.Put(0, 1)
				e.Put(0, 2)
				p := uint(pin.Pin())
				entry := e.table.Entry(p << bits)
				m := entry.Load()
				if m.Len() == 0 || !m.Room(m.Len()) { // moved to another P meanwhile
					pin.Unpin()
					continue
				}
				pinned.Store(true)
				for i := 0; i < 1e9 && entry.Load() == m; i++ { // not for ever, or what stops the world never returns
				}
				for range 100_000 { // some time for Trim to go wrong
					pinned.Load()
				}
				m.Push(m.Len(), 3)
				pin.Unpin()
				return
			}
		})
		for !pinned.Load() {
			runtime.Gosched()
		}
		e.Trim()
		section.Wait()
		audit(t, e)
		s := e.Stats(0)
		if s.Idle != 0 || s.Released != s.Puts || s.Puts%2 != 1 {
			t.Fatalf("what a pinned section put is lost: %+v", s)
		}
	}
}

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

func TestStats(t *testing.T) {
	oneP(t)
	e := newEngine[int](200, Class{Size: 10, Local: 4}, Class{Size: 10, Local: 0})
	for c := range uint(2) {
		var want ClassStats
		check := func(what string) {
			t.Helper()
			expect(t, fmt.Sprintf("class %d, %s", c, what), e.Stats(c), want)
		}
		check("unused")
		e.Get(c, 7)
		want.Misses, want.Asked = 1, 7
		check("a miss")
		putAll(t, e, c, seq(1, 9)...)
		want.Puts, want.Idle = 9, 9
		check("nine put")
		expect(t, "verdict", put(e, c, 9), Double)
		want.Double = 1
		check("one put again")
		for range 5 {
			get(e, c)
		}
		want.Hits, want.Asked, want.Idle = 5, 57, 4
		check("five taken")
		for i := range 3 {
			e.reclaim(at(float64(i)))
			check("after a cycle")
		}
		e.Trim()
		want.Released, want.Idle = 4, 0
		check("trimmed")
		for put(e, c, 100) != Full {
			want.Puts++
			want.Idle++
			e.config.Same = nil // they are all the same
		}
		e.config.Same = equal[int]
		want.Puts++
		want.Full = 1
		check("full")
		e.Trim()
		want.Released += want.Idle
		want.Idle = 0
		check("trimmed again")
	}
}

// TestItemsOfAnyType sends items of other shapes than a pointer's through all
// the places they can be in.
func TestItemsOfAnyType(t *testing.T) {
	type pair struct {
		p *int
		n int
	}
	anys := []any{1, "two", 3.0, pair{nil, 4}, new(int), nil, struct{}{}}
	t.Run("int", func(t *testing.T) { testItems(t, func(i int) int { return i }) })
	t.Run("string", func(t *testing.T) { testItems(t, func(i int) string { return strings.Repeat("x", i) }) })
	t.Run("struct", func(t *testing.T) { testItems(t, func(i int) pair { return pair{new(int), i} }) })
	t.Run("pointer", func(t *testing.T) { testItems(t, func(i int) *pair { return &pair{n: i} }) })
	t.Run("interface", func(t *testing.T) { testItems(t, func(i int) any { return [2]any{i, anys[i%len(anys)]} }) })
	t.Run("array", func(t *testing.T) { testItems(t, func(i int) [100]byte { return [100]byte{byte(i), byte(i >> 8), 1} }) })
	t.Run("channel", func(t *testing.T) { testItems(t, func(i int) chan int { return make(chan int) }) })
}

func testItems[T comparable](t *testing.T, item func(i int) T) {
	oneP(t)
	var items, reversed []T
	for i := range 200 {
		items = append(items, item(i+1))
	}
	reversed = slices.Clone(items)
	slices.Reverse(reversed)
	e := newEngine[T](1e6, Class{Size: 10, Local: Slots})
	for i, do := range []func(){
		func() {},
		func() { e.reclaim(at(1)); e.reclaim(at(2)) },                   // through limbo
		func() { e.reclaim(at(3)); e.reclaim(at(4)); e.reclaim(at(5)) }, // to the depot
		func() { e.reclaim(at(10)) },                                    // halved
	} {
		putAll(t, e, 0, items...)
		expect(t, "verdict", put(e, 0, items[len(items)-1]), Double)
		do()
		audit(t, e)
		if got := getAll(e, 0); !slices.Equal(got, reversed) {
			t.Errorf("%d: the items that come back are not those put", i)
		}
		audit(t, e)
	}
	putAll(t, e, 0, items...)
	e.Trim()
	audit(t, e)
}

// A thing is an item that the collector can be seen to find.
type thing struct {
	_ *thing // has a pointer, so that it is not packed together with others
	n int
}

// things makes items, puts them, and returns weak pointers to them.
func things(t *testing.T, e *Engine[*thing], n int) (weaks []weak.Pointer[thing]) {
	apart(func() {
		for i := range n {
			x := &thing{n: i}
			weaks = append(weaks, weak.Make(x))
			putAll(t, e, 0, x)
		}
	})
	return weaks
}

// apart runs f on a stack that is gone afterwards, with all pointers on it.
func apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// alive returns how many are left when the collector has had its chances.
func alive(weaks []weak.Pointer[thing], want int) (n int) {
	for range 10 {
		runtime.GC()
		n = 0
		for _, w := range weaks {
			if w.Value() != nil {
				n++
			}
		}
		if n <= want {
			break
		}
	}
	return n
}

// TestWhatLeavesIsCollected: once an item has left, by whatever way, the engine
// must not keep it alive. What is idle it must.
func TestWhatLeavesIsCollected(t *testing.T) {
	take := func(n int) func(e *Engine[*thing]) {
		return func(e *Engine[*thing]) {
			for range n {
				get(e, 0)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		local uint
		n     int
		do    func(e *Engine[*thing])
		left  int
	}{
		{"nothing left", Slots, 10, func(*Engine[*thing]) {}, 10},
		{"from a magazine", Slots, 10, take(10), 0},
		{"from a magazine, some", Slots, 10, take(4), 6},
		{"from a depot", 0, 100, take(100), 0},
		{"from a depot, some", 0, 100, take(40), 60},
		{"from both", Slots, 200, take(200), 0},
		{"from both, some", Slots, 200, take(150), 50},
		{"from both, and put back", Slots, 200, func(e *Engine[*thing]) {
			var taken []*thing
			for range 150 {
				x, _ := get(e, 0)
				taken = append(taken, x)
			}
			slices.Reverse(taken)
			for _, x := range taken {
				put(e, 0, x)
			}
			take(150)(e)
		}, 50},
		{"from limbo", Slots, 20, func(e *Engine[*thing]) { e.reclaim(at(1)); e.reclaim(at(2)); take(20)(e) }, 0},
		{"settled, then taken", Slots, 20, func(e *Engine[*thing]) {
			e.reclaim(at(1))
			e.reclaim(at(2))
			e.reclaim(at(3))
			take(15)(e)
		}, 5},
		{"halved, then taken", Slots, 20, func(e *Engine[*thing]) { e.reclaim(at(10)); take(15)(e) }, 5},
		{"released, a few", 0, 100, func(e *Engine[*thing]) {
			e.reclaim(at(10))
			e.reclaim(at(11))
		}, 90},
		{"released, most", 0, 100, func(e *Engine[*thing]) {
			e.reclaim(at(10))
			e.reclaim(at(19))
		}, 10},
		{"trimmed from a magazine", Slots, 20, (*Engine[*thing]).Trim, 0},
		{"trimmed from a depot", 0, 100, (*Engine[*thing]).Trim, 0},
		{"trimmed from limbo", Slots, 20, func(e *Engine[*thing]) { e.reclaim(at(1)); e.reclaim(at(2)); e.Trim() }, 0},
		{"turned away", 0, 0, func(e *Engine[*thing]) { e.idle.limit = 5; put(e, 0, new(thing)) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[*thing](1e6, Class{Size: 10, Local: tt.local})
			weaks := things(t, e, tt.n)
			apart(func() { tt.do(e) })
			if n := alive(weaks, tt.left); n != tt.left {
				t.Errorf("%d of %d items are alive, want %d", n, tt.n, tt.left)
			}
			audit(t, e)
			expect(t, "idle", e.Stats(0).Idle, uint64(tt.left))
			runtime.KeepAlive(e)
		})
	}
}

// TestDroppedEngineIsCollected: a pool is a value like any other. That the engine
// is called at each collection must not keep it alive.
func TestDroppedEngineIsCollected(t *testing.T) {
	var engine weak.Pointer[Engine[*thing]]
	var items []weak.Pointer[thing]
	apart(func() {
		e := new(Engine[*thing])
		e.Init(new(Table[*thing]), Config[*thing]{
			Classes:  func() []Class { return []Class{{Size: 10, Local: Slots}} },
			Bits:     bits,
			MaxIdle:  1e6,
			IdleTime: time.Hour,
			Same:     equal[*thing],
		})
		items = things(t, e, 100)
		for e.round.Load() < 3 { // it is called indeed
			runtime.GC()
			runtime.Gosched()
		}
		expect(t, "idle items of an engine in use", e.Stats(0).Idle, 100)
		engine = weak.Make(e)
	})
	for range 100 {
		runtime.GC()
		if engine.Value() == nil && alive(items, 0) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("the engine is alive: %v; items: %d", engine.Value() != nil, alive(items, 0))
}

// TestNearMemoryLimit: idle memory goes at once when memory is short.
func TestNearMemoryLimit(t *testing.T) {
	e := new(Engine[*thing])
	e.Init(new(Table[*thing]), Config[*thing]{
		Classes:  func() []Class { return []Class{{Size: 10, Local: Slots}, {Size: 10, Local: 0}} },
		Bits:     bits,
		MaxIdle:  1e6,
		IdleTime: time.Hour,
		Same:     equal[*thing],
	})
	things(t, e, 100)
	for e.round.Load() < 3 {
		runtime.GC()
		runtime.Gosched()
	}
	expect(t, "idle items", e.Stats(0).Idle, 100)
	limit := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(limit)
	for e.idle.taken.Load() > 0 { // the test's own time limit is the only one
		runtime.GC()
		runtime.Gosched()
	}
	debug.SetMemoryLimit(limit)
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 100, Released: 100})
}

// TestRandomWalk does everything in any order and compares, after each step, with a
// plain stack for each class.
func TestRandomWalk(t *testing.T) {
	classes := []Class{{Size: 10, Local: Slots}, {Size: 25, Local: 5}, {Size: 100, Local: 1}, {Size: 7, Local: 0}, {Size: 300, Local: 2}}
	steps := 2000
	if testing.Short() || !pin.Available { // half of it is magazines
		steps = 400
	}
	for _, maxIdle := range []int64{100, 1000, 5000, 1e6} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("MaxIdle %d, seed %d", maxIdle, seed), func(t *testing.T) {
				oneP(t)
				e := newEngine[int](maxIdle, classes...)
				r := rand.New(rand.NewPCG(seed, uint64(maxIdle)))
				now, next := 0.0, 1
				model := make([][]int, len(classes))
				counts := make([]ClassStats, len(classes))
				last := make([]int, len(classes)) // the item put last, if there was no get since
				var history []string
				log := func(format string, args ...any) { history = append(history, fmt.Sprintf(format, args...)) }
				for range steps {
					// A class at a time, as bursts are what fills magazines and depots.
					c := uint(r.IntN(len(classes)))
					switch k := r.IntN(100); {
					case k < 45:
						for range 1 + r.IntN(40) {
							v := put(e, c, next)
							log("put %d in %d: %d", next, c, v)
							counts[c].Puts++
							switch v {
							case Kept:
								model[c] = append(model[c], next)
								last[c] = next
							case Full:
								counts[c].Full++
								if room, half := e.idle.limit-e.idle.taken.Load(), int64((Slots+1)/2)*classes[c].Size; room >= half {
									t.Errorf("an item of class %d is turned away with %d bytes left", c, room)
								}
							default:
								t.Errorf("put of %d in class %d has verdict %d", next, c, v)
							}
							next++
						}
					case k < 85:
						for range 1 + r.IntN(40) {
							x, ok := get(e, c)
							log("get of %d: %d, %v", c, x, ok)
							counts[c].Asked += 10
							last[c] = 0
							n := len(model[c])
							if ok != (n > 0) || ok && x != model[c][n-1] {
								t.Errorf("get of class %d is %d, %v; want the last of %v", c, x, ok, model[c])
							}
							if !ok {
								counts[c].Misses++
								break
							}
							counts[c].Hits++
							model[c] = model[c][:max(n-1, 0)]
						}
					case k < 90:
						if n := len(model[c]); n > 0 && model[c][n-1] == last[c] {
							log("put %d in %d again", last[c], c)
							expect(t, "verdict", put(e, c, last[c]), Double)
							counts[c].Double++
						}
					case k < 99:
						now += r.Float64() * 4
						log("reclaim at %v", now)
						e.reclaim(at(now))
					default:
						log("trim")
						e.Trim()
						for c := range model {
							expect(t, "idle after Trim", e.Stats(uint(c)).Idle, 0)
						}
					}
					for c := range model {
						// What is let go is the oldest.
						s := e.Stats(uint(c))
						gone := int(s.Released - counts[c].Released)
						if gone < 0 || gone > len(model[c]) {
							t.Fatalf("class %d: %d of %d items are gone", c, gone, len(model[c]))
						}
						model[c] = model[c][gone:]
						counts[c].Released = s.Released
						counts[c].Idle = uint64(len(model[c]))
						expect(t, fmt.Sprintf("stats of class %d", c), s, counts[c])
						expect(t, fmt.Sprintf("items of class %d", c), fmt.Sprint(stack(e, uint(c))), fmt.Sprint(model[c]))
					}
					audit(t, e)
					if t.Failed() {
						t.Fatalf("after\n%s", strings.Join(history[max(0, len(history)-100):], "\n"))
					}
				}
			})
		}
	}
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

// TestDepotsOnDemand: there is a depot for each class that has been used.
func TestDepotsOnDemand(t *testing.T) {
	oneP(t)
	e := new(Engine[int])
	e.Init(new(Table[int]), Config[int]{
		Classes:  func() []Class { return []Class{{Size: 10, Local: 1}, {Size: 20, Local: 2}, {Size: 30, Local: 3}} },
		Bits:     bits,
		MaxIdle:  1e6,
		IdleTime: time.Hour,
	})
	depots := func() (classes []Class) {
		for _, d := range e.made() {
			classes = append(classes, Class{Size: d.Size, Local: uint(d.local)})
		}
		return classes
	}
	e.Put(2, 1)
	expect(t, "depots", depots(), []Class{{Size: 30, Local: 3}})
	expect(t, "stats of a class without one", e.Stats(1), ClassStats{})
	e.Get(0, 1)
	expect(t, "depots", depots(), []Class{{Size: 10, Local: 1}, {Size: 30, Local: 3}})
	var all []uint
	e.AllStats(func(c uint, s ClassStats) { all = append(all, c) })
	expect(t, "classes in AllStats", all, []uint{0, 2})
	audit(t, e)
}

// TestNothingToReclaim: an engine in which nothing is left is passed over until it is used again.
func TestNothingToReclaim(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(e *Engine[int])
	}{
		{"an item in the depot", func(e *Engine[int]) { put(e, 1, 1) }},
		{"an item in a magazine", func(e *Engine[int]) { put(e, 0, 1) }},
		{"a magazine without items", func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }},
		{"a magazine without slots", func(e *Engine[int]) { e.local.limit = 0; e.Get(0, 1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !pin.Available && strings.HasPrefix(tt.name, "a magazine") {
				t.Skip("no magazines in this build")
			}
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot)
			for i := range 2 {
				tt.put(e)
				before := e.round.Load()
				e.reclaim(at(float64(100*i + 10)))
				expect(t, "rounds", e.round.Load(), before+1)
				for k := range 5 {
					e.reclaim(at(float64(100*i + 40 + 10*k)))
					audit(t, e)
				}
				expect(t, "idle", e.Stats(0).Idle+e.Stats(1).Idle, 0)
				if m := e.table.Has(0) && magazine(e, 0, 0) != e.empty; m {
					t.Error("a magazine is left")
				}
				last := e.round.Load()
				e.reclaim(at(float64(100*i + 99)))
				expect(t, "rounds of nothing", e.round.Load(), last)
			}
		})
	}
}

// TestPutLetsGoWhatIsOverdue: what nobody has touched for an IdleTime does not wait for a collection.
func TestPutLetsGoWhatIsOverdue(t *testing.T) {
	oneP(t)
	for _, tt := range []struct {
		name        string
		class       Class
		get, before int // items that are taken and put back after so many seconds
		left        int // of a hundred
	}{
		{"overdue, ten used", onlyDepot, 10, 20, 10},
		{"overdue, all used", onlyDepot, 100, 20, 100},
		{"not yet overdue", onlyDepot, 10, 19, 100},
		{"overdue, used with magazines", Class{Size: 10, Local: 4}, 50, 20, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEngine[int](1e6, tt.class)
			now := at(1)
			e.clock = func() time.Duration { return now }
			putAll(t, e, 0, seq(1, 100)...)
			now = at(1 + float64(tt.before))
			var taken []int
			for range tt.get {
				x, ok := get(e, 0)
				if !ok {
					t.Fatal("a Get finds nothing")
				}
				taken = append(taken, x)
			}
			slices.Reverse(taken)
			putAll(t, e, 0, taken...)
			audit(t, e)
			s := e.Stats(0)
			if tt.class.Local > 0 { // a magazine holds some of those that are used, with some that are not
				if int(s.Idle) < tt.left || int(s.Idle) > tt.left+4 {
					t.Errorf("%d items are left, want %d to %d", s.Idle, tt.left, tt.left+4)
				}
				return
			}
			expect(t, "items left", int(s.Idle), tt.left)
			expect(t, "released", int(s.Released), 100-tt.left)
		})
	}
}

// TestSpikeLateInACycle: it does not matter in which part of a long cycle items came.
func TestSpikeLateInACycle(t *testing.T) {
	oneP(t)
	for _, came := range []float64{0, 1, 9.9, 10, 50, 99} {
		for _, tt := range []struct {
			name  string
			after float64
			left  uint64
		}{{"before an IdleTime", 19.9, 3}, {"after it", 20, 0}} {
			e := newEngine[int](1e6, onlyDepot)
			e.clock = func() time.Duration { return at(came) }
			putAll(t, e, 0, 1, 2, 3)
			e.reclaim(at(came + tt.after))
			audit(t, e)
			expect(t, fmt.Sprintf("came at %v, %s: items left", came, tt.name), e.Stats(0).Idle, tt.left)
		}
	}
}

// TestQuietMagazineGoesAtOnce: a magazine that has been left alone for an IdleTime when it
// is settled need not be judged once more.
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
		{"settled after an IdleTime", []float64{120, 140}, 0},
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

// TestAllStatsWithinMaxIdle: an item that leaves one class while another is read is not counted
// with the one that has its room then.
func TestAllStatsWithinMaxIdle(t *testing.T) {
	oneP(t)
	for _, class := range []Class{onlyDepot, {Size: 10, Local: Slots}} {
		e := newEngine[int](10, class, class)
		putAll(t, e, 0, 1)
		var mover sync.WaitGroup
		idle := int64(0)
		e.AllStats(func(c uint, s ClassStats) {
			idle += int64(s.Idle) * class.Size
			if c == 0 {
				mover.Go(func() {
					get(e, 0)
					put(e, 1, 2)
				})
				for range 100 { // there is one P, so it gets as far as it can
					runtime.Gosched()
				}
			}
		})
		mover.Wait()
		if idle > 10 {
			t.Errorf("%d bytes are idle with a MaxIdle of 10", idle)
		}
		expect(t, "idle afterwards", e.Stats(1).Idle, 1)
		audit(t, e)
	}
}
