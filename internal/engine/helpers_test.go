package engine

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

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
