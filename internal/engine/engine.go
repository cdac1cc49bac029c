// Package engine is the machinery under every pool of basin: it keeps items that
// nobody uses at the moment, class by class, and gives them out again.
//
//	       pinned, no locks, no atomics            a lock per batch
//	      ┌────────────┐                       ┌────────────────────┐
//	P 0   │ magazine   │ ── full: older half ─▶│ depot              │
//	      │ ▒▒▒▒░░░░░░ │ ◀─ empty: a batch ─── │ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ │
//	      ├────────────┤                       │         ▲          │
//	P 1   │ magazine   │ ◀────────────────────▶│   low-water mark   │
//	      │ ▒░░░░░░░░░ │                       └────────────────────┘
//	      └────────────┘                                 │ below it for IdleTime,
//	          ⋮  │                                       ▼ or over MaxIdle
//	             │ quiet for a GC cycle               collector
//	             ▼
//	           limbo ── after a grace period ──▶ depot
//
// A [Magazine] is a small stack of items that belongs to one P (Bonwick and
// Adams, "Magazines and Vmem", USENIX 2001). While a goroutine is pinned it is
// alone on its P, so it pops and pushes with plain loads and stores. That is
// the fast path, and it is spelled out in the pools themselves: between
// pin.Pin and pin.Unpin they find their P's magazine in their [Table] and use its
// methods.
//
// Everything else is [Engine.Get] and [Engine.Put], under the lock of the
// class's depot. The depot is a complete pool by itself: where pinning does not
// work the table is empty and every operation ends here.
//
// What may stay idle is decided by a [budget] of MaxIdle that every item in a
// depot and every slot of a magazine is paid from before it is filled. What does
// stay is decided once per GC cycle, in reclaim.go.
package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// Config describes an engine. It must not change once the engine is in use.
type Config[T any] struct {
	// Classes returns the kinds of items, at most 1<<Bits - 1 of them. It is
	// called at the first use.
	Classes func() []Class

	// Bits is how many bits of an index into the table hold a class.
	Bits uint

	// MaxIdle is the ceiling on the sizes of all idle items together.
	MaxIdle int64

	// IdleTime is how long items that nobody needs may stay.
	IdleTime time.Duration

	// Same reports whether two items are one and the same. If it is nil,
	// nothing is compared.
	Same func(a, b T) bool

	// Shared says that there are to be no magazines, as where pinning does not
	// work: items so large that a magazine of them would be a waste.
	Shared bool
}

// A Class is one kind of items.
type Class struct {
	Size  int64 // what one item costs of MaxIdle
	Local uint  // how many a P may keep for itself, at most Slots
}

// An Engine keeps idle items. [Engine.Init] makes it ready.
type Engine[T any] struct {
	table *Table[T]    // the pool's
	empty *Magazine[T] // stands for no magazine: nothing to pop, no room to push

	config  Config[T]
	start   sync.Once
	used    atomic.Bool    // start is done
	growth  sync.Mutex     // held to replace the table or hide it, before the locks of all depots
	hidden  atomic.Bool    // by Hide; set under growth
	entries atomic.Uintptr // of the table, also if it is hidden
	depots  []depot[T]     // by class; made by start

	idle  budget // MaxIdle: items in depots and slots of magazines
	local budget // the part of it that slots of magazines may take

	// The rest belongs to reclaim.go.
	round  atomic.Uint64 // rounds of reclaim begun
	trim   sync.Mutex    // held by Trim
	stale  atomic.Bool   // whether evict may find something
	window time.Time     // begin of the present window
	last   time.Time     // the last round of reclaim
}

// Init makes the engine ready, and t the table that it maintains. It costs next to
// nothing until the first use.
func (e *Engine[T]) Init(t *Table[T], c Config[T]) {
	e.table = t
	e.config = c
	if !c.Shared {
		e.empty = new(Magazine[T])
	}
	e.idle.limit = c.MaxIdle
	e.local.limit = c.MaxIdle / 2
}

// lock makes the engine ready for the present P and locks the depot of class c.
func (e *Engine[T]) lock(c uint) *depot[T] {
	e.start.Do(e.begin)
	p := pin.Pin()
	pin.Unpin()
	if pin.Available && !e.config.Shared && !e.has(uint(p)<<e.config.Bits) {
		e.grow()
	}
	d := &e.depots[c]
	d.mu.Lock()
	return d
}

// begin makes the depots and asks to be called once per GC cycle, for as
// long as the engine is reachable.
func (e *Engine[T]) begin() {
	classes := e.config.Classes()
	e.depots = make([]depot[T], len(classes))
	for i, class := range classes {
		e.depots[i].Class = class
	}
	e.window = time.Now()
	e.last = e.window
	e.used.Store(true)
	w := weak.Make(e)
	gccycle.Register(func(nearLimit bool) bool {
		e := w.Value()
		if e == nil {
			return false
		}
		e.reclaim(time.Now())
		if nearLimit {
			e.Trim()
		}
		return true
	})
}

// grow makes room for all Ps in the table.
func (e *Engine[T]) grow() {
	e.growth.Lock()
	defer e.growth.Unlock()
	n := uint(runtime.GOMAXPROCS(0)) << e.config.Bits
	if e.has(n - 1) {
		return
	}
	for i := range e.depots {
		e.depots[i].mu.Lock()
		defer e.depots[i].mu.Unlock()
	}
	e.table.grow(n, uint(e.entries.Load()), e.empty, e.hidden.Load())
	e.entries.Store(uintptr(n))
}

// has reports whether there is an entry i of the table, hidden or not.
func (e *Engine[T]) has(i uint) bool { return uintptr(i) < e.entries.Load() }

// Hide hides the table from the fast path, or shows it again. The magazines stay, for
// Get and Put.
func (e *Engine[T]) Hide(hidden bool) {
	e.growth.Lock()
	defer e.growth.Unlock()
	e.hidden.Store(hidden)
	if hidden {
		e.table.show(0)
	} else {
		e.table.show(uint(e.entries.Load()))
	}
}

// attach pins the goroutine and returns its P's magazine of class c, out of
// limbo or new if need be. If there can be none it returns nil, not pinned.
// The caller holds the lock of d, the depot of class c.
func (e *Engine[T]) attach(d *depot[T], c uint) *Magazine[T] {
	if !pin.Available || d.Local == 0 {
		return nil
	}
	var fresh *Magazine[T]
	for {
		p := uint(pin.Pin())
		i := p<<e.config.Bits | c
		if !e.has(i) { // Shared, or GOMAXPROCS has just been raised
			pin.Unpin()
			return nil
		}
		entry := e.table.Entry(i)
		if m := entry.Load(); m != e.empty {
			return m
		}
		if r := d.inLimbo(i); r != nil {
			// The P is the magazine's own and runs this, so no pinned
			// section can be using it: no need to wait for a grace period.
			m, h := r.Magazine, uint(0)
			if r.halve {
				h = m.Len() / 2
			}
			if d.room() < h {
				pin.Unpin()
				d.reserve(h) // not while pinned
				continue
			}
			d.removeFromLimbo(r)
			entry.Store(m)
			d.push(m.items()[:h])
			m.shift(h)
			m.limit -= h // what the slots were paid with now pays for the items
			e.local.give(int64(h) * d.Size)
			return m
		}
		if fresh != nil {
			entry.Store(fresh)
			return fresh
		}
		pin.Unpin()
		fresh = new(Magazine[T]) // not while pinned
	}
}

// Get takes an idle item of class c, if there is one, for a request of asked
// bytes. It is the slow path: the magazine of the present P was empty, or hidden.
func (e *Engine[T]) Get(c uint, asked int) (x T, ok bool) {
	if e.hidden.Load() {
		if x, ok = e.pop(c, asked); ok {
			return x, true
		}
	}
	d := e.lock(c)
	defer d.mu.Unlock()
	m := e.attach(d, c)
	if m != nil {
		defer pin.Unpin() // before the lock is given back
		if n := m.Len(); n > 0 {
			return m.Pop(n-1, asked), true
		}
	}
	d.asked += uint64(asked)
	if len(d.items) == 0 {
		d.misses++
		return x, false
	}
	d.hits++
	x = d.items[len(d.items)-1]
	d.pop(1)
	e.idle.give(d.Size)
	if m != nil {
		// With one item for the caller comes a batch for those after it.
		if uint(len(d.items)) > m.limit {
			e.widen(d, m)
		}
		k := min((m.limit+1)/2, uint(len(d.items)))
		m.fill(d.items[uint(len(d.items))-k:])
		d.pop(k)
		e.idle.give(int64(k) * d.Size) // the slots are paid for
	}
	return x, true
}

// pop is Get where it takes no lock: the fast path for magazines that are hidden.
func (e *Engine[T]) pop(c uint, asked int) (x T, ok bool) {
	i := uint(pin.Pin())<<e.config.Bits | c
	if e.has(i) {
		m := e.table.Entry(i).Load()
		if n := m.Len(); n > 0 {
			x, ok = m.Pop(n-1, asked), true
		}
	}
	pin.Unpin()
	return x, ok
}

// Unmiss takes back that a Get of class c was counted as a miss: nothing was
// handed out after all.
func (e *Engine[T]) Unmiss(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.misses--
}

// A Verdict is what became of an item that was put back.
type Verdict int

const (
	Kept   Verdict = iota
	Full           // MaxIdle has no room for it
	Double         // it is the item that was put back just before
)

// Put gives an item of class c back. It is the slow path: the magazine of the
// present P was full, or hidden, or showed the item on top.
func (e *Engine[T]) Put(c uint, x T) Verdict {
	if e.hidden.Load() && e.push(c, x) {
		return Kept
	}
	d := e.lock(c)
	defer d.mu.Unlock()
	for {
		m := e.attach(d, c)
		if m == nil {
			return e.putDepot(d, x)
		}
		n := m.Len()
		if e.same(x, m.items()) || n == 0 && e.same(x, d.items) {
			pin.Unpin()
			d.double++
			return Double
		}
		if !m.Room(n) {
			e.widen(d, m)
		}
		if m.Room(n) {
			m.Push(n, x)
			pin.Unpin()
			return Kept
		}
		// The older half goes to the depot and makes room for the newer.
		h := (n + 1) / 2
		if h == 0 {
			pin.Unpin()
			return e.putDepot(d, x)
		}
		if d.room() < h {
			pin.Unpin()
			d.reserve(h) // not while pinned
			continue
		}
		if e.idle.take(int64(h) * d.Size) {
			d.push(m.items()[:h])
			m.shift(h)
			m.Push(n-h, x)
			pin.Unpin()
			return Kept
		}
		pin.Unpin()
		if !e.evict(d, int64(h)*d.Size) {
			d.full++
			return Full
		}
	}
}

// push is Put where it takes no lock, as pop is Get.
func (e *Engine[T]) push(c uint, x T) (ok bool) {
	i := uint(pin.Pin())<<e.config.Bits | c
	if e.has(i) {
		m := e.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && !e.same(x, m.items()) {
			m.Push(n, x)
			ok = true
		}
	}
	pin.Unpin()
	return ok
}

// putDepot puts x into the depot, past the magazines.
func (e *Engine[T]) putDepot(d *depot[T], x T) Verdict {
	if e.same(x, d.items) {
		d.double++
		return Double
	}
	for !e.idle.take(d.Size) {
		if !e.evict(d, d.Size) {
			d.full++
			return Full
		}
	}
	d.items = append(d.items, x)
	return Kept
}

// same reports whether x is the last of items.
func (e *Engine[T]) same(x T, items []T) bool {
	return e.config.Same != nil && len(items) > 0 && e.config.Same(x, items[len(items)-1])
}

// widen doubles what the magazine may hold, as far as its class and the budgets
// allow. Magazines that never fill stay small. The caller is pinned to the
// magazine's P.
func (e *Engine[T]) widen(d *depot[T], m *Magazine[T]) {
	by := min(max(m.limit, 1), d.Local-m.limit)
	if cost := int64(by) * d.Size; by > 0 && e.local.take(cost) {
		if e.idle.take(cost) {
			m.limit += by
		} else {
			e.local.give(cost)
		}
	}
}
