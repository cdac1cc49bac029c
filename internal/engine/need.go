//go:build go1.25

package engine

import "time"

// A class keeps as many items as its users need at one time, whatever the number of Ps. Items in a
// magazine are out of reach for other Ps, so with a magazine each, every P would keep as many items
// as one P needs. A depot alone keeps exactly the most items that were outstanding at one time, on
// any number of Ps. Its price is a lock, which matters only if it is taken often. So:
//
//   - Only busy classes have magazines: those whose depot serves so many Gets a second that its lock
//     matters.
//   - The magazines of a class have, together, as many slots as items were outstanding at one time in
//     this window of reclaim or the one before. They get more slots while the lock is still taken at
//     a fifth of that rate.
//   - A miss recalls other Ps' magazines if they hold more than a part of the need. When their Ps come
//     back, they hand their items to the depot. The search costs little compared to a miss, which
//     allocates.
//
// So a goroutine that uses each item for longer than ten microseconds does not alone make its class
// busy, however large the items are.

// A pace is the rate at which a class becomes busy.
type pace struct {
	gets uint32        // Gets that must keep up the rate
	each time.Duration // the longest interval between two of them, on average
}

// busy is the pace of all engines, except in tests: 100,000 Gets a second. Below that, the lock takes one or two
// percent of a CPU at most. The Gets must keep up that rate for little more than a millisecond: a program that shares
// its cores, or works in short turns, pauses after that.
var busy = pace{128, 10 * time.Microsecond}

// The pace of a class is lower by a factor if the class is busy already, and by another one if all classes together
// keep up the pace. Without that one, a pool of many sizes would spend a CPU on locks, each of which is taken just too
// seldom.
const (
	leniency = 5
	rush     = 16
)

// bytesPerGet: to become busy, a class of items above 4 MiB needs a Get for each 4 KiB of an item.
const bytesPerGet = 4 << 10

// few is the number of items that magazines may hold, beyond a quarter of the need, without being
// recalled by a miss.
const few = 2

// count counts a Get that takes the lock of d, the depot of class c. It grants slots to a busy
// class: one at first, and twice as many each time that the lock is still taken at a fifth of the
// pace. The caller must hold the lock.
func (e *Engine[T]) count(d *depot[T], c uint) {
	d.asks++
	n := e.busyAt(d)
	if d.asks < n || d.local == 0 {
		return
	}
	now, each := e.clock(), e.pace.each
	switch {
	case e.several() && e.demand.rushes(now, time.Duration(n)*each):
		each *= rush
	case d.extra > 0:
		each *= leniency
	}
	if now-d.mark <= time.Duration(n)*each {
		if d.extra == 0 {
			d.note(d.low) // exact while there are no magazines
		} else {
			held, _ := e.held(d, c)
			d.note(d.count() + held)
		}
		d.extra = min(max(1, 2*d.extra), d.need()+2*uint(d.local))
	}
	d.asks, d.mark = 0, now
}

// busyAt returns the number of Gets of d's class after which count looks at the clock.
func (e *Engine[T]) busyAt(d *depot[T]) uint32 { return max(e.pace.gets, uint32(d.Size/bytesPerGet)) }

// rushes reports whether the Gets of all classes that take locks keep up the pace. The caller counts some more of them,
// which take the given time at the pace. pulse is the time that all of them would have taken, if not long before now:
// it is after now if they are faster.
func (u *demand) rushes(now, took time.Duration) bool {
	for {
		pulse := u.pulse.Load()
		next := min(max(pulse, int64(now-8*took))+int64(took), int64(now+8*took))
		if u.pulse.CompareAndSwap(pulse, next) {
			return next > int64(now)
		}
	}
}

// need returns the most items seen outstanding at one time, in this window and in the one before.
func (d *depot[T]) need() uint { return uint(max(d.peak, d.peakBefore)) }

// note updates the peak when the given number of items is idle and the others are outstanding.
func (d *depot[T]) note(idle int32) { d.peak = max(d.peak, d.inUse(idle)) }

// inUse returns the number of items outstanding if idle of them are idle, capped to maxUse.
func (d *depot[T]) inUse(idle int32) int32 { return int32(min(max(d.exist()-int64(idle), 0), maxUse)) }

// maxUse is more than any number of slots, and low enough for sums to fit.
const maxUse = 1 << 30

// exist returns the number of items that exist, idle or outstanding. It misses items put that no
// Get had handed out; need is too low then, and extra makes up for it. Items that are never put
// stay in the count, because nobody knows that they are gone; need is too high then.
func (d *depot[T]) exist() int64 {
	return int64(d.misses + d.adopted + d.strays - d.released - d.full - d.checked)
}

// allowed returns the most slots that all magazines of the class may have. If it is zero, the class
// gets no magazines.
func (d *depot[T]) allowed() uint {
	if d.extra == 0 {
		return 0
	}
	return d.need() + d.extra
}

// held returns the number of items in the magazines of class c and the number of their pops. The
// caller must hold the lock of d.
func (e *Engine[T]) held(d *depot[T], c uint) (items int32, pops uint64) {
	for m := range e.magazines(d, c) {
		state := m.state.peek()
		items += int32(lenOf(state))
		pops += popsOf(state)
	}
	return items, pops
}

// recall takes the magazines of class c out of the table if they hold many items while a Get
// missed. The caller must hold the lock of d.
func (e *Engine[T]) recall(d *depot[T], c uint) {
	d.note(d.count() + int32(d.slots)) // not above the true peak: empty slots count as idle items
	if d.slots <= d.need()/4+few {
		return
	}
	held, _ := e.held(d, c)
	d.note(d.count() + held)
	if uint(held) <= d.need()/4+few {
		return
	}
	e.withdraw(d, c)
}

// withdraw takes all magazines of class c out of the table that hold items, for recall. The caller must
// hold the lock of d.
func (e *Engine[T]) withdraw(d *depot[T], c uint) {
	now := e.clock()
	for i := c; e.has(i); i += 1 << e.config.Bits {
		m := e.table.Entry(i).Load()
		if m == e.empty || m.Len() == 0 {
			continue
		}
		e.table.Entry(i).Store(e.empty)
		// The next round may have been scheduled before this point, but not the one after it.
		d.limbo = append(d.limbo, retired[T]{Magazine: m, entry: i, round: e.round.Load() + 2, recalled: true, since: now})
	}
	d.restock()
}

// assess updates peak and extra in a round of reclaim. closes says whether reclaim's window closes,
// and window how long it lasted. The caller must hold the lock of d.
func (e *Engine[T]) assess(d *depot[T], c uint, closes bool, window time.Duration) {
	held, pops := e.held(d, c)
	d.note(d.count() + held)
	if !closes {
		return
	}
	gets := uint32(d.hits + pops)
	d.uses, d.gets = gets-d.gets, gets
	if time.Duration(d.uses+1)*2*e.pace.each < window { // less than half the pace: no longer busy
		d.extra = 0
	} else if d.extra > 1 {
		d.extra /= 2
	}
	d.peakBefore, d.peak = d.peak, d.inUse(d.count()+held)
}
