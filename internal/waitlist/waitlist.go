//go:build go1.25

// Package waitlist queues goroutines that wait for a scarce resource, first come, first served. Its
// callers manage the resource.
//
// Touch it for the order of waiters, the statistics of waiting, and the ticks that find lost memory
// while goroutines wait.
package waitlist

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// A List is a queue of waiters. The zero List is empty. Its mutex belongs to its user, and must
// also guard the state that decides whether a goroutine has to wait.
type List struct {
	sync.Mutex

	// Watch, if not nil, is called while a goroutine waits, or after one was refused because others
	// hold the resource: fifty times a second, and then less and less often, for a day. idle is the
	// time since some of the resource was last returned. waited is the longest wait of current
	// waiters and of those that gave up since the last call, or zero. The mutex is not held. Watch
	// must be set before the List is used.
	Watch func(idle, waited time.Duration)

	// Returned reports whether some of the resource was returned since the last call. It is needed
	// with Watch, and called with the mutex held.
	Returned func() bool

	waiters list.List // of *Waiter, in the order of arrival
	watched watched
	waited  uint64
	refused uint64
	beyond  uint64
	times   Times
	total   time.Duration
	longest time.Duration
	recent  recent
}

// Times counts ended waits, served or given up, by their duration: first those below a millisecond, then those
// below ten times as long, and so on. The last count is of all longer ones.
type Times [8]uint64

func (t *Times) add(d time.Duration) {
	i := 0
	for under := time.Millisecond; i < len(t)-1 && d >= under; under *= 10 {
		i++
	}
	t[i]++
}

// A recent has the longest waits that ended in the current period of length [Recent] and in the one
// before.
type recent struct {
	begun        time.Time // start of the current period
	this, before time.Duration
}

// Recent is the shortest time for which an ended wait counts in Stats.Recent. The longest is twice
// as long.
const Recent = time.Minute

// turn starts a new period at now if the current one is over.
func (r *recent) turn(now time.Time) {
	switch passed := now.Sub(r.begun); {
	case passed < Recent:
		return
	case passed < 2*Recent:
		r.before = r.this
	default:
		r.before = 0
	}
	r.begun, r.this = now, 0
}

// A Waiter is a goroutine that waits.
type Waiter struct {
	Need  int64 // amount that it waits for
	Grant int   // the argument of Serve

	since   time.Time
	element *list.Element // nil after it has left the queue
	failed  bool
	left    chan struct{} // closed by Serve and FailAbove
}

// Add appends a waiter. The caller must hold the mutex.
func (l *List) Add(need int64) *Waiter {
	w := &Waiter{Need: need, since: time.Now(), left: make(chan struct{})}
	w.element = l.waiters.PushBack(w)
	l.waited++
	l.watch(w.since, l.waiters.Len() == 1)
	return w
}

// InBubble reports whether w waits in a bubble of package synctest. Only a goroutine of the bubble may
// serve it.
func (w *Waiter) InBubble() bool { return InBubble(w.since) }

// First returns the first waiter of the queue, or nil. The caller must hold the mutex.
func (l *List) First() *Waiter {
	if e := l.waiters.Front(); e != nil {
		return e.Value.(*Waiter)
	}
	return nil
}

// Serve ends the wait of w, which must be in the queue, with a grant. The caller must hold the
// mutex.
func (l *List) Serve(w *Waiter, grant int) {
	w.Grant = grant
	l.remove(w)
	close(w.left)
}

// FailAbove ends the waits of those who need more than most. The caller must hold the mutex.
func (l *List) FailAbove(most int64) {
	var next *list.Element
	for e := l.waiters.Front(); e != nil; e = next {
		next = e.Next()
		if w := e.Value.(*Waiter); w.Need > most {
			w.failed = true
			l.remove(w)
			l.refused++
			close(w.left)
		}
	}
}

// remove takes w out of the queue and returns the time that it has waited.
func (l *List) remove(w *Waiter) time.Duration {
	l.waiters.Remove(w.element)
	w.element = nil
	now := time.Now()
	took := now.Sub(w.since)
	l.times.add(took)
	l.total += took
	l.longest = max(l.longest, took)
	l.recent.turn(now)
	l.recent.this = max(l.recent.this, took)
	return took
}

// An Outcome is the end of a wait.
type Outcome int

const (
	Served Outcome = iota
	Failed         // by FailAbove
	GaveUp
)

// Wait waits until w is served or fails. If done is closed first, w leaves the queue, and Wait calls left with
// the mutex held. The caller must not hold the mutex.
//
// Wait takes a channel instead of a context, because methods of a context may be anyone's code.
// They may panic, which must not happen while a waiter is in the queue, and may contradict each
// other.
func (l *List) Wait(done <-chan struct{}, w *Waiter, left func()) Outcome {
	select {
	case <-w.left:
		return w.outcome()
	case <-done:
	}
	l.Lock()
	defer l.Unlock()
	if w.element == nil { // at the same moment
		return w.outcome()
	}
	l.watched.gaveUp = max(l.watched.gaveUp, l.remove(w))
	l.refused++
	l.watched.wanting = true
	left()
	return GaveUp
}

// outcome returns the outcome of a wait that Serve or FailAbove has ended.
func (w *Waiter) outcome() Outcome {
	if w.failed {
		return Failed
	}
	return Served
}

// Note adds a waiter that waits elsewhere, for the statistics of l. It waits until Ended.
func (l *List) Note(need int64) *Waiter {
	l.Lock()
	defer l.Unlock()
	return l.Add(need)
}

// Ended ends the wait of a waiter from Note.
func (l *List) Ended(w *Waiter, served bool) {
	l.Lock()
	defer l.Unlock()
	l.remove(w)
	if !served {
		l.refused++
	}
}

// Cause returns the error of ctx, which must be done, or context.Canceled if ctx has no error.
func Cause(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Canceled
}

// Refuse counts a request that is refused without waiting. wanting says that it was refused because
// others hold the resource.
func (l *List) Refuse(wanting bool) {
	l.Lock()
	defer l.Unlock()
	l.refused++
	if wanting {
		l.watched.wanting = true
		l.watch(time.Now(), false)
	}
}

// Beyond counts a request that took more than there is.
func (l *List) Beyond() {
	l.Lock()
	defer l.Unlock()
	l.beyond++
}

// Stats has the statistics of a List.
type Stats struct {
	Waiting int           // waiters in the queue
	Waited  uint64        // all waiters so far: those in Times and those in the queue
	Times   Times         // ended waits
	Total   time.Duration // sum of ended waits
	Longest time.Duration // the longest wait, including current ones
	Recent  time.Duration // the longest of recently ended and current waits
	Refused uint64        // waiters that gave up or failed, plus calls of Refuse
	Beyond  uint64        // calls of Beyond
}

// Stats returns the statistics.
func (l *List) Stats() Stats {
	l.Lock()
	defer l.Unlock()
	now := time.Now()
	l.recent.turn(now)
	s := Stats{
		Waiting: l.waiters.Len(), Waited: l.waited, Times: l.times, Total: l.total,
		Longest: l.longest, Recent: max(l.recent.this, l.recent.before),
		Refused: l.refused, Beyond: l.beyond,
	}
	if w := l.First(); w != nil {
		s.Longest = max(s.Longest, now.Sub(w.since))
		s.Recent = max(s.Recent, now.Sub(w.since))
	}
	return s
}
