//go:build go1.25

package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// The tests in this file cover faults that need several Ps at a time. The mutants in proof/mutants
// show that they detect them.

// putFast puts like pools do: first on the fast path, which takes no lock.
func putFast[T comparable](e *Engine[T], c uint, x T) Verdict {
	i := uint(pin.Pin())<<e.config.Bits | c
	if e.table.Has(i) {
		m := e.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			pin.Unpin()
			return Kept
		}
	}
	pin.Unpin()
	return e.Put(c, x)
}

// TestOneOwner: a goroutine that gets an item is its only owner, while items move in all possible
// ways and Ps come and go.
func TestOneOwner(t *testing.T) { oneOwner(t, func(*Engine[int], int) {}) }

// TestOneOwnerHidden: the same, while magazines are hidden now and then.
func TestOneOwnerHidden(t *testing.T) {
	oneOwner(t, func(e *Engine[int], i int) { e.Hide(i%3 > 0) })
}

func oneOwner(t *testing.T, disturb func(e *Engine[int], i int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const owners = 8
	ops := 200_000
	if !pin.Available { // each operation takes a lock
		ops /= 20
	}
	e := new(Engine[int])
	e.Init(new(Table[int]), 24, nil, Config[int]{
		Classes:  func() []Class { return []Class{{Size: 1, Local: 3, Fit: 1}, {Size: 1, Local: 3}} },
		Bits:     bits,
		IdleTime: time.Millisecond,
		Same:     equal[int],
	})
	e.pace = &pace{4, time.Minute} // magazines come and go
	var (
		last  atomic.Int64
		owned = make([]atomic.Bool, 2*(owners*ops+1))
		twice atomic.Int64
		users sync.WaitGroup
	)
	for range owners {
		users.Go(func() {
			var held []int
			give := func() {
				x := held[0]
				held = held[1:]
				owned[x].Store(false)
				putFast(e, uint(x%2), x)
			}
			for i := range ops {
				c := uint(i/5) % 2
				var x int
				var ok bool
				if i%3 == 0 {
					x, ok = get(e, c)
				} else {
					x, c, ok = getFit(e, c)
				}
				if !ok {
					x = int(2*last.Add(1)) + int(c)
				}
				if owned[x].Swap(true) || x == 0 || ok && uint(x%2) != c {
					twice.Add(1)
					return
				}
				held = append(held, x)
				for len(held) > i%4 {
					give()
				}
				if i%16 == 0 {
					runtime.Gosched()
				}
			}
			for len(held) > 0 {
				give()
			}
		})
	}
	done := make(chan struct{})
	var disturber sync.WaitGroup
	disturber.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			runtime.GC()
			runtime.GOMAXPROCS(2 + i%3)
			if i%4 == 0 {
				e.Trim()
			}
			disturb(e, i)
		}
	})
	users.Wait()
	close(done)
	disturber.Wait()
	if n := twice.Load(); n > 0 {
		t.Fatalf("%d owners got somebody else's item, or one of the other class", n)
	}
	e.Trim()
	expect(t, "taken after Trim", e.idle.taken.Load(), 0)
	for c := range uint(2) {
		if s := e.Stats(c); s.Hits+s.Misses != s.Puts || s.Puts != s.Hits+s.Released+s.Full {
			t.Errorf("class %d: everything has been put back, but %+v", c, s)
		}
	}
}

// TestStatsNeverAheadOfGets: no statistics count a Put without its Get, even if the P that is read
// first goes on while the others are read.
func TestStatsNeverAheadOfGets(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	if pin.Available {
		e.empty = new(Magazine[int])
		e.table.grow(20_000<<bits, 0, e.empty, false) // reading takes longer with more rows
		e.entries.Store(20_000 << bits)
	}
	var stop atomic.Bool
	var users sync.WaitGroup
	for u := range 3 {
		users.Go(func() {
			for !stop.Load() {
				x, ok := get(e, 0)
				if !ok {
					x = u + 1
				}
				putFast(e, 0, x)
			}
		})
	}
	for range 300 {
		if s := e.Stats(0); s.Puts > s.Hits+s.Misses {
			t.Errorf("%d Puts of %d Gets", s.Puts, s.Hits+s.Misses)
			break
		}
	}
	stop.Store(true)
	users.Wait()
}

// TestTableIsPublishedWhole: a goroutine that sees the length of a table finds all its entries.
func TestTableIsPublishedWhole(t *testing.T) {
	defer runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	empty := new(Magazine[int])
	tables := make([]Table[int], 20_000)
	// Keep the two sides in step, but do not spin while the other side has no CPU.
	spin := func(i int) {
		if i > 10_000 {
			time.Sleep(time.Microsecond)
		}
	}
	var seen atomic.Int64
	var reader sync.WaitGroup
	reader.Go(func() {
		defer seen.Store(int64(len(tables)))
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("an entry that the table has: %v", r)
			}
		}()
		for i := range tables {
			for n := 0; !tables[i].Has(0); n++ {
				spin(n)
			}
			if m := tables[i].Entry(0).Load(); m != empty {
				t.Errorf("an entry that the table has holds %v", m)
			}
			seen.Store(int64(i + 1))
		}
	})
	for i := range tables {
		tables[i].grow(1, 0, empty, false)
		for n := 0; seen.Load() <= int64(i); n++ {
			spin(n)
		}
	}
	reader.Wait()
}

// TestGrowWaitsForDepots: the table is not replaced while a depot is locked, because the holder of
// the lock may be about to change an entry.
func TestGrowWaitsForDepots(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, Class{Size: 10, Local: Slots})
	e.at(1).mu.Lock()
	var grower sync.WaitGroup
	grower.Go(func() { e.grow(0) })
	for range 100 { // with one P, it gets as far as it can
		runtime.Gosched()
	}
	expect(t, "rows while a depot is locked", rows(e), 0)
	e.at(1).mu.Unlock()
	grower.Wait()
	expect(t, "rows", rows(e), 1)
}

// TestGrowthOnDemand: a P that was added later gets a row at its first use of the engine.
func TestGrowthOnDemand(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
	putAll(t, e, 0, 1)
	runtime.GOMAXPROCS(4)
	var users sync.WaitGroup
	for range 8 { // they never rest, so some P other than the first runs one
		users.Go(func() {
			for i := 0; i < 1_000_000 && rows(e) < 4; i++ {
				e.Get(0, 1, OwnClass)
			}
		})
	}
	users.Wait()
	expect(t, "rows", rows(e), 4)
}

// TestWakes: an engine that gets an item while it falls asleep ends up awake, and registered once.
func TestWakes(t *testing.T) {
	defer runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	e := newEngine[int](1e6, onlyDepot)
	e.hook = gccycle.Hook(func(gccycle.Pressure) bool { return false })
	e.noWork.Store(true)
	for range 20_000 {
		e.awake.Store(true)
		var both sync.WaitGroup
		var slept bool
		both.Go(func() { slept = e.sleeps() })
		both.Go(func() { e.idle.take(1); e.wake() })
		both.Wait()
		if !e.awake.Load() {
			t.Fatalf("it sleeps (%t) although there is something to reclaim", slept)
		}
		e.idle.give(1)
	}
}

// TestLimboOfAnotherP: a P without a magazine does not get another P's magazine from limbo, because
// that P may be using it.
func TestLimboOfAnotherP(t *testing.T) {
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
	e.reclaim(at(1))
	e.reclaim(at(2))
	expect(t, "magazines in limbo", len(e.at(0).limbo), 1)
	if x, ok := get(e, 0); ok {
		t.Errorf("P 0 got item %d of P 3", x)
	}
	audit(t, e)
	if r := e.at(0).inLimbo(3 << bits); r == nil || r.Magazine != m {
		t.Error("P 3's magazine is not in limbo")
	}
}

// TestBudgetAtOnce: concurrent takes and gives add up.
func TestBudgetAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	b := NewBudget(3)
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for range 300_000 {
				if b.take(1) {
					b.give(1)
				}
			}
		})
	}
	users.Wait()
	expect(t, "taken", b.taken.Load(), 0)
}
