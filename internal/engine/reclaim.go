package engine

import (
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// reclaim is called in each round of gccycle: once per GC cycle, and when statistics are
// read that are overdue. The world has been stopped at least once
// since the call before, which is the grace period for magazines: a pinned
// section that found one in the table then has ended by now.
//
// A magazine that its P has not used for a cycle is retired: taken out of the
// table into limbo. If the P comes back for it, it gets it. If not, the next
// call owns it and moves its items to the depot, where others can use them.
//
// What the depot holds is judged by look. At the end of a window even busy magazines are
// retired, and come back with the newer half of their items: so what sits at
// the bottom of one comes to be judged too.
func (e *Engine[T]) reclaim(now time.Duration) {
	if e.rests.Load() && e.idle.taken.Load() == 0 {
		return
	}
	e.rests.Store(true) // before looking, for attach makes magazines meanwhile
	round := e.round.Add(1)
	idleTime := e.idleTime()
	closes := now-e.window >= idleTime/2
	stale, rests := false, true
	for c, d := range e.made() {
		d.mu.Lock()
		e.settle(d, func(r retired[T]) bool { return r.round <= round }, now)
		found := e.retire(d, c, closes, now, e.last)
		d.served = uint32(d.hits)
		e.look(d, now, true)
		stale = stale || d.low > 0
		rests = rests && !found && len(d.limbo) == 0
		d.mu.Unlock()
	}
	if !rests {
		e.rests.Store(false)
	}
	if e.fungible {
		e.shedSurplus(now, closes, idleTime)
	}
	if closes {
		e.window = now
	}
	e.last = now
	e.stale.Store(stale)
}

// look judges what a depot holds, in windows of half an IdleTime. Items below the low-water mark were
// not touched in one, and go in the course of the next: a share at each look of
// reclaim's, the rest at its end. Items that were not touched since the last look, if that is
// as long ago as an IdleTime, go at once.
//
// Puts look too, at the end of a window only: so it is known when the depot was last touched, however
// long it is until the next collection. Gets do not, so that none loses what the next needs.
// The caller holds the lock of d. look returns now.
func (e *Engine[T]) look(d *depot[T], now time.Duration, share bool) time.Duration {
	idleTime := e.idleTime()
	window := idleTime / 2
	end := d.window + window
	d.due = min(d.due, d.low)
	switch {
	case now-d.last >= idleTime:
		e.release(d, int(d.least))
		e.open(d, now, 0)
	case now < end:
		if share { // of the time that is left of the window
			from := max(e.last, d.window)
			e.release(d, int(float64(d.due)*float64(now-from)/float64(end-from)))
		}
	case now-d.window >= 2*window: // two windows in one
		e.release(d, int(d.low))
		e.open(d, now, 0)
	default:
		e.release(d, int(d.due))
		due := d.low
		if now-d.last >= window { // a window of its own
			due = d.least
		}
		e.open(d, now, due)
	}
	d.looked(now)
	return now
}

// idleTime returns how long items that nobody needs may stay at present.
func (e *Engine[T]) idleTime() time.Duration { return e.config.IdleTime >> e.haste.Load() }

// hurry shortens the time that items may stay as the memory limit comes close, so that less is
// left when it is so close that everything goes.
func (e *Engine[T]) hurry(p gccycle.Pressure) {
	haste := uint32(0)
	switch p {
	case gccycle.Raised:
		haste = 2
	case gccycle.High, gccycle.Critical:
		haste = 4
	}
	if haste != e.haste.Load() {
		e.haste.Store(haste)
	}
}

// open begins a window of d with so many items due.
func (e *Engine[T]) open(d *depot[T], now time.Duration, due int32) {
	d.window = now
	d.due = due
	d.low = d.count()
}

// retire takes magazines of class c out of the table: those that have not been
// used since the last call, or all. It reports whether it has found any. The caller holds the lock of d
// and says when it is now and when the last call was.
func (e *Engine[T]) retire(d *depot[T], c uint, all bool, now, last time.Duration) (found bool) {
	for i := c; e.has(i); i += 1 << e.config.Bits {
		m := e.table.Entry(i).Load()
		if m == e.empty {
			continue
		}
		found = true
		state := m.state.peek()
		if all || state == m.seen {
			e.table.Entry(i).Store(e.empty)
			// A later round of reclaim can rely on a grace period if it
			// was scheduled after this. The next one is, if this is part
			// of the present one.
			r := retired[T]{Magazine: m, entry: i, round: e.round.Load() + 1, halve: state != m.seen, since: now}
			if !r.halve {
				r.since = last
			}
			d.limbo = append(d.limbo, r)
		}
		m.seen = state
	}
	d.restock()
	return found
}

// settle moves the items of magazines in limbo to the depot, those of doomed
// ones, and of those that have been left alone for an IdleTime, to the collector. The
// caller holds the lock of d and knows that a grace period has passed for those it picks.
func (e *Engine[T]) settle(d *depot[T], pick func(retired[T]) bool, now time.Duration) {
	idleTime := e.idleTime()
	var local, idle uint // slots, given back only when nothing refers to their items any more
	kept := d.limbo[:0]
	for _, r := range d.limbo {
		if !pick(r) {
			kept = append(kept, r)
			continue
		}
		state := r.state.get()
		n := lenOf(state)
		d.hits += popsOf(state)
		d.asked += r.asked.get()
		local += r.limit
		if r.doomed || now-r.since >= idleTime {
			idle += r.limit
			d.released += uint64(n)
		} else {
			idle += r.limit - n
			d.push(r.items())
		}
	}
	clear(d.limbo[len(kept):])
	d.limbo = kept
	d.restock()
	e.local.give(int64(local) * d.Size)
	e.idle.give(int64(idle) * d.Size)
}

// release lets the k oldest items of the depot go. The caller holds its lock.
func (e *Engine[T]) release(d *depot[T], k int) {
	if k = min(k, len(d.items)); k > 0 {
		d.drop(k)
		d.due = max(0, d.due-int32(k))
		e.idle.give(int64(k) * d.Size)
		e.surplus.low.Add(-int64(k) * d.Size)
	}
}

// evict makes room in the idle budget by letting go items of other classes that
// have not been touched in this window, and reports whether it may have found
// n bytes. The caller holds the lock of d.
func (e *Engine[T]) evict(d *depot[T], n int64) bool {
	if n > e.idle.limit || !e.stale.Load() {
		return false
	}
	freed := int64(0)
	for _, other := range e.made() {
		if other == d || !other.mu.TryLock() { // two evictions must not wait for each other
			continue
		}
		if k := min(int64(other.low), (n-freed+other.Size-1)/other.Size); k > 0 {
			e.release(other, int(k))
			freed += k * other.Size
		}
		other.mu.Unlock()
		if freed >= n {
			return true
		}
	}
	e.stale.Store(false) // until reclaim sees some again
	return freed > 0
}

// Trim lets all idle items go now.
func (e *Engine[T]) Trim() {
	if e.doom() {
		pin.Quiesce()
		e.trimDoomed()
	}
}

// doom is the first half of Trim: it takes everything out of reach, and reports whether there was
// anything. If so, the caller has the world stopped and then calls trimDoomed, for which doom
// leaves trim locked.
func (e *Engine[T]) doom() bool {
	e.trim.Lock()
	if e.idle.taken.Load() == 0 {
		e.trim.Unlock()
		return false
	}
	for c, d := range e.made() {
		d.mu.Lock()
		e.retire(d, c, true, 0, 0)
		for i := range d.limbo {
			d.limbo[i].doomed = true
			// A round of reclaim that is under way may have been scheduled
			// before this.
			d.limbo[i].round++
		}
		e.release(d, len(d.items))
		d.mu.Unlock()
	}
	return true
}

// trimDoomed is the other half of Trim.
func (e *Engine[T]) trimDoomed() {
	defer e.trim.Unlock()
	for _, d := range e.made() {
		d.mu.Lock()
		e.settle(d, func(r retired[T]) bool { return r.doomed }, 0)
		d.mu.Unlock()
	}
}
