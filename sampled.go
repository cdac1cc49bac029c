//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// While a sample of requests is checked, most of them need no check. Their fast paths are those of Get
// and Put, but Get asks whether the request is picked, and Put whether the array may have a record.

// sample decides whether t should track a request for an item of class c from e, which is hidden. If not, it
// returns the latest idle item of the current P, if there is one.
func sample[T any](t *check.Tracker, e *engine.Engine[T], c uint) (x T, ok, picked bool) {
	if !t.Full() {
		if x, ok, picked = e.PopSampled(c, t.Threshold()); ok || picked {
			return x, ok, picked
		}
	}
	return x, false, t.Chance()
}

// setSampled turns these paths on if t takes a sample. t may be nil.
func (s *stock) setSampled(t *check.Tracker, b *base, name string) {
	if t == nil || t.Full() || s.quota != nil || s.zero {
		s.sampled.Store(nil)
		return
	}
	s.sampled.Store(&sampled{t, t.Threshold(), guard.On(), b.owner(name)})
}

// getSampled is Get if the magazine of the class of n has an array. Otherwise it returns nil.
func (s *stock) getSampled(by *sampled, n int) []byte {
	c := s.sizes.Class(n)
	i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
	picked := false
	if s.engine.Has(i) {
		m := s.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			if picked = m.Picks(by.threshold); !picked {
				x := m.Pop(top, n)
				pin.Unpin()
				return buffer(x, n, c)
			}
		}
	}
	pin.Unpin()
	if picked {
		return s.getPicked(by.owner, n, c)
	}
	return nil
}

// getPicked is getSampled for a request that should be tracked.
func (s *stock) getPicked(o *check.Owner, n int, c sizeclass.Class) []byte {
	s.engine.Skip(c.Index())
	t := check.Current.Load()
	if t == nil || t.Full() {
		return nil
	}
	t.Sweep()
	if t.Pay() {
		return s.checkedGet(t, o, n, c)
	}
	return s.unchecked(n, c, engine.BestFit) // not nil: the request would be picked twice
}

// putSampled is Put if the magazine of the array's class has room, and the array has no record. It
// reports whether it has put the array.
func (s *stock) putSampled(by *sampled, x *byte, capacity int) bool {
	c := s.sizes.Class(capacity)
	if check.Judges(by.Tracker, x) || by.guarded && guard.Near(uintptr(unsafe.Pointer(x))) || !c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))) {
		return false
	}
	mem.RaceWrite(x, capacity)
	i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
	if s.engine.Has(i) {
		m := s.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			pin.Unpin()
			return true
		}
	}
	pin.Unpin()
	return false
}
