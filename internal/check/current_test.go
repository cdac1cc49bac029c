//go:build go1.25

package check

import (
	"sync"
	"testing"
)

// TestSwitchOrder: the steps of Switch come in their order, as the pools and other goroutines see them.
func TestSwitchOrder(t *testing.T) {
	now := Current.Load()
	follow := onSwitch
	defer func() {
		OnSwitch(follow)
		Switch(now)
	}()
	var before, next *Tracker
	calls := 0
	OnSwitch(func(checked bool, by *Tracker) {
		calls++
		switch now := Current.Load(); {
		case calls%2 == 1 && (!checked || by != nil || now != before || now != nil && now.Closed()):
			t.Errorf("before the switch pools are told %t, %p; the current tracker is %p, before %p", checked, by, now, before)
		case calls%2 == 0 && (checked != (next != nil) || by != next || now != next || now != nil && now.Closed() || before != nil && !before.Closed()):
			t.Errorf("after the switch pools are told %t, %p; the current tracker is %p, want %p", checked, by, now, next)
		}
	})
	before = now
	var watching sync.WaitGroup
	done := make(chan bool)
	watching.Go(func() {
		for last := Current.Load(); ; {
			select {
			case <-done:
				return
			default:
			}
			if now := Current.Load(); now != last {
				if last != nil && !last.Closed() {
					t.Error("a tracker is replaced before it is closed")
				}
				last = now
			}
		}
	})
	for i := range 2000 { // the watcher must see a few of them half done
		next = nil
		if i%3 != 0 {
			next = New(1+i%2, i%2 == 0, false)
		}
		Switch(next)
		before = next
	}
	close(done)
	watching.Wait()
	if calls != 4000 {
		t.Errorf("%d calls", calls)
	}
}

// TestClosedVerifiesNothing: once a tracker is closed, users may have its fixed buffers unchecked.
func TestClosedVerifiesNothing(t *testing.T) {
	tr := New(1, true, false)
	f := tr.Fixed(new(Owner), make([]byte, 64), 64, false)
	f.Get(0, true)
	f.Put(0)
	f.block[5] = 1
	tr.close()
	if found := f.verify(); found != nil {
		t.Errorf("a closed tracker reports %v", found)
	}
	if tr.Fixed(new(Owner), make([]byte, 64), 64, false) != nil {
		t.Error("a closed tracker makes new records")
	}
}
