// Package waitlist queues goroutines that wait for something there is not enough
// of, first come, first served. What that is its users know.
package waitlist

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// A List is a queue of waiters. The zero List is empty. Its mutex is for the user
// to hold, who guards with it what decides whether somebody has to wait.
type List struct {
	sync.Mutex
	waiters list.List // of *Waiter, the first came first
	waited  uint64
	refused uint64
	times   Times
	total   time.Duration
	longest time.Duration
	recent  recent
}

// Times counts waits that have ended, served or given up, by how long they took.
type Times struct {
	Under1ms, Under10ms, Under100ms, Under1s, Under10s, Longer uint64
}

func (t *Times) add(d time.Duration) {
	switch {
	case d < time.Millisecond:
		t.Under1ms++
	case d < 10*time.Millisecond:
		t.Under10ms++
	case d < 100*time.Millisecond:
		t.Under100ms++
	case d < time.Second:
		t.Under1s++
	case d < 10*time.Second:
		t.Under10s++
	default:
		t.Longer++
	}
}

// A recent is the longest wait that ended in this [Recent] or in the one before it.
type recent struct {
	begun        time.Time // when this period did
	this, before time.Duration
}

// Recent is how long an ended wait counts for Stats.Recent, at least. It counts for
// twice as long at most.
const Recent = time.Minute

// turn begins another period at now, if it is time to.
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
	Need  int64 // how much it waits for
	Grant int   // what it has been given, for those who need to know

	since   time.Time
	element *list.Element // nil once it has left the queue
	served  chan struct{} // closed when it is served
}

// Add appends a waiter. The caller holds the mutex.
func (l *List) Add(need int64) *Waiter {
	w := &Waiter{Need: need, since: time.Now(), served: make(chan struct{})}
	w.element = l.waiters.PushBack(w)
	l.waited++
	return w
}

// First returns the waiter that came first, or nil if there is none. The caller
// holds the mutex.
func (l *List) First() *Waiter {
	if e := l.waiters.Front(); e != nil {
		return e.Value.(*Waiter)
	}
	return nil
}

// Serve ends the wait of w, which must be in the queue, with a grant. The caller
// holds the mutex.
func (l *List) Serve(w *Waiter, grant int) {
	w.Grant = grant
	l.remove(w)
	close(w.served)
}

func (l *List) remove(w *Waiter) {
	l.waiters.Remove(w.element)
	w.element = nil
	now := time.Now()
	took := now.Sub(w.since)
	l.times.add(took)
	l.total += took
	l.longest = max(l.longest, took)
	l.recent.turn(now)
	l.recent.this = max(l.recent.this, took)
}

// Wait returns true when w has been served. If done is closed first, w leaves the queue,
// left is called with the mutex held, and Wait returns false. The caller does not hold the
// mutex.
//
// It takes the channel and not the context, whose methods are somebody else's code: they may
// panic, which must not happen to a waiter in the queue, and need not agree with each other.
func (l *List) Wait(done <-chan struct{}, w *Waiter, left func()) bool {
	select {
	case <-w.served:
		return true
	case <-done:
	}
	l.Lock()
	defer l.Unlock()
	if w.element == nil { // served at the same moment
		return true
	}
	l.remove(w)
	l.refused++
	left()
	return false
}

// Cause returns why ctx is done: its error, or context.Canceled if it has none although
// it is done.
func Cause(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Canceled
}

// Refuse counts a request that is turned away without waiting.
func (l *List) Refuse() {
	l.Lock()
	l.refused++
	l.Unlock()
}

// Stats are what has happened at a list so far.
type Stats struct {
	Waiting int           // waiters in the queue
	Waited  uint64        // all waiters that there were: those in Times and those in the queue
	Times   Times         // of waits that have ended
	Total   time.Duration // of the same
	Longest time.Duration // the longest wait, those that go on included
	Recent  time.Duration // the longest of those that ended lately or go on
	Refused uint64        // waiters that gave up, and calls of Refuse
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
		Refused: l.refused,
	}
	if w := l.First(); w != nil {
		s.Longest = max(s.Longest, now.Sub(w.since))
		s.Recent = max(s.Recent, now.Sub(w.since))
	}
	return s
}
