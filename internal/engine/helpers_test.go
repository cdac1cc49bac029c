//go:build go1.25

package engine

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// Nobody but the test uses an engine in these tests. There is one P, so that the test knows the
// magazine that it uses. Only the test calls reclaim, at times of its choice.

const bits = 3 // up to seven classes

// idleTime makes windows of ten seconds.
const idleTime = 40 * time.Second

// at returns the time of an engine's clock the given number of seconds after its start.
func at(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

// oneP leaves the test a single P, and thus a single magazine for each class.
func oneP(t testing.TB) {
	procs := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
}

// equal is the Same of all engines in these tests.
func equal[T comparable](a, b T) bool { return a == b }

// newEngine returns an engine that rounds do not call and whose clock shows the time of the latest
// reclaim. All its classes are so busy that each P may have all slots, and need so many items that
// no miss recalls a magazine.
func newEngine[T comparable](maxIdle int64, classes ...Class) *Engine[T] {
	e := new(Engine[T])
	e.Init(new(Table[T]), maxIdle, nil, Config[T]{
		Classes:  func() []Class { return classes },
		Bits:     bits,
		IdleTime: idleTime,
		Same:     equal[T],
	})
	e.setClasses(classes)
	e.clock = func() time.Duration { return e.last }
	e.used.Store(true)
	e.pace = &pace{1 << 31, time.Hour} // classes stay busy
	for c := range classes {
		if d := e.depot(uint(c)); d.local > 0 {
			d.extra, d.peak = 1<<20, 1<<20
		}
	}
	return e
}

// get gets like pools do: first on the fast path.
func get[T any](e *Engine[T], c uint) (x T, ok bool) {
	if x, ok = getFast(e, c); ok {
		return x, true
	}
	x, _, ok = e.Get(c, asked, OwnClass)
	return x, ok
}

// getFit is get with best fit.
func getFit[T any](e *Engine[T], c uint) (x T, class uint, ok bool) {
	if x, ok = getFast(e, c); ok {
		return x, c, true
	}
	return e.Get(c, asked, BestFit)
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

// put puts on the slow path.
func put[T any](e *Engine[T], c uint, x T) Verdict { return e.Put(c, x) }

// putAll puts items and requires that all are kept.
func putAll[T any](t testing.TB, e *Engine[T], c uint, items ...T) {
	t.Helper()
	for _, x := range items {
		if v := put(e, c, x); v != Kept {
			t.Fatalf("put(%v) in class %d has verdict %d, want it kept", x, c, v)
		}
	}
}

// getAll gets items until none is idle.
func getAll[T any](e *Engine[T], c uint) (items []T) {
	for {
		x, ok := get(e, c)
		if !ok {
			return items
		}
		items = append(items, x)
	}
}

// seq returns the integers from first to last, in either direction.
func seq(first, last int) (s []int) {
	for i := first; i <= last; i++ {
		s = append(s, i)
	}
	for i := first; i >= last && first > last; i-- {
		s = append(s, i)
	}
	return s
}

// rows returns the number of rows of the table.
func rows[T any](e *Engine[T]) (n int) {
	for e.table.Has(uint(n) << e.config.Bits) {
		n++
	}
	return n
}

// magazine returns the magazine of class c of P p, or e.empty.
func magazine[T any](e *Engine[T], p, c uint) *Magazine[T] {
	if !e.has(p<<e.config.Bits | c) {
		return e.empty
	}
	return e.table.Entry(p<<e.config.Bits | c).Load()
}

// depotItems returns the items of a depot.
func depotItems[T any](e *Engine[T], c uint) []T { return slices.Clone(e.at(c).items) }

// stack returns all items of a class, oldest first. No other P may have a magazine.
func stack[T any](e *Engine[T], c uint) []T {
	items := depotItems(e, c)
	for _, r := range e.at(c).limbo {
		items = append(items, r.items()...)
	}
	if e.table.Has(0) {
		items = append(items, magazine(e, 0, c).items()...)
	}
	return items
}

// audit checks the invariants of an engine that nobody is using. Above all, the amounts taken from
// the budgets must be exactly the cost of the items in depots and the slots of magazines.
func audit[T any](t testing.TB, e *Engine[T]) {
	t.Helper()
	var idle, local int64
	for c, d := range e.made() {
		idle += int64(len(d.items)) * d.Size
		slots := uint(0)
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
			slots += m.limit
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
		if slots != d.slots {
			t.Errorf("class %d: magazines have %d slots, counted %d", c, slots, d.slots)
		}
	}
	if got := e.idle.taken.Load(); got != idle || got > e.idle.Limit() {
		t.Errorf("%d of the idle budget of %d are taken, but items and slots cost %d", got, e.idle.Limit(), idle)
	}
	if got := e.local.taken.Load(); got != local || got > e.local.Limit() {
		t.Errorf("%d of the local budget of %d are taken, but slots cost %d", got, e.local.Limit(), local)
	}
	if e.empty != nil && (e.empty.state.get() != 0 || e.empty.limit != 0 || !zero(e.empty.slots[:])) {
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

// expect fails the test if got differs from want.
func expect[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if g.Kind() != reflect.Struct {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i := range g.NumField() {
		if g, w := fmt.Sprint(g.Field(i)), fmt.Sprint(w.Field(i)); g != w {
			t.Errorf("%s: %s is %s, want %s", what, reflect.TypeFor[T]().Field(i).Name, g, w)
		}
	}
}

// onlyDepot is a class without magazines, for tests of depots alone.
var onlyDepot = Class{Size: 10, Local: 0}
