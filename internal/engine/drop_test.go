//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/testenv"
)

// A dropped collects the items that an engine drops.
type dropped struct {
	mu    sync.Mutex
	items []int
	also  func(int) // called for each item, if not nil
}

// newDropping is newEngine with a Drop.
func newDropping(maxIdle int64, classes ...Class) (*Engine[int], *dropped) {
	e, got := newEngine[int](maxIdle, classes...), new(dropped)
	e.config.Drop = got.drop
	e.estate = newEstate(e.config)
	e.bequeath()
	return e, got
}

func (g *dropped) drop(x int) {
	g.mu.Lock()
	g.items = append(g.items, x)
	g.mu.Unlock()
	if g.also != nil {
		g.also(x)
	}
}

// take returns the items dropped since the last call, in ascending order.
func (g *dropped) take() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	items := slices.Sorted(slices.Values(g.items))
	g.items = nil
	return items
}

// round is a round of reclaim, as caller.Round begins it.
func round(e *Engine[int], seconds float64) { dropAll(e.config.Drop, e.reclaim(at(seconds))) }

const mib = 1 << 20

// waysToGo are the ways in which items leave an engine. do returns the items that must be dropped.
var waysToGo = []struct {
	name    string
	maxIdle int64
	classes []Class
	do      func(t *testing.T, e *Engine[int]) []int
}{
	{"full", 30, []Class{onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2, 3)
		expect(t, "verdict", put(e, 0, 4), Full)
		return []int{4}
	}},
	{"nothing is kept", 0, []Class{onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		expect(t, "verdict", put(e, 0, 1), Full)
		return []int{1}
	}},
	{"adopted and full", 10, []Class{onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1)
		expect(t, "verdict", e.Adopt(0, 2), Full)
		return []int{2}
	}},
	{"evicted", 30, []Class{onlyDepot, onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2, 3)
		round(e, 10) // they are stale now
		putAll(t, e, 1, 4, 5)
		return []int{1, 2}
	}},
	{"evicted in vain", 30, []Class{{Size: 10}, {Size: 20}}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1)
		round(e, 10)
		putAll(t, e, 0, 2, 3) // these two are not stale
		expect(t, "verdict", put(e, 1, 4), Full)
		return []int{1, 4}
	}},
	{"aged, by rounds", 1000, []Class{onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, seq(1, 20)...)
		for s := range 30 {
			round(e, float64(s+1))
		}
		return seq(1, 20)
	}},
	{"aged, by a Put", 1000, []Class{onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2)
		e.last = at(100)
		putAll(t, e, 0, 3)
		return []int{1, 2}
	}},
	{"unused in a magazine", 1000, []Class{{Size: 10, Local: Slots}}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2)
		for s := range 5 {
			round(e, float64(s+1)*10)
		}
		return []int{1, 2}
	}},
	{"unused in limbo", 1000, []Class{{Size: 10, Local: Slots}}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2)
		round(e, 1)
		round(e, 2) // into limbo
		round(e, 40)
		return []int{1, 2}
	}},
	{"trimmed", 1000, []Class{{Size: 10, Local: Slots}, {Size: 10, Local: Slots}, onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 1, 1, 2)
		round(e, 1)
		round(e, 2) // into limbo
		putAll(t, e, 0, 3, 4)
		putAll(t, e, 2, 5, 6)
		e.Trim()
		return seq(1, 6)
	}},
	{"settled by a round during Trim", 1000, []Class{{Size: 10, Local: Slots}}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2)
		e.prepareTrim()
		gone := append(e.reclaim(at(1)), e.reclaim(at(2))...)
		dropAll(e.config.Drop, append(gone, e.finishTrim()...))
		return []int{1, 2}
	}},
	{"over a lower limit", 1000, []Class{onlyDepot}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, 1, 2, 3)
		e.config.MaxIdle = func() int64 { return 10 }
		round(e, 1)
		return []int{1, 2}
	}},
	{"replaced", 1e9, []Class{{mib / 2, 0, 1}, {mib * 3 / 2, 0, 2}, {mib * 2, 0, 2}}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 1, 1, 2)
		if _, _, ok := e.Get(2, 1, BestFit); ok {
			t.Error("a smaller item served")
		}
		return []int{1}
	}},
	{"surplus", 1e6, []Class{{10, 0, 1}, {20, 0, 1}}, func(t *testing.T, e *Engine[int]) []int {
		putAll(t, e, 0, seq(1, 10)...)
		putAll(t, e, 1, seq(11, 20)...)
		e.Get(0, 1, OwnClass) // item 10: each class is in use
		e.Get(1, 1, OwnClass) // item 20
		e.surplus.low.Store(e.deposited())
		for s := range 5 { // in each window, all items are touched, one after the other
			for c := range uint(2) {
				putAll(t, e, c, getAll(e, c)...)
			}
			e.surplus.low.Store(e.deposited())
			round(e, float64(s+1)*10)
		}
		rest := stack(e, 0)
		rest = append(rest, stack(e, 1)...)
		gone := slices.DeleteFunc(seq(1, 20), func(x int) bool { return x == 10 || x == 20 || slices.Contains(rest, x) })
		if len(gone) == 0 {
			t.Error("no surplus was released")
		}
		return gone
	}},
}

// TestDrop: each item that the engine lets go is dropped once, and no other. While it is dropped, no
// lock of the engine is locked.
func TestDrop(t *testing.T) {
	for _, tt := range waysToGo {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e, got := newDropping(tt.maxIdle, tt.classes...)
			got.also = func(x int) {
				e.lockNone(t, x)
				e.Stats(0) // which locks depots, too
			}
			want := tt.do(t, e)
			expect(t, "dropped", got.take(), want)
			audit(t, e)
			for c, d := range e.made() {
				if d.gone != nil {
					t.Errorf("class %d still lists %v", c, d.gone)
				}
			}
		})
	}
}

// lockNone fails the test if a lock of e is locked.
func (e *Engine[T]) lockNone(t *testing.T, x T) {
	t.Helper()
	try := func(name string, mu interface {
		TryLock() bool
		Unlock()
	}) {
		if !mu.TryLock() {
			t.Errorf("%s is locked while %v is dropped", name, x)
			return
		}
		mu.Unlock()
	}
	try("trim", &e.trim)
	try("growth", &e.growth)
	for c, d := range e.made() {
		try(fmt.Sprintf("depot %d", c), &d.mu)
	}
}

// TestDropPanics: if each call of Drop panics, each item is dropped nevertheless, the state of the
// engine is right, and the panic reaches the caller.
func TestDropPanics(t *testing.T) {
	for _, tt := range waysToGo {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e, got := newDropping(tt.maxIdle, tt.classes...)
			got.also = func(int) { panic("dropped") }
			func() {
				defer func() { expect(t, "panic", recover(), any("dropped")) }()
				tt.do(t, e)
			}()
			all := got.take()
			if len(all) == 0 {
				t.Fatal("nothing was dropped")
			}
			if double := slices.Compact(slices.Clone(all)); len(double) != len(all) {
				t.Errorf("dropped twice: %v", all)
			}
			released := uint64(0)
			for c := range tt.classes {
				s := e.Stats(uint(c))
				released += s.Released + s.Full
			}
			if s := e.Stats(2); tt.name == "replaced" && s.Misses != 0 {
				t.Errorf("%d misses, but the Get panicked", s.Misses)
			}
			expect(t, "released and full", released, uint64(len(all)))
			audit(t, e)
			e.lockNone(t, 0)
		})
	}
}

// TestDropAllExits: if Drop ends the goroutine, as t.FailNow does, the other items are dropped.
func TestDropAllExits(t *testing.T) {
	got := new(dropped)
	got.also = func(int) { runtime.Goexit() }
	done := make(chan struct{})
	go func() {
		defer close(done)
		dropAll(got.drop, seq(1, 100))
	}()
	<-done
	expect(t, "dropped", got.take(), seq(1, 100))
}

// TestDropManyPanics: dropAll does not run out of stack.
func TestDropManyPanics(t *testing.T) {
	got := new(dropped)
	got.also = func(int) { panic("dropped") }
	func() {
		defer func() { recover() }()
		dropAll(got.drop, seq(1, 10_000))
	}()
	expect(t, "dropped", len(got.take()), 10_000)
}

// TestEstate: the estate of an engine has the items in its magazines, in limbo and in depots, whether
// the table is hidden or not. In the root, TestPoolDropGarbage lets an engine become garbage.
func TestEstate(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		t.Run(fmt.Sprint("hidden ", hidden), func(t *testing.T) {
			oneP(t)
			e, _ := newDropping(1e6, Class{Size: 10, Local: Slots}, Class{Size: 10, Local: Slots}, onlyDepot)
			e.Hide(hidden)
			putAll(t, e, 1, seq(1, 9)...)
			round(e, 1)
			round(e, 2)
			putAll(t, e, 0, seq(10, 60)...)
			putAll(t, e, 2, 61, 62)
			if pin.Available && (len(e.at(1).limbo) != 1 || magazine(e, 0, 0).Len() == 0 || len(depotItems(e, 0)) == 0) {
				t.Fatal("there must be items in limbo, in a magazine and in a depot")
			}
			expect(t, "items", slices.Sorted(slices.Values(e.estate.items())), seq(1, 62))
		})
	}
}

// TestDropWhenGone: the hook drops the items of an engine that is garbage.
func TestDropWhenGone(t *testing.T) {
	got := new(dropped)
	func() {
		e := new(Engine[int])
		e.Init(new(Table[int]), 1000, nil, Config[int]{
			Classes:  func() []Class { return []Class{onlyDepot} },
			Bits:     bits,
			IdleTime: 1000 * time.Hour,
			Drop:     got.drop,
		})
		for i := range 10 {
			put(e, 0, 1+i)
		}
	}()
	all := func() int {
		got.mu.Lock()
		defer got.mu.Unlock()
		return len(got.items)
	}
	for i := 0; i < 50 && all() < 10; i++ {
		testenv.RunCleanups()
	}
	expect(t, "dropped", got.take(), seq(1, 10))
}

// TestNoDrop: without a Drop, nothing is collected, and no list is made.
func TestNoDrop(t *testing.T) {
	for _, tt := range waysToGo {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](tt.maxIdle, tt.classes...)
			tt.do(t, e)
			for c, d := range e.made() {
				if d.gone != nil {
					t.Errorf("class %d lists %v", c, d.gone)
				}
			}
			if e.estate != nil {
				t.Error("there is an estate")
			}
		})
	}
	e := newEngine[int](1000, onlyDepot)
	putAll(t, e, 0, 1, 2, 3)
	if gone := e.reclaim(at(100)); gone != nil || e.Stats(0).Released == 0 {
		t.Errorf("reclaim returned %v", gone)
	}
}
