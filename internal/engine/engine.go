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
// the fast path: [Engine.Pop] and [Engine.Push]. Where a call would cost too much, it is
// spelled out in the pools themselves: between pin.Pin and pin.Unpin they find
// their P's magazine in their [Table] and use its methods.
//
// Everything else is [Engine.Get] and [Engine.Put], under the lock of the
// class's depot. The depot is a complete pool by itself: where pinning does not
// work the table is empty and every operation ends here.
//
// What may stay idle is decided by a [Budget] of MaxIdle that every item in a
// depot and every slot of a magazine is paid from before it is filled. What does
// stay is decided once per GC cycle, in reclaim.go.
package engine

import (
	"iter"
	"time"
	"weak"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
)

// Config describes an engine. It must not change once the engine is in use.
type Config[T any] struct {
	// Classes returns the kinds of items, at most 1<<Bits - 1 of them. It is
	// called at the first use, and at the first use of each class.
	Classes func() []Class

	// Bits is how many bits of an index into the table hold a class.
	Bits uint

	// MaxIdle is the ceiling on the sizes of all idle items together.
	MaxIdle int64

	// Within is a ceiling on the sizes of all idle items of several engines. It may be nil.
	Within *Budget

	// IdleTime is how long items that nobody needs may stay.
	IdleTime time.Duration

	// Admit is asked whether an item of the class larger may serve a request for
	// class c, just before it does. It is called pinned or with locks held, so it
	// must neither block nor panic. If it is nil, every item may.
	Admit func(c, larger uint) bool

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
	Fit   uint  // the last class whose items may serve requests for this one: see GetFit
}

// An Engine keeps idle items. [Engine.Init] makes it ready.
type Engine[T any] struct {
	table *Table[T]    // the pool's
	empty *Magazine[T] // stands for no magazine: nothing to pop, no room to push

	config  Config[T]
	start   sched.Once
	used    sched.Bool    // start is done
	growth  sched.Mutex   // held to replace the table or hide it, and to make a depot; before the locks of all depots
	hidden  sched.Bool    // by Hide; set under growth
	earned  sched.Uint32  // operations of Ps without a row in the table
	entries sched.Uintptr // of the table, also if it is hidden

	depots []sched.Pointer[depot[T]] // by class, nil before the first use of it; made by start

	idle  allowance // MaxIdle: items in depots and slots of magazines
	local Budget    // the part of it that slots of magazines may take

	// The rest belongs to reclaim.go.
	clock  func() time.Duration // pin.Now, but in tests
	haste  sched.Uint32         // by how many bits IdleTime is shorter, as memory is short
	round  sched.Uint64         // rounds of reclaim begun
	rests  sched.Bool           // there is nothing for reclaim, if the idle budget is not touched either
	trim   sched.Mutex          // held by Trim
	stale  sched.Bool           // whether evict may find something
	window time.Duration        // begin of the present window
	last   time.Duration        // the last round of reclaim

	fungible bool    // items of a class may serve requests for another: see surplus.go
	surplus  surplus // if so
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
	if c.Within != nil {
		e.idle.within = &share{of: c.Within}
	}
	e.local.limit = c.MaxIdle / 2
}

// lock makes the engine ready for the present P and locks the depot of class c.
func (e *Engine[T]) lock(c uint) *depot[T] {
	e.start.Do(e.begin)
	p := uint(pin.Pin())
	pin.Unpin()
	if pin.Available && !e.config.Shared && !e.has(p<<e.config.Bits) && uint(e.earned.Add(1)) >= opsPerRow*(p+1) {
		e.grow(p)
	}
	d := e.depots[c].Load()
	if d == nil {
		d = e.depot(c)
	}
	d.mu.Lock()
	return d
}

// opsPerRow is how many operations the depots must have served for each row of the table.
// A row of many classes is a kilobyte, so a pool that is hardly used is to have none, however
// many Ps there are.
const opsPerRow = 16

// begin asks to be called once per GC cycle, for as long as the engine is reachable.
func (e *Engine[T]) begin() {
	classes := e.config.Classes()
	e.depots = make([]sched.Pointer[depot[T]], len(classes))
	e.fungible = fungible(classes)
	if e.clock == nil {
		e.clock = pin.Now
	}
	e.window = e.clock()
	e.last = e.window
	e.used.Store(true)
	w, within := weak.Make(e), e.idle.within
	gccycle.Register(func(p gccycle.Pressure) bool {
		e := w.Value()
		if e == nil {
			within.leave()
			return false
		}
		e.hurry(p)
		e.reclaim(e.clock())
		if p == gccycle.Critical && e.doom() {
			gccycle.Later(e.trimDoomed) // after a stop of the world that is for all engines
		}
		return true
	})
}

// depot returns the depot of class c, made if need be.
func (e *Engine[T]) depot(c uint) *depot[T] {
	e.growth.Lock() // while the table is copied no class may get its first magazine
	defer e.growth.Unlock()
	d := e.depots[c].Load()
	if d == nil {
		now := e.clock()
		class := e.config.Classes()[c]
		d = &depot[T]{Size: class.Size, local: uint8(class.Local), fit: uint8(class.Fit), window: now, last: now}
		e.depots[c].Store(d)
	}
	return d
}

// lockAll locks all depots, of which there will be no more before unlockAll.
func (e *Engine[T]) lockAll() {
	e.growth.Lock()
	for _, d := range e.made() {
		d.mu.Lock()
	}
}

func (e *Engine[T]) unlockAll() {
	for _, d := range e.made() {
		d.mu.Unlock()
	}
	e.growth.Unlock()
}

// made yields the depots that there are, by class.
func (e *Engine[T]) made() iter.Seq2[uint, *depot[T]] {
	return func(yield func(uint, *depot[T]) bool) {
		for c := range e.depots {
			if d := e.depots[c].Load(); d != nil && !yield(uint(c), d) {
				return
			}
		}
	}
}

// grow makes room for P p in the table. Rows are added by doubling, so that they are
// copied a few times only.
func (e *Engine[T]) grow(p uint) {
	e.lockAll()
	defer e.unlockAll()
	if e.has(p << e.config.Bits) {
		return
	}
	rows := uint(1)
	for rows <= p {
		rows *= 2
	}
	rows = max(p+1, min(rows, uint(sched.GOMAXPROCS(0))))
	n := rows << e.config.Bits
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
	if !pin.Available || d.local == 0 {
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
			e.rests.Store(false)
			return fresh
		}
		pin.Unpin()
		if !d.earned() {
			return nil
		}
		fresh = new(Magazine[T]) // not while pinned
	}
}

// Get takes an idle item of class c, if there is one, for a request of asked
// bytes. It is the slow path: the magazine of the present P was empty, or hidden.
func (e *Engine[T]) Get(c uint, asked int) (x T, ok bool) {
	x, _, ok = e.get(c, asked, false)
	return x, ok
}

// get is Get, or GetFit if larger items will do.
func (e *Engine[T]) get(c uint, asked int, larger bool) (x T, class uint, ok bool) {
	if e.hidden.Load() {
		if x, ok = e.Pop(c, asked); ok {
			return x, c, true
		}
	}
	d := e.lock(c)
	defer d.mu.Unlock()
	if x, ok = e.getLocked(d, c, asked); ok {
		return x, c, true
	}
	if larger && uint(d.fit) > c && d.borrows() {
		if x, class, ok = e.larger(c, uint(d.fit), asked); ok {
			return x, class, true
		}
	}
	d.asked += uint64(asked)
	d.misses++
	return x, c, false
}

// getLocked is Get for who holds the lock of d, but counts no miss.
func (e *Engine[T]) getLocked(d *depot[T], c uint, asked int) (x T, ok bool) {
	m := e.attach(d, c)
	if m != nil {
		defer pin.Unpin() // before the lock is given back
		if n := m.Len(); n > 0 {
			return m.Pop(n-1, asked), true
		}
	}
	if len(d.items) == 0 {
		return x, false
	}
	x = e.getDepot(d, asked)
	if m != nil {
		// With one item for the caller comes a batch for those after it.
		if uint(len(d.items)) > m.limit {
			e.widen(d, m)
		}
		k := min((m.limit+1)/2, uint(len(d.items)))
		m.fill(d.items[uint(len(d.items))-k:])
		d.pop(k)
		e.idle.give(int64(k) * d.Size) // the slots are paid for
		e.ebb()
	}
	return x, true
}

// getDepot takes the last item of d, which has one. The caller holds its lock.
func (e *Engine[T]) getDepot(d *depot[T], asked int) T {
	d.asked += uint64(asked)
	d.hits++
	x := d.items[len(d.items)-1]
	d.pop(1)
	e.idle.give(d.Size)
	e.ebb()
	return x
}

// Pop takes an idle item of class c from the magazine of the present P, hidden or not, if
// that has one: the fast path as a call, for all but the few methods of pools that
// spell it out. Get is next if it fails.
func (e *Engine[T]) Pop(c uint, asked int) (x T, ok bool) {
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
	if e.hidden.Load() && e.Push(c, x) {
		return Kept
	}
	d := e.lock(c)
	v, now := e.putLocked(d, c, x)
	d.mu.Unlock()
	if now != never {
		gccycle.Poll(now)
	}
	return v
}

// never is a time that is none.
const never time.Duration = -1

// putLocked is Put for who holds the lock of d. It says when it looked at the depot, or never.
func (e *Engine[T]) putLocked(d *depot[T], c uint, x T) (v Verdict, now time.Duration) {
	now = never
	for {
		m := e.attach(d, c)
		if m == nil {
			return e.putDepot(d, x)
		}
		n := m.Len()
		if e.same(x, m.items()) || n == 0 && e.same(x, d.items) {
			pin.Unpin()
			d.double++
			return Double, now
		}
		if !m.Room(n) {
			e.widen(d, m)
		}
		if m.Room(n) {
			m.Push(n, x)
			pin.Unpin()
			return Kept, now
		}
		// The older half goes to the depot and makes room for the newer.
		h := (n + 1) / 2
		if h == 0 {
			pin.Unpin()
			return e.putDepot(d, x)
		}
		if now == never {
			pin.Unpin()
			now = e.look(d, e.clock(), false) // not while pinned
			continue
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
			d.looked(now)
			pin.Unpin()
			return Kept, now
		}
		pin.Unpin()
		if !e.evict(d, int64(h)*d.Size) {
			d.full++
			return Full, now
		}
	}
}

// Push is Put as far as it takes no lock, as Pop is Get. It reports whether x was kept; if not,
// Put is next.
func (e *Engine[T]) Push(c uint, x T) (ok bool) {
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

// putDepot is putLocked past the magazines.
func (e *Engine[T]) putDepot(d *depot[T], x T) (v Verdict, now time.Duration) {
	if e.same(x, d.items) {
		d.double++
		return Double, never
	}
	now = e.look(d, e.clock(), false)
	for !e.idle.take(d.Size) {
		if !e.evict(d, d.Size) {
			d.full++
			return Full, now
		}
	}
	d.items = append(d.items, x)
	d.restock()
	d.looked(now)
	return Kept, now
}

// same reports whether x is the last of items.
func (e *Engine[T]) same(x T, items []T) bool {
	return e.config.Same != nil && len(items) > 0 && e.config.Same(x, items[len(items)-1])
}

// large is a size of items beyond which a few slots would take the whole local budget. So
// they leave a quarter of it to others.
const large = 1 << 20

// widen doubles what the magazine may hold, as far as its class and the budgets
// allow. Magazines that never fill stay small. The caller is pinned to the
// magazine's P.
func (e *Engine[T]) widen(d *depot[T], m *Magazine[T]) {
	if !d.earned() {
		return
	}
	by := min(max(m.limit, 1), uint(d.local)-m.limit)
	cost := int64(by) * d.Size
	if d.Size > large && cost > e.local.limit/4*3-e.local.taken.Load() {
		return
	}
	if by > 0 && e.local.take(cost) {
		if e.idle.spare(cost) && e.idle.take(cost) {
			m.limit += by
		} else {
			e.local.give(cost)
		}
	}
}
