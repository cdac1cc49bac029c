//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file knows the line that holds each outstanding slice of a pool with MaxInUse, while checks
// are off, too. The ledger has a set of the addresses of all arrays. Beside each address is a word:
// whether the array is outstanding, and the [caller.Site] of its Get. Get stores it, and Put clears it
// beside the address that it looks up anyway. Slices larger than MaxSize have their Site in outsideSet.
//
// getHeld and putHeld are the usual Get and Put under a ceiling. As the fast paths of BytePool.Get and
// Put, they are written with few calls.

// The word of an array.
const (
	unheld   = 0
	held     = 1 // outstanding
	siteBits = 1 // bits below the Site
)

// hold notes that the array at x, of class c, is handed out at a place.
func (l *ledger) hold(x *byte, c uint, at caller.Site) {
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, c)
	if n == nil {
		n = l.arrays.Find(a, guardedTag)
	}
	if n == nil {
		l.mend(x, c)
		n = l.arrays.Find(a, c)
	}
	if n != nil {
		n.Word.Set(uint32(at)<<siteBits | held)
	}
}

// release notes that the array at x, of class c, is idle. l may be nil.
func (l *ledger) release(x *byte, c uint) {
	if l == nil {
		return
	}
	if n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c); n != nil {
		n.Word.Set(unheld)
	}
}

// getHeld is GetContext for the usual case: nothing is checked or recorded, and there is room for n
// bytes, which have a class. Otherwise it returns nil, and has done nothing.
func (p *BytePool) getHeld(n int) []byte {
	c := p.sizes.Class(n)
	if c.None() || check.Current.Load() != nil || recorder.Current.Load() != nil || !p.quota.TryTake(int64(c.Size())) {
		return nil
	}
	var x *byte
	i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x = m.Pop(top, n)
		}
	}
	pin.Unpin()
	if x == nil {
		x = unsafe.SliceData(p.pooled(n, c, engine.BestFit)) // own class only, because MaxFit is 1
	}
	at := caller.Here()
	if note := p.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index()); note != nil {
		note.Word.Set(uint32(at)<<siteBits | held)
	} else {
		p.ledger.hold(x, c.Index(), at)
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

// push puts the array at x into the magazine of class c, if there is room and it is not on top there.
func (s *stock) push(x *byte, class uint) (ok bool) {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if s.table.Has(i) {
		m := s.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			ok = true
		}
	}
	pin.Unpin()
	return ok
}

var _ lockfree.Note
