// Package quota shares a fixed amount of something among those who take parts of
// it and give them back, first come, first served. What it counts its users know.
//
// Waiting in the order of arrival, large requests not overtaken by small ones, is
// as in golang.org/x/sync/semaphore.
package quota

import (
	"context"
	"sync/atomic"

	"github.com/basin-go/basin/internal/waitlist"
)

// Max is the largest amount that a Quota can be of.
const Max = 1 << 60

// A Quota is an amount to take parts of. All methods may be called from many
// goroutines at once.
type Quota struct {
	max int64

	// state is the amount taken, plus someWait while somebody waits. Then
	// only waiters are given anything, so what comes back adds up until it
	// is enough even for a large request.
	//
	// It is at no moment more than max or less than zero, apart from
	// someWait: whoever is refused was refused because of what others really
	// had. So each change looks first and swaps afterwards. To add
	// first and take back what was too much would be faster while nobody
	// is refused, and would have others refused for nothing otherwise.
	state   atomic.Int64
	peak    atomic.Int64  // the most that was ever taken
	waiters waitlist.List // guards the change of state from and to someWait
}

// someWait is larger than any amount by far, so that both can be told apart.
const someWait = 1 << 62

// split returns the amount taken that a state says, and whether somebody waits.
func split(state int64) (taken int64, waiting bool) {
	return state &^ someWait, state&someWait != 0
}

// New returns a Quota of max, which is from 1 to [Max].
func New(max int64) *Quota { return &Quota{max: max} }

// Max returns the whole amount.
func (q *Quota) Max() int64 { return q.max }

// TryTake takes n, if there is that much and nobody waits.
func (q *Quota) TryTake(n int64) bool {
	for {
		state := q.state.Load()
		if n > q.max-state { // also if somebody waits
			return false
		}
		if q.state.CompareAndSwap(state, state+n) {
			q.raise(state + n)
			return true
		}
	}
}

// raise has the peak be taken, or more.
func (q *Quota) raise(taken int64) {
	for peak := q.peak.Load(); taken > peak; peak = q.peak.Load() {
		if q.peak.CompareAndSwap(peak, taken) {
			return
		}
	}
}

// Take takes n, which is at most max, as soon as there is that much and all
// who came before have been served. If ctx is done first it takes nothing and
// returns the error of ctx.
func (q *Quota) Take(ctx context.Context, n int64) error {
	if q.TryTake(n) {
		return nil
	}
	done := ctx.Done()
	q.waiters.Lock()
	for q.waiters.First() == nil {
		state := q.state.Load()
		if n <= q.max-state {
			if q.state.CompareAndSwap(state, state+n) {
				q.raise(state + n)
				q.waiters.Unlock()
				return nil
			}
		} else if q.state.CompareAndSwap(state, state|someWait) {
			break // whatever comes back from now on comes to serve
		}
	}
	w := q.waiters.Add(n)
	q.waiters.Unlock()
	if q.waiters.Wait(done, w, q.serve) { // if a large request leaves, those after it may fit
		return nil
	}
	return waitlist.Cause(ctx)
}

// Give gives n back, or all that is taken if that is less.
func (q *Quota) Give(n int64) {
	for {
		state := q.state.Load()
		taken, waiting := split(state)
		if !q.state.CompareAndSwap(state, state-min(n, taken)) {
			continue
		}
		if waiting {
			q.waiters.Lock()
			q.serve()
			q.waiters.Unlock()
		}
		return
	}
}

// serve gives waiters what they wait for, in their order, as far as it goes. The
// caller holds the lock of waiters.
func (q *Quota) serve() {
	for {
		state := q.state.Load()
		w := q.waiters.First()
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
			q.waiters.Serve(w, 0)
		}
	}
}

// Refuse counts a request that is turned away without having asked for any.
func (q *Quota) Refuse() { q.waiters.Refuse() }

// Taken returns the amount that is taken, which is from 0 to max.
func (q *Quota) Taken() int64 {
	taken, _ := split(q.state.Load())
	return taken
}

// Peak returns the most that was ever taken. Those who have just taken it may not
// be counted yet.
func (q *Quota) Peak() int64 { return q.peak.Load() }

// Waits returns what has happened to those who waited.
func (q *Quota) Waits() waitlist.Stats { return q.waiters.Stats() }
