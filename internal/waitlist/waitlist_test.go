//go:build go1.25

package waitlist

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestOutcomes ends waits in each way, and reads the statistics.
func TestOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l List
		done := make(chan struct{})
		add := func(need int64) *Waiter {
			l.Lock()
			defer l.Unlock()
			return l.Add(need)
		}
		a, b, c := add(1), add(2), add(3)
		var got [3]Outcome
		left := 0
		for i, w := range []*Waiter{a, b, c} {
			go func() { got[i] = l.Wait(done, w, func() { left++ }) }()
		}
		synctest.Wait()
		if s := l.Stats(); s.Waiting != 3 || s.Waited != 3 {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Second)
		l.Lock()
		if l.First() != a {
			t.Error("the first waiter is not the first that came")
		}
		l.Serve(a, 7)
		l.FailAbove(2)
		l.Unlock()
		synctest.Wait()
		close(done)
		synctest.Wait()
		if got != [3]Outcome{Served, GaveUp, Failed} || a.Grant != 7 || left != 1 {
			t.Errorf("outcomes %v, grant %d, %d left", got, a.Grant, left)
		}
		l.Beyond()
		l.Refuse(false)
		want := Stats{Waited: 3, Times: Times{4: 3}, Total: 3 * time.Second, Longest: time.Second, Recent: time.Second, Refused: 3, Beyond: 1}
		if s := l.Stats(); s != want {
			t.Errorf("%+v, want %+v", s, want)
		}
		time.Sleep(2 * Recent)
		if s := l.Stats(); s.Recent != 0 || s.Longest != time.Second {
			t.Errorf("two minutes later %+v", s)
		}
	})
}

// TestNote counts waits in another list.
func TestNote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l List
		a := l.Note(1)
		time.Sleep(time.Millisecond)
		b := l.Note(2)
		if s := l.Stats(); s.Waiting != 2 || s.Longest != time.Millisecond {
			t.Errorf("%+v", s)
		}
		l.Ended(a, true)
		l.Ended(b, false)
		if s := l.Stats(); s.Waiting != 0 || s.Waited != 2 || s.Refused != 1 || s.Longest != time.Millisecond {
			t.Errorf("%+v", s)
		}
	})
}

// TestWatch: while a goroutine waits, Watch is called more and more rarely, and learns whether something has
// come back.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l List
		back := false
		calls := 0
		var idle time.Duration
		l.Returned = func() bool { was := back; back = false; return was }
		l.Watch = func(i, waited time.Duration) { calls++; idle = i }
		l.Lock()
		w := l.Add(1)
		l.Unlock()
		time.Sleep(10 * time.Second)
		seen := calls
		if seen < 10 || seen > 40 || idle < 8*time.Second {
			t.Errorf("%d calls, the last with %v", seen, idle)
		}
		l.Lock()
		back = true
		l.Unlock()
		time.Sleep(2 * time.Second)
		if idle > 2*time.Second {
			t.Errorf("something came back, and it was idle for %v", idle)
		}
		l.Lock()
		l.Serve(w, 0)
		l.Unlock()
		time.Sleep(time.Minute)
		seen = calls
		time.Sleep(time.Hour)
		if calls != seen {
			t.Errorf("%d calls while nobody waits", calls-seen)
		}
	})
}

// TestInBubble: outside a bubble, a clock that lags by decades, as on a device without a battery, is no bubble.
func TestInBubble(t *testing.T) {
	for _, lag := range []time.Duration{0, 25 * 365 * 24 * time.Hour} {
		if now := time.Now().Add(-lag); InBubble(now) {
			t.Errorf("%v is in a bubble", now)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour)
		if now := time.Now(); !InBubble(now) {
			t.Errorf("%v is in no bubble", now)
		}
		var l List
		w := l.Note(1)
		if !w.InBubble() {
			t.Error("a waiter in a bubble is in none")
		}
		l.Ended(w, true)
	})
}
