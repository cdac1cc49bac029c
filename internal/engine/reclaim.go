//go:build go1.25

package engine

import (
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// reclaim runs in each round of gccycle that calls the engine: see caller.Due. The world has stopped
// at least once since the previous call. That is the grace period for magazines: a pinned section
// that found one in the table before that stop has ended by now.
//
// A magazine that its P has not used for a cycle is retired: taken out of the table into limbo. If
// the P comes back, it gets its magazine back. If not, the next call of reclaim owns the magazine
// and moves its items to the depot, where other Ps can use them.
//
// At the end of a window, busy magazines are retired, too. They come back with the newer half of
// their items; the older half is in the depot then, where age can judge it.
//
// reclaim returns the items that it has released, if there is a Drop.
func (e *Engine[T]) reclaim(now time.Duration) (gone []T) {
	if e.nothingToReclaim() {
		return nil
	}
	e.noWork.Store(true) // first, because attach may make magazines meanwhile
	round := e.round.Add(1)
	recalls := e.followLimit() // MaxIdle has fallen below the slots' cost: see surplus.go
	window := e.windowLength()
	closes := now-e.window >= window
	stale, noWork := false, true
	due := now + window
	for c, d := range e.made() {
		d.mu.Lock()
		e.settle(d, func(r retired[T]) bool { return r.round <= round }, now)
		e.assess(d, c, closes, now-e.window)
		found := e.retire(d, c, closes || recalls, now, e.last)
		e.age(d, now, true)
		e.applyLimit(d, recalls)
		stale = stale || d.low > 0
		noWork = noWork && !found && len(d.limbo) == 0
		due = min(due, d.dueAt(now, window))
		gone = append(gone, d.unlock()...)
	}
	if !noWork {
		e.noWork.Store(false)
	}
	gone = append(gone, e.enforce(now)...)
	if e.fungible {
		gone = append(gone, e.shedSurplus(now, closes, window)...)
	}
	if closes {
		e.window = now
	}
	e.shrink(closes, noWork)
	due = min(due, e.window+window)
	if e.fungible {
		due = min(due, e.surplusDue(now, window))
	}
	e.last, e.due = now, due
	e.stale.Store(stale)
	return gone
}

// age decides which items of one depot to release, in windows of a quarter of an IdleTime. The
// low-water mark of a window is the number of items that nobody touched in it. They become due, and
// go in the course of the next window: a share at each call by reclaim, the rest at the window's
// end. If the latest call was two windows ago, the items untouched since then go at once. So
// unneeded items go after one to three windows, and within an IdleTime although rounds come late.
//
// Puts call age, too, but release only at the end of a window. So the time of the latest use is known,
// however far apart collections are. Gets do not call age, because the items that age would release
// may serve the next Get.
//
// The caller must hold the lock of d. share is true if the caller is reclaim. age returns now.
func (e *Engine[T]) age(d *depot[T], now time.Duration, share bool) time.Duration {
	window := e.windowLength()
	end := d.window + window
	d.due = min(d.due, d.low)
	switch {
	case now-d.last >= 2*window:
		e.release(d, int(d.least))
		e.open(d, now, 0)
	case now < end:
		if share { // evenly over the rest of the window
			from := max(e.last, d.window)
			e.release(d, int(float64(d.due)*float64(now-from)/float64(end-from)))
		}
	case now-d.window >= 2*window: // two windows in one
		e.release(d, int(d.low))
		e.open(d, now, 0)
	default:
		e.release(d, int(d.due))
		due := d.low
		if now-d.last >= window { // the time since the latest call counts as a window
			due = d.least
		}
		e.open(d, now, due)
	}
	d.aged(now)
	return now
}

// dueAt returns the time of the next necessary call of age: at the end of the window, or earlier, when the
// share of the due items amounts to one item.
func (d *depot[T]) dueAt(now, window time.Duration) time.Duration {
	end := d.window + window
	if d.due == 0 {
		return end
	}
	return now + (end-now)/time.Duration(d.due)
}

// windowLength returns the current length of windows.
func (e *Engine[T]) windowLength() time.Duration { return e.config.IdleTime / 4 >> e.idleShift.Load() }

// shortenIdle shortens the idle time of items while memory is short, so that fewer are left to release
// when the pressure becomes critical and everything goes.
func (e *Engine[T]) shortenIdle(p gccycle.Pressure) {
	shift := uint32(0)
	switch p {
	case gccycle.Raised:
		shift = 2
	case gccycle.High, gccycle.Critical:
		shift = 4
	}
	if shift != e.idleShift.Load() {
		e.idleShift.Store(shift)
	}
}

// open starts a window of d with due items to release in it.
func (e *Engine[T]) open(d *depot[T], now time.Duration, due int32) {
	d.window = now
	d.due = due
	d.low = d.count()
}

// retire takes magazines of class c out of the table: all of them, or those unused since the latest
// round, at time last. It reports whether there were any magazines. The caller must hold the lock
// of d.
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
			// A round of reclaim may rely on a grace period if it was scheduled after this point.
			// If a round calls retire, that is the next one.
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

// settle empties the retired magazines that pick accepts. Their items go to the depot. Items of
// magazines that Trim takes, and of those unused for two windows, are released. The caller must hold the
// lock of d and know that the picked magazines have had a grace period.
func (e *Engine[T]) settle(d *depot[T], pick func(retired[T]) bool, now time.Duration) {
	window := e.windowLength()
	var local, idle uint // slots to give back, once nothing refers to their items
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
		d.slots -= r.limit
		if r.trimmed || now-r.since >= 2*window {
			idle += r.limit
			e.letGo(d, r.items())
			e.countReleased(d, n)
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

// countReleased counts n released items of d. The caller must hold the lock of d.
func (e *Engine[T]) countReleased(d *depot[T], n uint) {
	d.released += uint64(n)
	e.exist(d, -int64(n))
	gccycle.Release(int64(n) * d.Size * max(1, e.config.Weight))
}

// release releases the k oldest items of d, or all if there are fewer. The caller must hold the
// lock of d.
func (e *Engine[T]) release(d *depot[T], k int) {
	if k = min(k, len(d.items)); k > 0 {
		e.letGo(d, d.items[:k])
		d.drop(k)
		e.countReleased(d, uint(k))
		d.due = max(0, d.due-int32(k))
		e.idle.give(int64(k) * d.Size)
		e.surplus.low.Add(-int64(k) * d.Size)
	}
}

// evict releases items of other classes that nobody touched in this window, until it has freed n of
// the idle budget. It reports whether it freed anything, even if less than n. The caller must hold
// the lock of d.
func (e *Engine[T]) evict(d *depot[T], n int64) bool {
	if n > e.idle.limit.Load() || !e.stale.Load() {
		return false
	}
	freed := int64(0)
	for _, other := range e.made() {
		if other == d || !other.mu.TryLock() { // no waiting: two evictions could deadlock
			continue
		}
		if k := min(int64(other.low), (n-freed+other.Size-1)/other.Size); k > 0 {
			e.release(other, int(k))
			freed += k * other.Size
			d.inherit(other)
		}
		other.mu.Unlock()
		if freed >= n {
			return true
		}
	}
	e.stale.Store(false) // until reclaim finds some again
	return freed > 0
}

// Trim releases all idle items now.
func (e *Engine[T]) Trim() {
	if e.prepareTrim() {
		pin.Quiesce()
		dropAll(e.config.Drop, e.finishTrim())
	}
}

// prepareTrim is the first half of Trim: it releases the items of depots and retires all magazines.
// It reports whether there is more to do. If so, it leaves e.trim locked, and the caller must stop
// the world and then call finishTrim.
func (e *Engine[T]) prepareTrim() bool {
	e.trim.Lock()
	if e.idle.taken.Load() == 0 {
		e.trim.Unlock()
		return false
	}
	for c, d := range e.made() {
		d.mu.Lock()
		e.discard(d, c)
		e.unlockTrim(d)
	}
	return true
}

// finishTrim is the second half of Trim: it releases the magazines' items and unlocks e.trim. It
// returns the items that both halves have released, if there is a Drop.
func (e *Engine[T]) finishTrim() (gone []T) {
	defer e.trim.Unlock()
	for _, d := range e.made() {
		d.mu.Lock()
		e.settle(d, func(r retired[T]) bool { return r.trimmed }, 0)
		e.unlockTrim(d)
	}
	return e.takeTrimmed()
}
