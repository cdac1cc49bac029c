//go:build go1.25

package check

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
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

// TestSwitchedWhileTracked: items that are outstanding when checks are switched are nothing to the next tracker, and
// not reported by the one before.
func TestSwitchedWhileTracked(t *testing.T) {
	now, follow := Current.Load(), onSwitch
	defer func() {
		OnSwitch(follow)
		Switch(now)
	}()
	OnSwitch(func(bool, *Tracker) {})
	for _, next := range []func() *Tracker{
		func() *Tracker { return New(1, true, false) },
		func() *Tracker { return New(1, false, false) },
		func() *Tracker { return nil },
	} {
		tr, o, told := begin(t, 1, true)
		Switch(tr)
		x, y, object, v := array(tr, o, 64), array(tr, o, 64), makes(tr, o), new([8]int64)
		f := tr.Fixed(o, make([]byte, 64), 64, false)
		getsValue(tr, o, v, pointerKind)
		getsFixed(f, 0)
		tr.Put(o, y, 64)
		*y = 1
		ends := 0
		tr.OnEnd(x, func(*byte) { ends++ })
		by := next()
		Switch(by)
		if !tr.Closed() || ends != 1 || Current.Load() != by {
			t.Errorf("closed %t, %d ends", tr.Closed(), ends)
		}
		tr.Verify()
		ReportUse(object)
		for _, tr := range []*Tracker{tr, by} {
			if tr == nil {
				continue
			}
			if v, _ := tr.Put(o, x, 64); v == Rejected || v == Accepted {
				t.Errorf("Put of an array: verdict %d", v)
			}
			if v, _ := tr.Put(o, y, 64); v == Rejected || v == Accepted {
				t.Errorf("second Put of an array: verdict %d", v)
			}
			if v, _ := releases(tr, o, object); v != Unknown {
				t.Errorf("Put of an object: verdict %d", v)
			}
			if verdict, _ := putsValue(tr, o, v, pointerKind); verdict != Unknown {
				t.Errorf("Put of a value: verdict %d", verdict)
			}
			if n := outItems(tr); tr == by && n != 0 {
				t.Errorf("%d items are outstanding", n)
			}
			if f.Of(tr) != (tr != by) {
				t.Error("the next tracker has the buffers of the one before")
			}
		}
		if got := told.take(); got != nil {
			t.Errorf("reported: %+v", got)
		}
	}
}

// TestUsersWhileSwitched: correct users hear nothing, however often checks are switched.
func TestUsersWhileSwitched(t *testing.T) {
	now, follow := Current.Load(), onSwitch
	defer func() {
		OnSwitch(follow)
		Switch(now)
	}()
	OnSwitch(func(bool, *Tracker) {})
	o := NewOwner(t.Name())
	var users sync.WaitGroup
	done := make(chan bool)
	for range 3 {
		users.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				x, v := unsafe.SliceData(heapArray(64)), new([8]int64)
				if tr := Current.Load(); tr != nil && tr.Pick() {
					tr.Sweep()
					x = unsafe.SliceData(tr.Array(o, 64, heapArray))
					getsValue(tr, o, v, pointerKind)
				}
				*x = 1
				runtime.Gosched()
				if tr := Current.Load(); tr != nil {
					if verdict, f := tr.Put(o, x, 64); verdict == Rejected {
						t.Errorf("Put of an array: %+v", f)
					}
					if verdict, f := putsValue(tr, o, v, pointerKind); verdict == Rejected {
						t.Errorf("Put of a value: %+v", f)
					}
				}
			}
		})
	}
	for i := range 300 {
		tr := New(1, i%2 == 0, false)
		Switch(tr)
		for range i % 5 {
			runtime.Gosched()
		}
		tr.Verify()
		if i%3 == 0 {
			Switch(nil)
		}
	}
	Switch(nil)
	close(done)
	users.Wait()
	for kind, n := range o.Counts() {
		if n != 0 {
			t.Errorf("%d findings: %s", n, misuse.Kind(kind).Words())
		}
	}
}

// TestHold: Hold and Refresh pass the current tracker on, which nobody can switch meanwhile.
func TestHold(t *testing.T) {
	now, follow := Current.Load(), onSwitch
	defer func() {
		OnSwitch(follow)
		Switch(now)
	}()
	OnSwitch(func(bool, *Tracker) {})
	for _, tr := range []*Tracker{New(1, true, false), nil} {
		Switch(tr)
		Hold(func(held *Tracker) {
			if held != tr || switches.TryLock() {
				t.Errorf("Hold has %p, want %p, locked", held, tr)
			}
		})
		calls := 0
		OnSwitch(func(checked bool, by *Tracker) {
			if calls++; by != tr || checked != (tr != nil) {
				t.Errorf("Refresh tells %t, %p, want %p", checked, by, tr)
			}
		})
		if Refresh(); calls != 1 {
			t.Errorf("Refresh makes %d calls", calls)
		}
		OnSwitch(func(bool, *Tracker) {})
	}
	defer used.Store(used.Load())
	for _, is := range []bool{false, true} {
		used.Store(false)
		if is {
			Begun()
		}
		tr := New(1, true, false)
		if Switch(tr); tr.First == is {
			t.Errorf("a pool was used before is %t: First is %t", is, tr.First)
		}
	}
}
