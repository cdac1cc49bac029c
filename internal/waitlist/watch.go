//go:build go1.25

package waitlist

import "time"

// A watched is the state between two ticks, each of which may call Watch.
type watched struct {
	next    time.Time     // time of the next tick, or zero
	starts  uint64        // number of times that watch has started ticks
	quiet   time.Time     // time of the tick that saw the latest return
	idle    time.Duration // from then to the latest tick
	wanting bool          // a goroutine was refused since then, because others hold the resource
	gaveUp  time.Duration // the longest wait of those that gave up since
}

// InBubble reports whether time.Now returned now in a bubble of package synctest. Only there it has no reading of the
// monotonic clock. No function of the library tells.
func InBubble(now time.Time) bool { return now == now.Round(0) }

// watchFor is the time without a return after which ticks end. They must end, so that a test in a
// bubble of package synctest ends even if all its goroutines wait for ever.
const watchFor = 24 * time.Hour

// after returns the time from a tick to the next one.
func (w *watched) after() time.Duration {
	switch {
	case w.idle < 200*time.Millisecond:
		return 20 * time.Millisecond
	case w.idle < time.Second:
		return 100 * time.Millisecond
	case w.idle < time.Minute:
		return time.Second
	}
	return 10 * time.Second
}

// watch starts ticks unless they are running. The caller must hold the mutex, and says whether a
// goroutine begins to wait where none did.
func (l *List) watch(now time.Time, begins bool) {
	if l.Watch == nil {
		return
	}
	w := &l.watched
	bubble := InBubble(now)
	if first := l.First(); first != nil && first.InBubble() != bubble {
		return // the ticks that serve it are on its own clock
	}
	// A tick that is long overdue never comes: its timer was in a bubble that has ended. The clocks
	// of all bubbles begin at the same time, so next may be of another bubble. So in a bubble, a
	// goroutine that begins to wait starts a timer of its own.
	running := now.Before(w.next.Add(time.Minute)) && now.After(w.next.Add(-time.Minute))
	if running && !(bubble && begins) {
		return
	}
	if !running || w.quiet.After(now) {
		w.quiet, w.idle, w.next = now, 0, now
		l.Returned()
	}
	d := w.after()
	if left := w.next.Sub(now); left > 0 {
		d = min(d, left)
	}
	w.starts++
	l.tickIn(d, now)
}

// tickIn schedules tick after d. It makes a new timer each time, because a timer of a bubble cannot
// be reset from outside the bubble.
func (l *List) tickIn(d time.Duration, now time.Time) {
	starts := l.watched.starts
	l.watched.next = now.Add(d)
	time.AfterFunc(d, func() { l.tick(starts) })
}

// tick calls Watch if there is a reason.
func (l *List) tick(starts uint64) {
	l.Lock()
	w := &l.watched
	if starts != w.starts { // watch has started other ticks since
		l.Unlock()
		return
	}
	now := time.Now()
	if l.Returned() {
		w.quiet = now
	}
	w.idle = now.Sub(w.quiet)
	idle, waited, wanting := w.idle, w.gaveUp, w.wanting
	w.gaveUp, w.wanting = 0, false
	if first := l.First(); first != nil {
		waited, wanting = max(waited, now.Sub(first.since)), true
	}
	l.Unlock()
	if wanting {
		l.Watch(idle, waited)
	}
	l.Lock()
	defer l.Unlock()
	if starts != w.starts {
		return
	}
	if !wanting && !w.wanting && l.First() == nil || w.idle >= watchFor { // no waiter and no refusal since the tick before
		w.next = time.Time{}
		return
	}
	l.tickIn(w.after(), time.Now())
}
