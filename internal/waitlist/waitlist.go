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
	longest time.Duration
	refused uint64
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
	l.longest = max(l.longest, time.Since(w.since))
}

// Wait returns nil when w has been served. If ctx is done first, w leaves the queue,
// left is called with the mutex held, and Wait returns the error of ctx.
// The caller does not hold the mutex.
func (l *List) Wait(ctx context.Context, w *Waiter, left func()) error {
	select {
	case <-w.served:
		return nil
	case <-ctx.Done():
	}
	l.Lock()
	defer l.Unlock()
	if w.element == nil { // served at the same moment
		return nil
	}
	l.remove(w)
	l.refused++
	left()
	return ctx.Err()
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
	Waited  uint64        // all waiters that there were
	Longest time.Duration // the longest wait, those that go on included
	Refused uint64        // waiters that gave up, and calls of Refuse
}

// Stats returns the statistics.
func (l *List) Stats() Stats {
	l.Lock()
	defer l.Unlock()
	s := Stats{Waiting: l.waiters.Len(), Waited: l.waited, Longest: l.longest, Refused: l.refused}
	if w := l.First(); w != nil {
		s.Longest = max(s.Longest, time.Since(w.since))
	}
	return s
}
