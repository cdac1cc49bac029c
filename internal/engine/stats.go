package engine

import (
	"iter"
	"time"

	"github.com/basin-go/basin/internal/gccycle"
)

// ClassStats is what has happened to one class so far, and what it holds. Other
// Ps may go on while it is put together, so it is of a short while and not of
// one moment. It promises that
//
//   - every Put in it is of an item whose Get is in it, too, unless items were put that have
//     not been got: Puts are at most Hits + Misses;
//   - Idle items cost no more than MaxIdle, those of all classes together if they are from one
//     [Engine.AllStats];
//   - no figure but Idle is less than in the ClassStats before it, except that Unmiss takes back a miss.
type ClassStats struct {
	Hits, Misses uint64 // Gets served with an idle item, and not
	Puts         uint64 // items put back, kept or not
	Adopted      uint64 // items that no Get had handed out, kept or not
	Full, Double uint64 // of the items offered: turned away for either reason
	Released     uint64 // idle items that were let go
	Asked        uint64 // bytes asked for, by hits and misses
	Idle         uint64 // items idle now
}

// Stats returns the statistics of class c. Before that it lets go what is overdue.
func (e *Engine[T]) Stats(c uint) ClassStats {
	if !e.used.Load() {
		return ClassStats{}
	}
	e.overdue()
	d := e.depots[c].Load()
	if d == nil {
		return ClassStats{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return e.stats(d, c)
}

// AllStats calls f with the statistics of each class that has been used, in order. Meanwhile
// the depots are locked: magazines can only get what they have slots for, so no item
// is counted in one class when its room is another's already.
func (e *Engine[T]) AllStats(f func(c uint, s ClassStats)) {
	if !e.used.Load() {
		return
	}
	e.overdue()
	e.lockAll()
	defer e.unlockAll()
	for c, d := range e.made() {
		f(c, e.stats(d, c))
	}
}

// overdue begins a round of reclaim, of all engines, if collections have begun none, or if
// there was none for a window: without collections nobody else does.
func (e *Engine[T]) overdue() {
	if e.idle.taken.Load() > 0 {
		now := e.clock()
		gccycle.Poll(now)
		gccycle.Overdue(now, max(e.config.IdleTime/2, minOverdue))
	}
}

// minOverdue is how often statistics may stop the world at most.
const minOverdue = 100 * time.Millisecond

// stats returns the statistics of class c. The caller holds the lock of its depot, d.
func (e *Engine[T]) stats(d *depot[T], c uint) ClassStats {
	s := ClassStats{
		Hits: d.hits, Misses: d.misses, Asked: d.asked,
		Full: d.full, Double: d.double, Released: d.released, Adopted: d.adopted,
		Idle: uint64(len(d.items)),
	}
	// Nobody counts Puts. What was put back and kept is idle still, or was
	// taken again, or let go. The same is true of what was adopted.
	s.Puts = s.Idle + s.Hits + s.Released + s.Full
	for m := range e.magazines(d, c) {
		s.Asked += m.asked.peek() // before its pops, so that it is not for more than those
		state := m.state.peek()
		s.Idle += uint64(lenOf(state))
		s.Puts += uint64(lenOf(state)) + popsOf(state)
	}
	s.Puts -= d.adopted
	// A second look at the pops, after all Puts have been seen.
	for m := range e.magazines(d, c) {
		s.Hits += popsOf(m.state.peek())
	}
	return s
}

// magazines yields all magazines of class c, those in limbo too. The caller
// holds the lock of d.
func (e *Engine[T]) magazines(d *depot[T], c uint) iter.Seq[*Magazine[T]] {
	return func(yield func(*Magazine[T]) bool) {
		for i := c; e.has(i); i += 1 << e.config.Bits {
			if !yield(e.table.Entry(i).Load()) {
				return
			}
		}
		for _, r := range d.limbo {
			if !yield(r.Magazine) {
				return
			}
		}
	}
}
