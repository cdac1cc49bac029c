//go:build go1.25

package engine

import (
	"iter"
	"time"

	"github.com/basin-go/basin/internal/gccycle"
)

// ClassStats counts the calls and items of one class. Other Ps may go on while it is read, so it
// describes a short period, not one moment. It guarantees:
//
//   - It counts the Get of each item whose Put it counts: Puts are at most Hits + Misses, unless items
//     were put that no Get had handed out.
//   - Idle items cost at most MaxIdle: those of all classes together, if one call of
//     [Engine.AllStats] returned them.
//   - No field but Idle ever decreases, except that Unmiss takes back a miss.
type ClassStats struct {
	Hits, Misses uint64 // Gets served with an idle item, and the other Gets
	Puts         uint64 // items put back, kept or not
	Adopted      uint64 // items that no Get had handed out, kept or not
	Full, Double uint64 // Puts turned away: no room in MaxIdle, and double Puts
	Released     uint64 // idle items released
	Checked      uint64 // items put while checks tracked them, which are not kept: see CountChecked
	Asked        uint64 // bytes asked for by hits and misses
	Idle         uint64 // items idle now
	Strays       uint64 // items of Puts that no Get had handed out, as far as Retrieve took them out
}

// Stats returns the statistics of class c. It first starts an overdue round of reclaim.
func (e *Engine[T]) Stats(c uint) ClassStats {
	if !e.used.Load() {
		return ClassStats{}
	}
	e.overdue()
	d := e.at(c)
	if d == nil {
		return ClassStats{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return e.stats(d, c)
}

// AllStats calls f with the statistics of each used class, in order. The depots stay locked
// meanwhile, so the part of MaxIdle that pays for a counted item cannot pass to a class that is read
// later.
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

// overdue starts a round of reclaim for all engines if collections failed to start one, or if the
// latest round was a window ago: while there are no collections, nobody else starts one.
func (e *Engine[T]) overdue() {
	if e.idle.taken.Load() > 0 {
		now := e.clock()
		gccycle.Poll(now)
		gccycle.Overdue(now, max(e.config.IdleTime/4, minOverdue))
	}
}

// minOverdue is the shortest time between two stops of the world that statistics cause.
const minOverdue = 100 * time.Millisecond

// stats returns the statistics of class c. The caller must hold the lock of its depot, d.
func (e *Engine[T]) stats(d *depot[T], c uint) ClassStats {
	s := ClassStats{
		Hits: d.hits, Misses: d.misses, Asked: d.asked,
		Full: d.full, Double: d.double, Released: d.released, Checked: d.checked, Adopted: d.adopted, Strays: d.strays,
		Idle: uint64(len(d.items)),
	}
	// Nobody counts Puts. Each item put is idle, was popped again, was released or was never kept.
	// The same holds for adopted items.
	s.Puts = s.Idle + s.Hits + s.Released + s.Full + s.Checked
	for m := range e.magazines(d, c) {
		s.Asked += m.asked.peek() // before the pops, so that it includes no later ones
		state := m.state.peek()
		s.Idle += uint64(lenOf(state))
		s.Puts += uint64(lenOf(state)) + popsOf(state)
	}
	s.Puts -= d.adopted
	// Read the pops again after all Puts are summed.
	for m := range e.magazines(d, c) {
		s.Hits += popsOf(m.state.peek())
	}
	return s
}

// magazines yields all magazines of class c, with those in limbo. The caller must hold the lock of
// d.
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
