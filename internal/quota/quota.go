//go:build go1.25

// Package quota shares an amount of a resource among goroutines, which take and give back parts of
// it, first come, first served. Its callers define the resource.
//
// As in golang.org/x/sync/semaphore, goroutines wait in the order of arrival, and small requests do
// not overtake large ones. Beyond that, a Quota may lie within another one, its maximum may change,
// and a part may be taken without regard to the maximum.
//
// Touch it for taking and giving back. Amounts that are taken in advance are in account.go. The order
// of those who wait, and their statistics, are in internal/waitlist.
package quota

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/waitlist"
)

// Max is the largest maximum of a Quota, which stands for none.
const Max = 1 << 60

// A Quota is an amount of which parts can be taken. Each part of a Quota is also taken from
// the one that it lies within. All methods may be called from many goroutines at once.
//
// A request that waits for an outer Quota has taken its part of the inner one. That cannot lead to a
// deadlock: an outer Quota waits for no inner one.
type Quota struct {
	// state is the amount taken, with the flags watched and someWait. While someWait is set, only
	// waiters get anything, so returned amounts add up until they suffice even for a large request.
	//
	// The amount is above max only if Force took it, or SetMax has lowered max. So each refusal is due
	// to amounts that others really hold. For this, TryTake compares first and then swaps. Adding
	// first, and taking back an excess, would be faster without refusals, but could refuse requests
	// for no reason.
	state atomic.Int64
	max   atomic.Int64
	peak  atomic.Int64 // largest amount ever taken

	reserved atomic.Int64                  // part of the amount that accounts hold in advance
	returned atomic.Bool                   // while watched is set: an amount has come back since the list of waiters asked last
	waiters  atomic.Pointer[waitlist.List] // its lock guards changes of someWait; nil before a request waits or is refused
	watch    func(idle, waited time.Duration)
	within   *Quota

	credits atomic.Pointer[[]Credit] // by P; nil while there are none: see credit.go
	recalls recalling
}

// The flags in state are larger than any amount.
const (
	watched  = 1 << 61 // the list of waiters exists
	someWait = 1 << 62 // a goroutine waits
)

// split returns the amount taken according to state, and whether a goroutine waits.
func split(state int64) (taken int64, waiting bool) {
	return state &^ (someWait | watched), state&someWait != 0
}

// New returns a Quota of max, from 0 to [Max], which lies within another one unless that is nil. watch is
// called while goroutines wait or are refused because others hold the amount: see [waitlist.List].
func New(max int64, within *Quota, watch func(idle, waited time.Duration)) *Quota {
	q := &Quota{within: within, watch: watch}
	q.max.Store(max)
	q.recalls.over.Store(int64(pin.Now()) + creditDelay)
	return q
}

// ErrTooMuch is the error of a request that the maximum of a Quota will never allow.
var ErrTooMuch = errors.New("more than the maximum")

// list returns the waiters and makes their list if needed.
func (q *Quota) list() *waitlist.List {
	if l := q.waiters.Load(); l != nil {
		return l
	}
	l := new(waitlist.List)
	l.Returned = func() bool { return q.returned.Swap(false) }
	l.Watch = func(idle, waited time.Duration) {
		l.Lock()
		q.serve(l) // with amounts from Recover
		l.Unlock()
		q.watch(idle, waited)
	}
	q.waiters.CompareAndSwap(nil, l)
	q.state.Or(watched)
	return q.waiters.Load()
}

// Max returns the maximum.
func (q *Quota) Max() int64 { return q.max.Load() }

// Within returns the Quota that q lies within, or nil.
func (q *Quota) Within() *Quota { return q.within }

// LiesIn reports whether parts of q are also taken from o.
func (q *Quota) LiesIn(o *Quota) bool {
	for ; q != nil; q = q.within {
		if q == o {
			return true
		}
	}
	return false
}

// SetMax changes the maximum, from 0 to [Max]. Requests that wait for more than it fail with ErrTooMuch.
func (q *Quota) SetMax(max int64) {
	if q.max.Swap(max) == max {
		return
	}
	q.recall() // or Ps would take from their credits when more than the maximum is taken
	// A request that did not see the new maximum has the list, and will take its lock or had it.
	if l := q.waiters.Load(); l != nil {
		l.Lock()
		l.FailAbove(q.Max())
		q.serve(l)
		l.Unlock()
	}
}

// TryTake takes n, if n is left and no goroutine waits, and reports whether it did.
func (q *Quota) TryTake(n int64) bool {
	if q.within == nil {
		return q.tryTake(n) || q.recall() && q.tryTake(n)
	}
	return q.TryTakeBelow(nil, n)
}

// TryTakeBelow is TryTake from the Quotas below end alone, in which q must lie, or which is nil.
func (q *Quota) TryTakeBelow(end *Quota, n int64) bool {
	for at := q; at != end; at = at.within {
		if !at.tryTake(n) && !(at.recall() && at.tryTake(n)) {
			q.GiveBelow(at, n)
			return false
		}
	}
	return true
}

// tryTake is TryTake from q alone.
func (q *Quota) tryTake(n int64) bool {
	for {
		state := q.state.Load()
		taken := state &^ watched
		if n > q.max.Load()-taken { // also true if a goroutine waits
			return false
		}
		if q.state.CompareAndSwap(state, state+n) {
			if taken+n > q.peak.Load() {
				q.raise(taken + n)
			}
			return true
		}
	}
}

// raise sets peak to at least taken.
func (q *Quota) raise(taken int64) {
	for peak := q.peak.Load(); taken > peak; peak = q.peak.Load() {
		if q.peak.CompareAndSwap(peak, taken) {
			return
		}
	}
}

// Force takes n, whatever the maximum. It reports whether more than the maximum of some Quota is taken now.
func (q *Quota) Force(n int64) (beyond bool) { return q.ForceBelow(nil, n) }

// ForceBelow is Force for the Quotas below end alone: see TryTakeBelow.
func (q *Quota) ForceBelow(end *Quota, n int64) (beyond bool) {
	for ; q != end; q = q.within {
		taken, _ := split(q.state.Add(n))
		if taken > q.Max() && q.recall() {
			taken, _ = split(q.state.Load())
		}
		q.raise(taken)
		if taken > q.Max() {
			beyond = true
			q.list().Beyond()
		}
	}
	return beyond
}

// Take takes n as soon as n is left and all earlier requests have been served. If ctx is done first, Take
// takes nothing and returns the error of ctx. If n is more than the maximum, or SetMax makes it so, Take
// returns ErrTooMuch.
func (q *Quota) Take(ctx context.Context, n int64) error {
	if q.TryTake(n) {
		return nil
	}
	if n > q.Least() {
		return ErrTooMuch
	}
	done := ctx.Done() // methods of ctx may panic: so not while something is taken
	for at := q; at != nil; at = at.within {
		if outcome := at.take(done, n); outcome != waitlist.Served {
			q.GiveBelow(at, n)
			if outcome == waitlist.Failed {
				return ErrTooMuch
			}
			return waitlist.Cause(ctx)
		}
	}
	return nil
}

// Least returns the least maximum of q and those that it lies within.
func (q *Quota) Least() int64 {
	least := q.Max()
	for q = q.within; q != nil; q = q.within {
		least = min(least, q.Max())
	}
	return least
}

// take is Take from q alone, until done is closed.
func (q *Quota) take(done <-chan struct{}, n int64) waitlist.Outcome {
	if q.tryTake(n) || q.recall() && q.tryTake(n) {
		return waitlist.Served
	}
	l := q.list()
	l.Lock()
	for l.First() == nil {
		state := q.state.Load()
		switch taken, _ := split(state); {
		case n > q.Max():
			l.Unlock()
			return waitlist.Failed
		case n > q.Max()-taken:
			if !q.state.CompareAndSwap(state, state|someWait) {
				continue
			}
		default:
			if q.state.CompareAndSwap(state, state+n) {
				q.raise(taken + n)
				l.Unlock()
				return waitlist.Served
			}
			continue
		}
		break // from now on, Give calls serve
	}
	if n > q.Max() {
		q.serve(l)
		l.Unlock()
		return waitlist.Failed
	}
	w := l.Add(n)
	q.serve(l) // SetMax may have raised the maximum before someWait was set
	l.Unlock()
	q.recall()                                    // credits that began before someWait was set
	return l.Wait(done, w, func() { q.serve(l) }) // if a large request leaves the queue, later ones may fit
}

// Give gives back n, which was taken.
func (q *Quota) Give(n int64) {
	for ; q != nil; q = q.within {
		if q.give(n) {
			q.serveAll()
		}
	}
}

// GiveBelow is Give to the Quotas below end alone: see TryTakeBelow.
func (q *Quota) GiveBelow(end *Quota, n int64) {
	for ; q != end; q = q.within {
		if q.give(n) {
			q.serveAll()
		}
	}
}

// serveAll serves the waiters.
func (q *Quota) serveAll() {
	l := q.list()
	l.Lock()
	q.serve(l)
	l.Unlock()
}

// Recover is Give for lost memory, and may be called by cleanups. They cannot wake a goroutine in a
// bubble of package synctest. Such a goroutine is served by the next Give, or by the list of waiters
// a moment later.
func (q *Quota) Recover(n int64) { q.RecoverBelow(nil, n) }

// RecoverBelow is Recover for the Quotas below end alone: see TryTakeBelow.
func (q *Quota) RecoverBelow(end *Quota, n int64) {
	for ; q != end; q = q.within {
		q.give(n)
		l := q.waiters.Load()
		if l == nil { // if a goroutine makes the list now, it sees the amount
			continue
		}
		l.Lock()
		if w := l.First(); w != nil && !w.InBubble() {
			q.serve(l)
		}
		l.Unlock()
	}
}

// GiveLocal is Give for a caller that was pinned and has found no credit. It begins credits if there is plenty of
// room.
func (q *Quota) GiveLocal(n int64) {
	q.Give(n)
	if q.credits.Load() == nil {
		q.extend(q.Taken())
	}
}

// give reduces the amount taken by n and reports whether a goroutine waits. If a program gives memory back
// twice, and nobody notices, the amount does not fall below zero.
func (q *Quota) give(n int64) (waiting bool) {
	for {
		state := q.state.Load()
		taken, waiting := split(state)
		if q.state.CompareAndSwap(state, state-min(n, taken)) {
			if state&watched != 0 && !q.returned.Load() {
				q.returned.Store(true)
			}
			return waiting
		}
	}
}

// serve serves the waiters of l in their order, as far as the amount suffices. The caller must hold
// the lock of l.
func (q *Quota) serve(l *waitlist.List) {
	for {
		state := q.state.Load()
		w := l.First()
		if w == nil {
			if q.state.CompareAndSwap(state, state&^someWait) {
				return
			}
			continue
		}
		taken, _ := split(state)
		if w.Need > q.Max()-taken {
			return
		}
		if q.state.CompareAndSwap(state, state+w.Need) {
			q.raise(taken + w.Need)
			l.Serve(w, 0)
		}
	}
}

// Refuse counts a request for n that is refused without waiting: in the Quota that has no room, of q and those
// that it lies within. wanting says that it was refused because others hold the amount.
func (q *Quota) Refuse(n int64, wanting bool) {
	full := q
	for at := q; at != nil; at = at.within {
		if taken, waiting := split(at.state.Load()); waiting || n > at.Max()-taken {
			full = at
			break
		}
	}
	full.list().Refuse(wanting)
}

// Taken returns the amount taken, without credits.
func (q *Quota) Taken() int64 {
	taken, _ := split(q.state.Load())
	if all := q.credits.Load(); all != nil {
		taken = max(0, taken-sum(*all))
	}
	return taken
}

// Peak returns the largest amount ever taken. It may miss the latest Take for a moment, and includes credits.
func (q *Quota) Peak() int64 { return q.peak.Load() }

// Reserved returns the part of the amount taken that accounts hold in advance.
func (q *Quota) Reserved() int64 { return q.reserved.Load() }

// Waits returns the statistics of waiting.
func (q *Quota) Waits() waitlist.Stats {
	if l := q.waiters.Load(); l != nil {
		return l.Stats()
	}
	return waitlist.Stats{}
}
