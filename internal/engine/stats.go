package engine

import "iter"

// ClassStats is what has happened to one class so far, and what it holds. Other
// Ps may go on while it is put together, so it is of a short while and not of
// one moment; but every Put in it is of an item whose Get is in it, too.
type ClassStats struct {
	Hits, Misses uint64 // Gets served with an idle item, and not
	Puts         uint64 // items put back, kept or not
	Full, Double uint64 // of the items offered: turned away for either reason
	Released     uint64 // idle items that were let go
	Asked        uint64 // bytes asked for, by hits and misses
	Idle         uint64 // items idle now
}

// Stats returns the statistics of class c.
func (e *Engine[T]) Stats(c uint) ClassStats {
	if !e.used.Load() {
		return ClassStats{}
	}
	d := &e.depots[c]
	d.mu.Lock()
	defer d.mu.Unlock()
	s := ClassStats{
		Hits: d.hits, Misses: d.misses, Asked: d.asked,
		Full: d.full, Double: d.double, Released: d.released,
		Idle: uint64(len(d.items)),
	}
	// Nobody counts Puts. What was put back and kept is idle still, or was
	// taken again, or let go.
	s.Puts = s.Idle + s.Hits + s.Released + s.Full
	for m := range e.magazines(d, c) {
		s.Asked += m.asked.peek() // before its pops, so that it is not for more than those
		state := m.state.peek()
		s.Idle += uint64(lenOf(state))
		s.Puts += uint64(lenOf(state)) + popsOf(state)
	}
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
