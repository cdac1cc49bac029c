package engine

// ClassStats is what has happened to one class so far, and what it holds. It is
// consistent: all of it is true of one moment, but for the operations that
// other Ps were in the middle of.
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
	add := func(m *Magazine[T]) {
		state := m.state.peek()
		s.Hits += popsOf(state)
		s.Idle += uint64(lenOf(state))
		s.Asked += m.asked.peek()
	}
	for i := c; e.table.Has(i); i += 1 << e.config.Bits {
		add(e.table.Entry(i).Load())
	}
	for _, r := range d.limbo {
		add(r.Magazine)
	}
	// Nobody counts Puts. What was kept is idle still, or was taken, or let go.
	s.Puts = s.Idle + s.Hits + s.Released + s.Full
	return s
}
