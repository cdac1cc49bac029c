//go:build go1.25

package engine

import (
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
	"github.com/basin-go/basin/internal/smallsort"
)

// Aging needs at least a window before it releases anything. Until then, users who ask for one size
// after the other would leave each class with its own peak. So all items of an engine together,
// idle or outstanding, may cost at most twice the peak of the outstanding ones, and a slack. Only
// a miss makes items, so only a miss can break that limit: it then releases idle items of classes
// that are rarely used. When the peak falls with time, rounds of reclaim do so.
//
// The peak is that of the last three windows, which are at most an IdleTime. It is a lower bound: the slots of magazines
// count as idle, whether filled or not, until a look at the magazines shows otherwise.

// A demand estimates how much memory the users of an engine need.
type demand struct {
	exists sched.Int64    // bytes of all items, idle or outstanding
	peak   sched.Int64    // most bytes seen outstanding in the current window
	past   [2]sched.Int64 // the same for the windows before, latest first; with the current one, 3/4 of an IdleTime
	end    sched.Int64    // of the current window, or zero before the first one

	// latest is zero until an item is put that no Get had handed out, or that has grown. From then on
	// it is one more than the bytes outstanding at the latest Get that took a lock.
	latest sched.Int64

	pulse sched.Int64 // of the Gets that take a lock: see rushes

	cutting sched.Mutex // locked while cutBack runs
}

// newDemand returns the demand of an engine with the given number of classes. It is nil for one class,
// which alone keeps no more than its peak.
func newDemand(classes int) *demand {
	if classes > 1 {
		return new(demand)
	}
	return nil
}

// slack is the idle memory that an engine may keep beyond twice the peak. An engine that is busy on more than two Ps may
// keep slackPerP for each. With one slack for all of them, loads of many sizes on 16 Ps made items all the time, and each
// operation took ten microseconds.
const (
	slack     = 1 << 20
	slackPerP = slack / 2
)

// minRounds is the shortest time between rounds that surplus items in magazines cause.
const minRounds = 10 * time.Millisecond

// excess returns by how many bytes the items exceed the limit.
func (e *Engine[T]) excess() int64 {
	u := e.demand
	n := u.exists.Load() - e.slack()
	if n <= 0 {
		return n
	}
	return n - 2*max(u.peak.Load(), u.past[0].Load(), u.past[1].Load())
}

// slack returns the idle memory that e may keep beyond twice the peak.
func (e *Engine[T]) slack() int64 {
	rows := e.entries.Load() >> e.config.Bits // of Ps
	return max(slack, int64(rows)*slackPerP)
}

// note raises the peak to n bytes outstanding.
func (u *demand) note(n int64) {
	for {
		peak := u.peak.Load()
		if n <= peak || u.peak.CompareAndSwap(peak, n) {
			return
		}
	}
}

// roll begins a new window, with n bytes outstanding, if the current one has ended.
func (u *demand) roll(now, window time.Duration, n int64) {
	end := u.end.Load()
	window = max(window, 1)
	if int64(now) < end {
		return
	}
	passed := 1 + (int64(now)-end)/int64(window)
	if !u.end.CompareAndSwap(end, end+passed*int64(window)) || end == 0 {
		return // somebody else is rolling, or this is the first window
	}
	peak := u.peak.Load()
	u.peak.Store(max(n, 0))
	for ; passed > 0 && passed <= 3; passed-- {
		u.past[1].Store(u.past[0].Load())
		u.past[0].Store(peak)
		peak = 0
	}
	if passed > 0 { // all of it was before these windows
		for i := range u.past {
			u.past[i].Store(0)
		}
	}
}

// several reports whether the engine has several classes.
func (e *Engine[T]) several() bool { return e.demand != nil }

// outstanding returns at most as many bytes as are outstanding.
func (e *Engine[T]) outstanding() int64 {
	exists := e.demand.exists.Load()
	return exists - e.idle.taken.Load()
}

// exist adds n items of d to those that exist. n may be negative.
func (e *Engine[T]) exist(d *depot[T], n int64) {
	if e.several() {
		e.demand.exists.Add(n * d.Size)
	}
}

// noteUse updates the peak where items have left a depot.
func (e *Engine[T]) noteUse() {
	u := e.demand
	if !e.several() {
		return
	}
	n := e.outstanding()
	u.note(n)
	if u.latest.Load() > 0 {
		u.latest.Store(max(n, 0) + 1)
	}
}

// reveal looks whether more is idle than exists. Then the rest has been outstanding unknown to the
// engine: nobody counts foreign items, and how values grow. The caller must hold no lock.
func (e *Engine[T]) reveal() {
	u := e.demand
	if e.deposited() <= u.exists.Load() {
		return
	}
	if !e.tryLockAll() { // without locks, the figures may be of an item that is just being released
		return
	}
	defer e.unlockAll()
	n := e.deposited() - u.exists.Load()
	for c, d := range e.made() {
		items, _ := e.held(d, c)
		n += int64(items) * d.Size
	}
	if n <= 0 {
		return
	}
	u.latest.CompareAndSwap(0, 1)
	u.exists.Add(n)
	u.note(u.latest.Add(n) - 1)
}

// tryLockAll is lockAll, but does not wait. It reports whether it has all locks.
func (e *Engine[T]) tryLockAll() bool {
	if !e.growth.TryLock() {
		return false
	}
	locked := 0
	for _, d := range e.made() {
		if !d.mu.TryLock() {
			for _, d := range e.made() {
				if locked == 0 {
					break
				}
				d.mu.Unlock()
				locked--
			}
			e.growth.Unlock()
			return false
		}
		locked++
	}
	return true
}

// meet counts the item that a miss of d's class makes. The caller must hold the lock of d.
func (e *Engine[T]) meet(d *depot[T]) {
	if e.several() {
		e.demand.exists.Add(d.Size)
		e.noteUse()
	}
}

// keepLimit releases idle items if a miss of d's class has made items exceed the limit. The caller must
// hold no lock.
func (e *Engine[T]) keepLimit(d *depot[T]) {
	if e.several() && e.excess() > 0 {
		e.dropGet(d, e.cutBack())
	}
}

// A candidate is a class whose idle items may go.
type candidate struct {
	class uint
	rate  float64       // Gets in this window and the one before, for each idle item
	last  time.Duration // as in depot
}

// cutBack releases idle items until all items are within the limit. It does nothing while another goroutine is at it, or
// while magazines wait for their grace period and depots hold too little. For a look at the magazines of all Ps, which
// others write to, takes longer than the miss. The caller must hold no lock, and must drop the items that are returned.
func (e *Engine[T]) cutBack() (gone []T) {
	u := e.demand
	if e.waiting.Load() > 0 && e.deposited() < e.excess() || !u.cutting.TryLock() {
		return nil
	}
	defer u.cutting.Unlock()
	u.roll(e.clock(), e.windowLength(), e.outstanding())
	var array [64]candidate
	found := e.look(array[:0])
	over := e.excess()
	if over <= 0 {
		return gone
	}
	sortCandidates(found)
	for _, v := range found {
		other := e.at(v.class)
		if !other.mu.TryLock() {
			continue
		}
		if need := int((over + other.Size - 1) / other.Size); len(other.items) < need {
			e.unload(other, v.class)
		}
		k := min((over+other.Size-1)/other.Size, int64(len(other.items)))
		e.release(other, int(k))
		over -= k * other.Size
		gone = append(gone, other.unlock()...)
		if over <= 0 {
			return gone
		}
	}
	if e.waiting.Load() > 0 { // for those that are withdrawn already
		return gone
	}
	for _, v := range found { // other Ps' magazines need a grace period
		other := e.at(v.class)
		if !other.mu.TryLock() {
			continue
		}
		if items, _ := e.held(other, v.class); items > 0 {
			e.withdraw(other, v.class)
			over -= int64(items) * other.Size
			e.waiting.Store(2)
		}
		other.mu.Unlock()
		if over <= 0 {
			return gone
		}
	}
	return gone
}

// look looks at all magazines for a better estimate of the outstanding bytes, and appends the classes
// with idle items to found. It skips depots whose lock it does not get.
func (e *Engine[T]) look(found []candidate) []candidate {
	empty := int64(0) // cost of slots without an item
	for class, other := range e.made() {
		if !other.mu.TryLock() { // the next miss may look at that one
			continue
		}
		items, pops := e.held(other, class)
		empty += (int64(other.slots) - int64(items)) * other.Size
		if items += other.count(); items > 0 {
			gets := other.uses + uint32(other.hits+pops) - other.gets
			found = append(found, candidate{class, float64(gets) / float64(items), other.last})
		}
		other.mu.Unlock()
	}
	e.demand.note(e.outstanding() + empty)
	return found
}

// sortCandidates knows no type of items: it would be compiled again for each type.
func sortCandidates(v []candidate) {
	smallsort.Sort(v, func(a, b *candidate) bool { return a.rate < b.rate || a.rate == b.rate && a.last < b.last })
}

// unload moves the items of the current P's magazine of class c to d, its depot, with the payment
// for their slots. As in attach, a magazine needs no grace period on its own P. The caller must
// hold the lock of d.
func (e *Engine[T]) unload(d *depot[T], c uint) {
	if d.slots == 0 {
		return
	}
	d.reserve(Slots) // not while pinned
	i := uint(pin.Pin())<<e.config.Bits | c
	defer pin.Unpin()
	if !e.has(i) {
		return
	}
	m := e.table.Entry(i).Load()
	if r := d.inLimbo(i); r != nil {
		m = r.Magazine
	}
	if n := m.Len(); n > 0 {
		d.push(m.items())
		m.shift(n)
		e.narrow(d, m, n)
	}
}

// follow is called after a Put. It begins a new window of demand if it is time, releases items that a
// value which has grown makes surplus, and begins a round if magazines hold surplus items.
// now may be never. The caller must hold no lock, and must drop the items that are returned.
func (e *Engine[T]) follow(now time.Duration) (gone []T) {
	u := e.demand
	if !e.several() {
		return nil
	}
	if now != never && int64(now) >= u.end.Load() {
		u.roll(now, e.windowLength(), e.outstanding())
	}
	e.reveal()
	if u.latest.Load() > 0 && e.excess() > 0 {
		gone = e.cutBack()
	}
	if now != never && e.waiting.Load() > 0 {
		gccycle.Overdue(now, minRounds)
	}
	return gone
}

// enforce updates the demand in a round of reclaim, and releases items beyond the limit, which the caller
// must drop.
func (e *Engine[T]) enforce(now time.Duration) (gone []T) {
	u := e.demand
	if !e.several() {
		return nil
	}
	u.roll(now, e.windowLength(), e.outstanding())
	e.reveal()
	if n := e.waiting.Load(); n > 0 {
		e.waiting.CompareAndSwap(n, n-1) // or it was set again
	}
	if e.excess() <= 0 {
		return nil
	}
	e.look(nil)
	if over := e.excess(); over > 0 {
		e.shed(over, over, &gone)
	}
	return gone
}

// want counts an adopted item of d. It is wanted although it has not been used yet.
func (e *Engine[T]) want(d *depot[T]) {
	if e.several() {
		e.demand.peak.Add(d.Size)
		e.demand.exists.Add(d.Size)
	}
}
