//go:build go1.25

package engine

import (
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/sched"
)

// Items that own something else than memory must be told when they are let go: see Config.Drop. It
// is a function of users, which may block, panic and use the same pool. So it runs without locks:
//
//   - release and settle add items to the list of their depot, under its lock.
//   - unlock takes that list, so each list has one owner, and each item is in one list.
//   - Get, Put and Trim pass their list to dropAll. A round passes its list to a new goroutine.
//
// Without a Drop, lists stay nil.

// letGo adds items that d releases to the list of d. The caller must hold the lock of d.
func (e *Engine[T]) letGo(d *depot[T], items []T) {
	if e.config.Drop != nil {
		d.gone = append(d.gone, items...)
	}
}

// inherit moves the list of other to d. The caller must hold the locks of both.
func (d *depot[T]) inherit(other *depot[T]) {
	if other.gone != nil {
		d.gone = append(d.gone, other.gone...)
		other.gone = nil
	}
}

// unlock unlocks d and returns its list. The caller must see to it that these items are dropped.
func (d *depot[T]) unlock() (gone []T) {
	gone, d.gone = d.gone, nil
	d.mu.Unlock()
	return gone
}

// unlockGet unlocks d at the end of a Get, and drops items that replace released.
func (e *Engine[T]) unlockGet(d *depot[T]) { e.dropGet(d, d.unlock()) }

// dropGet drops items that a miss of d's class released. If that panics, the Get hands out nothing, so
// its miss does not count.
func (e *Engine[T]) dropGet(d *depot[T], gone []T) {
	if gone == nil {
		return
	}
	panics := true
	defer func() {
		if panics {
			d.mu.Lock()
			d.misses--
			e.exist(d, -1)
			d.mu.Unlock()
		}
	}()
	dropAll(e.config.Drop, gone)
	panics = false
}

// unlockTrim unlocks d and keeps its list for finishTrim. The caller must hold e.trim.
func (e *Engine[T]) unlockTrim(d *depot[T]) {
	if gone := d.unlock(); gone != nil {
		e.estate.trimmed = append(e.estate.trimmed, gone...)
	}
}

// takeTrimmed returns the items that the current Trim has released. The caller must hold e.trim.
func (e *Engine[T]) takeTrimmed() (gone []T) {
	if s := e.estate; s != nil {
		gone, s.trimmed = s.trimmed, nil
	}
	return gone
}

// Drop drops x, which its user gave back, but which never reached the engine.
func (e *Engine[T]) Drop(x T) {
	if e.config.Drop != nil {
		e.config.Drop(x)
	}
}

// dropPut drops items that a Put of x released, and x if the Put did not keep it.
func (e *Engine[T]) dropPut(v Verdict, x T, gone []T) {
	if v == Full {
		defer e.config.Drop(x) // even if dropAll panics
	}
	dropAll(e.config.Drop, gone)
}

// dropAll calls drop for each item. If a call panics or ends the goroutine, dropAll still calls
// drop for the items that follow.
func dropAll[T any](drop func(T), items []T) {
	next := 0
	defer func() {
		if next < len(items) {
			dropAll(drop, items[next:])
		}
	}()
	for next < len(items) {
		x := items[next]
		next++
		drop(x)
	}
}

// dropLater drops items that a round released.
func (e *Engine[T]) dropLater(items []T) { dropLater(e.config.Drop, items) }

// dropLater calls dropAll on a new goroutine, for rounds: they may run on the runtime's goroutine
// of finalizers, or in a call of a user who holds locks.
func dropLater[T any](drop func(T), items []T) {
	if len(items) > 0 {
		sched.Go(func() { dropAll(drop, items) })
	}
}

// An estate holds the parts of an engine that must outlive it: Drop, and the way to all idle items.
// It does not refer to the engine, nor to the pool. The engine's caller keeps it alive while there
// are idle items, because the hook is registered then.
type estate[T any] struct {
	drop    func(T)
	bits    uint8                                  // Config.Bits
	table   Table[T]                               // the engine's table, even while that is hidden
	depots  sched.Pointer[lockfree.List[depot[T]]] // the engine's depots
	trimmed []T                                    // list of the current Trim; guarded by Engine.trim
}

// newEstate returns an estate without items, or nil without a Drop.
func newEstate[T any](c Config[T]) *estate[T] {
	if c.Drop == nil {
		return nil
	}
	return &estate[T]{drop: c.Drop, bits: c.Bits}
}

// bequeath updates the estate after a change of the table or the depots. The caller must hold
// growth.
func (e *Engine[T]) bequeath() {
	if s := e.estate; s != nil {
		s.depots.Store(e.depots.Load())
		s.table.first.Store(e.table.first.Load())
		s.table.show(uint(e.entries.Load()))
	}
}

// settle drops all idle items when the engine is gone. s may be nil.
func (s *estate[T]) settle() {
	if s != nil {
		dropLater(s.drop, s.items())
	}
}

// items returns all idle items when the engine is gone. A goroutine can still be at the end of a
// Put, where it needs the lock of a depot, but no longer the engine. No section that uses a magazine
// is pinned: the world has stopped since the engine was last in use.
func (s *estate[T]) items() (all []T) {
	s.depots.Load().Each(func(c uint, d *depot[T]) bool {
		d.mu.Lock()
		all = append(all, d.items...)
		for i := c; s.table.Has(i); i += 1 << s.bits {
			all = append(all, s.table.Entry(i).Load().items()...)
		}
		for _, r := range d.limbo {
			all = append(all, r.items()...)
		}
		d.mu.Unlock()
		return true
	})
	return all
}
