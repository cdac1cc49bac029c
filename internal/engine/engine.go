//go:build go1.25

// Package engine keeps the idle items of all pools but FixedPool, class by class, and serves Gets
// from them.
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
// A [Magazine] is a small stack of items that belongs to one P (Bonwick and Adams, "Magazines and
// Vmem", USENIX 2001). While a goroutine is pinned, it is alone on its P, so it pops and pushes
// with plain loads and stores. That is the fast path: [Engine.Pop] and [Engine.Push]. Where a call
// costs too much, the pools inline it by hand: between pin.Pin and pin.Unpin they find their P's
// magazine in their [Table] and use its methods.
//
// [Engine.Get] and [Engine.Put] are the slow path, under the lock of the class's depot. A depot is
// a complete pool by itself. Where pinning does not work, the table is empty and every operation
// uses the depot.
//
// A [Budget] of MaxIdle limits the idle items: each item in a depot and each slot of a magazine is
// paid for before it is filled. Once per GC cycle, reclaim.go releases items that are not needed.
//
// Touch it to change where idle items are kept, and how long. Arrays and settings are in the root.
package engine

import (
	"iter"
	"time"
	"weak"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
)

// Config describes an engine. It must not change once the engine is in use.
type Config[T any] struct {
	// Classes returns the size classes, at most 1<<Bits of them. The engine calls it at its first
	// use and at the first use of each class.
	Classes func() []Class

	// IdleTime is the longest time that unneeded items may stay idle.
	IdleTime time.Duration

	// MaxIdle, if not nil, returns the current limit on the total size of idle items. Each round of
	// reclaim calls it.
	MaxIdle func() int64

	// Same reports whether two items are the same item. If it is nil, Put does not detect double
	// Puts.
	Same func(a, b T) bool

	// Drop, if not nil, is called once for each item that the engine lets go: see drop.go.
	Drop func(T)

	// Weight is the number of bytes that a size of one stands for. Zero means one byte.
	Weight int64

	// Bits is the number of bits of a table index that hold the class.
	Bits uint8

	// Shared turns magazines off, as if pinning did not work. It is for items so large that a
	// magazine of them would waste memory.
	Shared bool

	Hidden bool // the table is always hidden from the fast path
}

// A Class describes the items of one size class.
type Class struct {
	Size  int64 // cost of one item, charged to MaxIdle
	Local uint  // most items that one P may keep in its magazine, at most Slots
	Fit   uint  // the last class whose items may serve requests for this one: see bestfit.go
}

// An Engine keeps idle items. [Engine.Init] must be called before anything else.
type Engine[T any] struct {
	table *Table[T]    // belongs to the pool
	empty *Magazine[T] // stands for a missing magazine: no items, no room; made with the table

	config  Config[T]
	used    sched.Bool    // begin has run
	hidden  sched.Bool    // the table is hidden by Hide; written under growth
	growth  sched.Mutex   // guards begin, replacing and hiding the table, and making depots; locked before the depots
	entries sched.Uintptr // length of the table, even while it is hidden

	classes  uint8                                  // number of classes; set by begin
	fungible bool                                   // items may serve requests of smaller classes: see surplus.go
	spare    uint16                                 // rows that shrink has hidden; guarded by growth
	waiting  sched.Uint32                           // rounds that surplus items in magazines wait for: see demand.go
	depots   sched.Pointer[lockfree.List[depot[T]]] // of the classes in use; written under growth

	idle  allowance // limited by MaxIdle: items in depots and slots of magazines
	local Budget    // limited by half of MaxIdle: slots of magazines

	// The fields below belong to reclaim.go.
	clock     func() time.Duration // pin.Now, except in tests
	pace      *pace                // busy, except in tests
	idleShift sched.Uint32         // IdleTime is shifted right by this while memory is short
	stale     sched.Bool           // evict may find untouched items
	noWork    sched.Bool           // there are no magazines, so reclaim may skip rounds until due
	awake     sched.Bool           // hook is registered
	hook      gccycle.DueHook      // a caller, made by begin
	round     sched.Uint64         // rounds of reclaim begun
	due       time.Duration        // time of the next necessary reclaim while noWork is set
	trim      sched.Mutex          // locked while Trim runs
	window    time.Duration        // start of the current window
	last      time.Duration        // time of the latest round of reclaim

	surplus surplus    // used if fungible
	demand  *demand    // nil if there is one class
	estate  *estate[T] // nil without a Drop: see drop.go
}

// Init prepares the engine, and t, the table that it maintains. maxIdle is the limit on the total
// size of idle items. within is a limit on that size that several engines share, or nil. Most of
// the set-up waits until the first use.
func (e *Engine[T]) Init(t *Table[T], maxIdle int64, within *Budget, c Config[T]) {
	e.table = t
	e.config = c
	e.setMaxIdle(maxIdle)
	if within != nil {
		e.idle.within = &share{of: within}
	}
	e.pace = &busy
	e.estate = newEstate(c)
}

// lock locks the depot of class c and returns it. It makes the depot, and starts the engine, if
// needed. If the class may have more slots, lock also ensures that the table has a row for the
// current P.
func (e *Engine[T]) lock(c uint) *depot[T] {
	if !e.used.Load() {
		e.begin()
	}
	d := e.at(c)
	if d == nil {
		d = e.depot(c)
	}
	d.mu.Lock()
	if d.slots < d.allowed() {
		p := current()
		if !e.has(p << e.config.Bits) {
			d.mu.Unlock()
			e.grow(p)
			d.mu.Lock()
		}
	}
	return d
}

// begin sets the engine up at its first use and makes the hook that wake registers.
func (e *Engine[T]) begin() {
	e.growth.Lock()
	defer e.growth.Unlock()
	if e.used.Load() {
		return
	}
	e.setClasses(e.config.Classes())
	if e.clock == nil {
		e.clock = pin.Now
	}
	e.window = e.clock()
	e.last = e.window
	e.hook = &caller[T]{weak.Make(e), e.idle.within, e.estate}
	e.used.Store(true)
}

func (e *Engine[T]) setClasses(classes []Class) {
	e.classes = uint8(len(classes))
	e.fungible = fungible(classes)
	e.demand = newDemand(len(classes))
}

// at returns the depot of class c, or nil if the class has not been used.
func (e *Engine[T]) at(c uint) *depot[T] { return e.depots.Load().At(c) }

// depot returns the depot of class c and makes it if needed.
func (e *Engine[T]) depot(c uint) *depot[T] {
	e.growth.Lock() // no class may get its first magazine while the table is copied
	defer e.growth.Unlock()
	d := e.at(c)
	if d == nil {
		now := e.clock()
		class := e.config.Classes()[c]
		d = &depot[T]{Size: class.Size, fit: uint8(class.Fit), window: now, last: now, mark: now}
		if pin.Available && !e.config.Shared {
			d.local = uint8(class.Local)
		}
		e.depots.Store(e.depots.Load().With(c, d))
		e.bequeath()
	}
	return d
}

// lockAll locks all depots. No depot can be made until unlockAll.
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

// made yields the depots made so far, in the order of their classes.
func (e *Engine[T]) made() iter.Seq2[uint, *depot[T]] {
	return func(yield func(uint, *depot[T]) bool) { e.depots.Load().Each(yield) }
}

// grow adds a row for P p to the table. It doubles the number of rows, to copy them only a few
// times.
func (e *Engine[T]) grow(p uint) {
	e.lockAll()
	defer e.unlockAll()
	e.restore() // see shrink.go
	if e.has(p << e.config.Bits) {
		return
	}
	if e.empty == nil {
		e.empty = new(Magazine[T])
	}
	rows := uint(1)
	for rows <= p {
		rows *= 2
	}
	rows = max(p+1, min(rows, uint(sched.GOMAXPROCS(0))))
	n := rows << e.config.Bits
	e.table.grow(n, uint(e.entries.Load()), e.empty, e.hidden.Load())
	e.entries.Store(uintptr(n))
	e.bequeath()
}

// has reports whether the table has an entry i, hidden or not.
func (e *Engine[T]) has(i uint) bool { return uintptr(i) < e.entries.Load() }

// Hide hides the table from the fast path or shows it again. The magazines stay in use by Get and
// Put.
func (e *Engine[T]) Hide(hidden bool) {
	e.growth.Lock()
	defer e.growth.Unlock()
	hidden = hidden || e.config.Hidden
	e.hidden.Store(hidden)
	if hidden {
		e.table.show(0)
	} else {
		e.table.show(uint(e.entries.Load()))
	}
}

// attach pins the goroutine and returns its P's magazine of class c, which it takes out of limbo if
// needed. If there is none, but the class may have more slots, attach makes one without slots: see
// widen. If the class may have no more, or the P has no row, attach returns nil, unpinned: only
// a caller with a magazine needs the P. The caller must hold the lock of d, the depot of class c.
func (e *Engine[T]) attach(d *depot[T], c uint) *Magazine[T] {
	if d.slots == 0 && d.allowed() == 0 {
		return nil
	}
	var fresh *Magazine[T]
	for {
		p := uint(pin.Pin())
		i := p<<e.config.Bits | c
		if !e.has(i) { // GOMAXPROCS was raised just now
			pin.Unpin()
			return nil
		}
		entry := e.table.Entry(i)
		if m := entry.Load(); m != e.empty {
			return m
		}
		if r := d.inLimbo(i); r != nil {
			// The magazine belongs to this P, which runs this code. So no pinned section can be
			// using the magazine, and it needs no grace period.
			m := r.Magazine
			n := m.Len()
			items, slots := uint(0), uint(0) // that the magazine gives up
			switch {
			case r.recalled || d.slots > d.allowed():
				items, slots = n, m.limit
			case r.halve:
				items, slots = n/2, n/2
			}
			if d.capLeft() < items {
				pin.Unpin()
				d.reserve(items) // not while pinned
				continue
			}
			d.removeFromLimbo(r)
			entry.Store(m)
			d.push(m.items()[:items])
			m.shift(items)
			e.narrow(d, m, slots)
			e.idle.give(int64(slots-items) * d.Size) // the payment for the other slots now pays for the items
			return m
		}
		if fresh != nil {
			entry.Store(fresh)
			return fresh
		}
		pin.Unpin()
		if d.slots >= d.allowed() {
			return nil
		}
		e.noWork.Store(false) // not lost: reclaim sets noWork before it locks a depot
		e.wake()
		fresh = new(Magazine[T]) // not while pinned
	}
}

// A Fit says which idle items may serve a Get.
type Fit uint8

const (
	OwnClass Fit = iota // items of the class that is asked for
	BestFit             // or else of a larger class, up to Class.Fit
	AnyClass            // of any class, those of the current P first: see getAny
)

// Get takes an idle item for a request of asked bytes and class c, if there is one. It also returns
// the class of the item. It is the slow path, for Gets that found the current P's magazine empty or
// hidden.
func (e *Engine[T]) Get(c uint, asked int, fit Fit) (x T, class uint, ok bool) {
	if fit == AnyClass {
		return e.getAny(c, asked)
	}
	if e.hidden.Load() {
		if x, ok = e.Pop(c, asked); ok {
			return x, c, true
		}
	}
	stands := uint32(1)
	if fit == BestFit {
		if x, class, stands = e.borrow(c, asked); stands == 0 { // see bestfit.go
			return x, class, true
		}
	}
	d := e.lock(c)
	if d.slots == 0 && d.extra == 0 && len(d.items) > 0 && d.asks+1 < e.busyAt(d) {
		// The same as below, in one step: nearly every Get that is here finds an item of a class without magazines.
		d.asks++
		x = e.getDepot(d, current(), asked)
		d.mu.Unlock()
		return x, c, true
	}
	if x, class, ok = e.find(d, c, asked, fit, stands); !ok {
		e.miss(d, c, asked)
		e.meet(d)
	}
	e.unlockGet(d)
	if !ok {
		e.keepLimit(d)
	}
	return x, class, ok
}

// find is the part of Get under the lock of d, the depot of class c. It counts no miss.
func (e *Engine[T]) find(d *depot[T], c uint, asked int, fit Fit, stands uint32) (x T, class uint, ok bool) {
	e.count(d, c)
	if x, ok = e.getLocked(d, c, asked); ok {
		return x, c, true
	}
	if fit == BestFit && e.fungible && e.borrows(d, stands) {
		if x, class, ok = e.larger(c, uint(d.fit), asked); ok {
			return x, class, true
		}
		e.replace(d, c)
	}
	return x, c, false
}

// miss counts a Get of class c that found no idle item. It recalls magazines that hold too many. The
// caller must hold the lock of d.
func (e *Engine[T]) miss(d *depot[T], c uint, asked int) {
	d.asked += uint64(asked)
	d.misses++
	if d.slots > 0 {
		e.recall(d, c)
	}
}

// getLocked takes an item of class c, and counts no miss. The caller must hold the lock of d.
func (e *Engine[T]) getLocked(d *depot[T], c uint, asked int) (x T, ok bool) {
	p := current()
	m := e.attach(d, c)
	if m != nil {
		defer pin.Unpin() // before the caller unlocks d
		if n := m.Len(); n > 0 {
			return m.Pop(n-1, asked), true
		}
	}
	if len(d.items) == 0 {
		return x, false
	}
	x = e.getDepot(d, p, asked)
	if m != nil {
		// Also take a batch for the Gets that follow.
		if uint(len(d.items)) > m.limit {
			e.widen(d, m)
		}
		k := min((m.limit+1)/2, uint(len(d.items)))
		m.fill(d.items[uint(len(d.items))-k:])
		d.pop(k)
		e.idle.give(int64(k) * d.Size) // the slots are paid for
		e.lowerMark()                  // see surplus.go
	}
	return x, true
}

// getDepot takes an item of d, which must have one, for a Get on P p. The caller must hold the lock of d.
func (e *Engine[T]) getDepot(d *depot[T], p uint, asked int) T {
	d.asked += uint64(asked)
	d.hits++
	x := d.take(p)
	d.pop(1)
	e.idle.give(d.Size)
	e.lowerMark()
	return x
}

// Pop takes an idle item of class c from the current P's magazine, hidden or not. It is the fast
// path as a call; a few methods of pools inline it by hand. If Pop fails, callers try Get.
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

// A Verdict is the result of a Put.
type Verdict int

const (
	Kept   Verdict = iota
	Full           // dropped: MaxIdle has no room
	Double         // refused: it is the latest item put
)

// Put gives an item of class c back. It is the slow path, for Puts that found the current P's
// magazine full or hidden, or saw the item on top of it.
func (e *Engine[T]) Put(c uint, x T) Verdict {
	if e.hidden.Load() && e.Push(c, x) {
		return Kept
	}
	d := e.lock(c)
	v, now := e.putLocked(d, c, x)
	if v == Full {
		e.exist(d, -1)
		if !e.awake.Load() { // no round does it
			e.followLimit()
		}
	}
	gone := d.unlock()
	if now != never {
		gccycle.Poll(now) // begins a round if collections have failed to
	}
	gone = append(gone, e.follow(now)...)
	if e.config.Drop != nil {
		e.dropPut(v, x, gone)
	}
	return v
}

// never stands for no time.
const never time.Duration = -1

// putLocked is Put, for callers that hold the lock of d. It also returns the time of its call of
// age, or never.
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
		// Move the older half to the depot to make room for newer items.
		h := (n + 1) / 2
		if h == 0 {
			pin.Unpin()
			return e.putDepot(d, x)
		}
		if now == never {
			pin.Unpin()
			now = e.age(d, e.clock(), false) // not while pinned
			continue
		}
		if d.capLeft() < h {
			pin.Unpin()
			d.reserve(h) // not while pinned
			continue
		}
		if e.idle.take(int64(h) * d.Size) {
			d.push(m.items()[:h])
			m.shift(h)
			m.Push(n-h, x)
			d.aged(now)
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

// Push puts x into the current P's magazine, without a lock, and reports whether it did. If not,
// callers try Put.
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

// putDepot puts x into d itself. It returns the same results as putLocked.
func (e *Engine[T]) putDepot(d *depot[T], x T) (v Verdict, now time.Duration) {
	if e.same(x, d.items) {
		d.double++
		return Double, never
	}
	now = e.age(d, e.clock(), false)
	for !e.idle.take(d.Size) {
		if !e.evict(d, d.Size) {
			d.full++
			return Full, now
		}
	}
	e.wake()
	d.near.put(current(), len(d.items))
	d.items = append(d.items, x)
	d.restock()
	d.aged(now)
	return Kept, now
}

// same reports whether x is the last of items.
func (e *Engine[T]) same(x T, items []T) bool {
	return e.config.Same != nil && len(items) > 0 && e.config.Same(x, items[len(items)-1])
}

// Slots of items larger than large leave a quarter of the local budget free, because a few of them
// could use it up. A new item of that size replaces a smaller idle one: see replace.
const large = 1 << 20

// widen doubles the slots of m, within the limits of its class, the class's need and the budgets.
// Magazines that never fill stay small. The caller must be pinned to the magazine's P.
func (e *Engine[T]) widen(d *depot[T], m *Magazine[T]) {
	if d.slots >= d.allowed() {
		return
	}
	by := min(max(m.limit, 1), uint(d.local)-m.limit, d.allowed()-d.slots)
	cost := int64(by) * d.Size
	if d.Size > large && cost > e.local.limit.Load()/4*3-e.local.taken.Load() {
		return
	}
	if by > 0 && e.local.take(cost) {
		if e.idle.mayGrow(cost) && e.idle.take(cost) {
			m.limit += by
			d.slots += by
		} else {
			e.local.give(cost)
		}
	}
}

// narrow takes slots from m. Their payment from the idle budget passes to the caller, which must be
// pinned to the magazine's P.
func (e *Engine[T]) narrow(d *depot[T], m *Magazine[T], slots uint) {
	m.limit -= slots
	d.slots -= slots
	e.local.give(int64(slots) * d.Size)
}
