package engine

import (
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// reclaim is called once per GC cycle. The world has been stopped at least once
// since the call before, which is the grace period for magazines: a pinned
// section that found one in the table then has ended by now.
//
// A magazine that its P has not used for a cycle is retired: taken out of the
// table into limbo. If the P comes back for it, it gets it. If not, the next
// call owns it and moves its items to the depot, where others can use them.
//
// What the depot holds is judged in windows of half an IdleTime. Items below
// the low-water mark were not touched in one, and go in the course of the
// next, a share each cycle. At the end of a window even busy magazines are
// retired, and come back with the newer half of their items: so what sits at
// the bottom of one comes to be judged too.
func (e *Engine[T]) reclaim(now time.Time) {
	round := e.round.Add(1)
	window := e.config.IdleTime / 2
	end := e.window.Add(window)
	closes := !now.Before(end)
	stale := false
	for c := range e.depots {
		d := &e.depots[c]
		d.mu.Lock()
		e.settle(d, func(r retired[T]) bool { return r.round <= round })
		e.retire(d, uint(c), closes)
		d.due = min(d.due, d.low)
		switch {
		case !closes:
			// The share of the time that is left of the window.
			e.release(d, int(float64(d.due)*float64(now.Sub(e.last))/float64(end.Sub(e.last))))
		case now.Sub(e.window) >= 2*window: // a long cycle: two windows in one
			e.release(d, int(d.low))
			d.low = d.count()
		default:
			e.release(d, int(d.due))
			d.due = d.low
			d.low = d.count()
		}
		stale = stale || d.low > 0
		d.mu.Unlock()
	}
	if closes {
		e.window = now
	}
	e.last = now
	e.stale.Store(stale)
}

// retire takes magazines of class c out of the table: those that have not been
// used since the last call, or all. The caller holds the lock of d.
func (e *Engine[T]) retire(d *depot[T], c uint, all bool) {
	for i := c; e.has(i); i += 1 << e.config.Bits {
		m := e.table.Entry(i).Load()
		if m == e.empty {
			continue
		}
		if state := m.state.peek(); all || state == m.seen {
			e.table.Entry(i).Store(e.empty)
			// A later round of reclaim can rely on a grace period if it
			// was scheduled after this. The next one is, if this is part
			// of the present one.
			d.limbo = append(d.limbo, retired[T]{Magazine: m, entry: i, round: e.round.Load() + 1, halve: state != m.seen})
		} else {
			m.seen = state
		}
	}
}

// settle moves the items of magazines in limbo to the depot, those of doomed
// ones to the collector. The caller holds the lock of d and knows that a
// grace period has passed for those it picks.
func (e *Engine[T]) settle(d *depot[T], pick func(retired[T]) bool) {
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
		e.local.give(int64(r.limit) * d.Size)
		if r.doomed {
			e.idle.give(int64(r.limit) * d.Size)
			d.released += uint64(n)
		} else {
			e.idle.give(int64(r.limit-n) * d.Size)
			d.push(r.items())
		}
	}
	clear(d.limbo[len(kept):])
	d.limbo = kept
}

// release lets the k oldest items of the depot go. The caller holds its lock.
func (e *Engine[T]) release(d *depot[T], k int) {
	if k = min(k, len(d.items)); k > 0 {
		d.drop(k)
		d.due = max(0, d.due-int32(k))
		e.idle.give(int64(k) * d.Size)
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
	for i := range e.depots {
		other := &e.depots[i]
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
	e.trim.Lock()
	defer e.trim.Unlock()
	if e.idle.taken.Load() == 0 {
		return
	}
	for c := range e.depots {
		d := &e.depots[c]
		d.mu.Lock()
		e.retire(d, uint(c), true)
		for i := range d.limbo {
			d.limbo[i].doomed = true
			// A round of reclaim that is under way may have been scheduled
			// before this.
			d.limbo[i].round++
		}
		e.release(d, len(d.items))
		d.mu.Unlock()
	}
	pin.Quiesce()
	for c := range e.depots {
		d := &e.depots[c]
		d.mu.Lock()
		e.settle(d, func(r retired[T]) bool { return r.doomed })
		d.mu.Unlock()
	}
}
