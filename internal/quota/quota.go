//go:build go1.25

// Package quota shares a fixed amount of a resource among goroutines, which take and give back
// parts of it, first come, first served. Its callers define the resource.
//
// As in golang.org/x/sync/semaphore, goroutines wait in the order of arrival, and small requests do
// not overtake large ones.
//
// Touch it for the fast path of taking and giving back. The order of those who wait, and their
// statistics, are in internal/waitlist.
package quota

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/internal/waitlist"
)

// Max is the largest amount of a Quota.
const Max = 1 << 60

// A Quota is an amount of which parts can be taken. All methods may be called from many goroutines
// at once.
type Quota struct {
	max int64

	// state is the amount taken, with the flags returned and someWait. While someWait is set, only
	// waiters get anything, so returned amounts add up until they suffice even for a large request.
	//
	// The amount is never more than max or less than zero. So each refusal is due to amounts that
	// others really hold. For this, each change compares first and then swaps. Adding first, and
	// taking back an excess, would be faster without refusals, but could refuse requests for no
	// reason.
	state atomic.Int64
	peak  atomic.Int64 // largest amount ever taken

	waiters atomic.Pointer[waitlist.List] // its lock guards changes of someWait; nil before a request waits or is refused
	watch   func(idle, waited time.Duration)
}

// The flags in state are larger than any amount.
const (
	returned = 1 << 61 // an amount has come back since the list of waiters asked last
	someWait = 1 << 62 // a goroutine waits
)

// split returns the amount taken according to state, and whether a goroutine waits.
func split(state int64) (taken int64, waiting bool) {
	return state &^ (someWait | returned), state&someWait != 0
}

// New returns a Quota of max, from 1 to [Max]. watch is called while goroutines wait or are refused
// because others hold the amount: see [waitlist.List].
func New(max int64, watch func(idle, waited time.Duration)) *Quota {
	return &Quota{max: max, watch: watch}
}

// list returns the waiters and makes their list if needed.
func (q *Quota) list() *waitlist.List {
	if l := q.waiters.Load(); l != nil {
		return l
	}
	l := new(waitlist.List)
	l.Returned = func() bool { return q.state.And(^returned)&returned != 0 }
	l.Watch = func(idle, waited time.Duration) {
		l.Lock()
		q.serve(l) // with amounts from Recover
		l.Unlock()
		q.watch(idle, waited)
	}
	q.waiters.CompareAndSwap(nil, l)
	return q.waiters.Load()
}

// Max returns the amount of the quota.
func (q *Quota) Max() int64 { return q.max }

// TryTake takes n, if n is left and no goroutine waits, and reports whether it did.
func (q *Quota) TryTake(n int64) bool {
	for {
		state := q.state.Load()
		taken := state &^ returned
		if n > q.max-taken { // also true if a goroutine waits
			return false
		}
		if q.state.CompareAndSwap(state, state+n) {
			q.raise(taken + n)
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

// Take takes n, which must be at most max, as soon as n is left and all earlier requests have been
// served. If ctx is done first, Take takes nothing and returns the error of ctx.
func (q *Quota) Take(ctx context.Context, n int64) error {
	if q.TryTake(n) {
		return nil
	}
	done := ctx.Done()
	l := q.list()
	l.Lock()
	for l.First() == nil {
		state := q.state.Load()
		if taken := state &^ returned; n <= q.max-taken {
			if q.state.CompareAndSwap(state, state+n) {
				q.raise(taken + n)
				l.Unlock()
				return nil
			}
		} else if q.state.CompareAndSwap(state, state|someWait) {
			break // from now on, Give calls serve
		}
	}
	w := l.Add(n)
	l.Unlock()
	if l.Wait(done, w, func() { q.serve(l) }) { // if a large request leaves the queue, later ones may fit
		return nil
	}
	return waitlist.Cause(ctx)
}

// Give gives back n, or the whole amount taken if that is less.
func (q *Quota) Give(n int64) {
	if q.give(n) {
		l := q.list()
		l.Lock()
		q.serve(l)
		l.Unlock()
	}
}

// Recover is Give for lost memory, and may be called by cleanups. They cannot wake a goroutine in a
// bubble of package synctest. Such a goroutine is served by the next Give, or by the list of waiters
// a moment later.
func (q *Quota) Recover(n int64) {
	q.give(n)
	l := q.waiters.Load()
	if l == nil { // if a goroutine makes the list now, it sees the amount
		return
	}
	l.Lock()
	if w := l.First(); w != nil && !w.InBubble() {
		q.serve(l)
	}
	l.Unlock()
}

// give reduces the amount taken by n and reports whether a goroutine waits.
func (q *Quota) give(n int64) (waiting bool) {
	for {
		state := q.state.Load()
		taken, waiting := split(state)
		if q.state.CompareAndSwap(state, (state-min(n, taken))|returned) {
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
		if w.Need > q.max-taken {
			return
		}
		if q.state.CompareAndSwap(state, state+w.Need) {
			q.raise(taken + w.Need)
			l.Serve(w, 0)
		}
	}
}

// Refuse counts a request that is refused without waiting. wanting says that it was refused because
// others hold the amount.
func (q *Quota) Refuse(wanting bool) { q.list().Refuse(wanting) }

// Taken returns the amount taken, from 0 to max.
func (q *Quota) Taken() int64 {
	taken, _ := split(q.state.Load())
	return taken
}

// Peak returns the largest amount ever taken. It may miss the latest Take for a moment.
func (q *Quota) Peak() int64 { return q.peak.Load() }

// Waits returns the statistics of waiting.
func (q *Quota) Waits() waitlist.Stats {
	if l := q.waiters.Load(); l != nil {
		return l.Stats()
	}
	return waitlist.Stats{}
}
