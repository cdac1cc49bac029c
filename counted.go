//go:build go1.25

package basin

import (
	"context"
	"errors"
	"unsafe"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/sizeclass"
)

// The usual Get and Put under a ceiling are getHeld and putHeld. As the fast paths of BytePool.Get and Put,
// they are written with few calls.

// getHeld is GetContext for the usual case: nothing is checked or recorded, and there is room for n
// bytes, which have a class. Otherwise it returns nil, and has done nothing.
func (s *stock) getHeld(n int) []byte {
	c := s.sizes.Class(n)
	if c.None() || check.Current.Load() != nil || recorder.Current.Load() != nil || !s.quota.TryTake(int64(c.Size())) {
		return nil
	}
	x := s.pop(c.Index(), n)
	if x == nil {
		x = s.idleOrNew(n, c)
	}
	at := caller.Here()
	if note := s.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index()); note != nil {
		note.Word.Set(uint32(at)<<siteBits | held)
	} else {
		s.ledger.hold(x, c.Index(), at)
	}
	return buffer(x, n, c)
}

// putHeld is put for the usual case under a ceiling: nothing is cleared, checked or recorded, and
// the array is one of the pool's. If done is false, putHeld has done nothing.
func (s *stock) putHeld(x *byte, capacity int) (kept, done bool) {
	if s.zero || check.Current.Load() != nil || recorder.Current.Load() != nil {
		return false, false
	}
	c := s.sizes.Class(capacity)
	if c.None() || capacity != c.Size() {
		return false, false
	}
	note := s.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index())
	if note == nil {
		return false, false
	}
	mem.RaceWrite(x, capacity)
	note.Word.Set(unheld)
	verdict := engine.Kept
	if !s.push(x, c.Index()) {
		verdict = s.engine.Put(c.Index(), x)
	}
	if verdict != engine.Double {
		s.quota.Give(int64(capacity))
	}
	return verdict == engine.Kept, true
}

// pop takes an array out of the magazine of a class, for a request of n bytes, or returns nil.
func (s *stock) pop(class uint, n int) *byte {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if s.table.Has(i) {
		m := s.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x := m.Pop(top, n)
			pin.Unpin()
			return x
		}
	}
	pin.Unpin()
	return nil
}

// push puts the array at x into the magazine of a class, if there is room and it is not on top there.
func (s *stock) push(x *byte, class uint) bool {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if s.table.Has(i) {
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

// idleOrNew returns an idle or a new array for n bytes of class c, in a pool with a quota and without
// checks.
func (s *stock) idleOrNew(n int, c sizeclass.Class) *byte {
	x, _, ok := s.engine.Get(c.Index(), n, engine.OwnClass) // as MaxFit is 1
	if !ok {
		x = unsafe.SliceData(s.allocate(c.Size()))
		s.ledger.born(x, c.Index())
	}
	return x
}

// noWait is the context of a request that does not wait, and errNoRoom its error.
var (
	noWait    context.Context
	errNoRoom = errors.New("no room")
)

// takeRoom takes the room for size bytes. It waits as long as ctx allows; noWait does not. If there is no
// room, it first looks for arrays in other pools.
func (s *stock) takeRoom(ctx context.Context, size int64) error {
	if s.quota.TryTake(size) {
		return nil
	}
	looked := s.ledger.search(size)
	if ctx != noWait {
		return s.quota.Take(ctx, size)
	}
	if looked && s.quota.TryTake(size) {
		return nil
	}
	return errNoRoom
}
