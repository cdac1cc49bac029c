//go:build go1.25

package engine

// Abandon releases all idle items of the classes before first and after last, which the pool will not
// ask for any more. Magazines of these classes leave the table, so the fast path puts nothing there
// either. The pool must drop later Puts of these classes itself.
func (e *Engine[T]) Abandon(first, last uint) {
	var gone []T
	e.trim.Lock() // or finishTrim would take magazines that had no grace period
	for c, d := range e.made() {
		if first <= c && c <= last {
			continue
		}
		d.mu.Lock()
		e.discard(d, c)
		gone = append(gone, d.unlock()...)
	}
	e.trim.Unlock()
	dropAll(e.config.Drop, gone)
}

// discard releases the items of d, the depot of class c, and takes the magazines of c out of the
// table. Their items are released after a grace period: by finishTrim, or by a round of reclaim. The
// caller must hold the lock of d.
func (e *Engine[T]) discard(d *depot[T], c uint) {
	e.retire(d, c, true, 0, 0)
	for i := range d.limbo {
		if r := &d.limbo[i]; !r.trimmed {
			r.trimmed = true
			// The next round of reclaim may have been scheduled before this point, so its grace
			// period does not count.
			r.round++
		}
	}
	e.release(d, len(d.items))
}

// Existing returns the number of items of class c that exist, idle or outstanding. Items that were
// never put back count, too.
func (e *Engine[T]) Existing(c uint) int64 {
	d := e.lock(c)
	defer d.mu.Unlock()
	return d.exist()
}

// Outstanding returns a number of items of all classes that are surely handed out and not put back. It
// counts each slot of a magazine as an idle item, and so reads no memory that other Ps write.
func (e *Engine[T]) Outstanding() (n int64) {
	for _, d := range e.made() {
		d.mu.Lock()
		n += d.exist() - int64(d.count()) - int64(d.slots)
		d.mu.Unlock()
	}
	return max(n, 0)
}

// Remove takes an idle item of class c from its depot, for an owner outside the engine. It counts as
// released.
func (e *Engine[T]) Remove(c uint) (x T, ok bool) {
	d := e.lock(c)
	defer d.mu.Unlock()
	if len(d.items) == 0 {
		return x, false
	}
	x = d.items[len(d.items)-1]
	d.pop(1)
	d.released++
	e.exist(d, -1)
	e.idle.give(d.Size)
	e.lowerMark()
	return x, true
}
