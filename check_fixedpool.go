package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/check"
)

// owner returns who p is for records.
func (p *FixedPool) owner() *check.Owner { return ownerOf(&p.checkOwner, p.Name) }

// recordsOf returns what t knows of the pool's buffers.
func (p *FixedPool) recordsOf(t *check.Tracker) *check.Fixed {
	for {
		old := p.records.Load()
		if old.Of(t) {
			return old
		}
		p.records.CompareAndSwap(old, t.Fixed(p.owner(), p.block, p.size, p.Zero))
	}
}

// checkedGet says that buffer i is handed out.
func (p *FixedPool) checkedGet(i int) {
	if t := tracker.Load(); t != nil {
		if f, ok := p.recordsOf(t).Get(i); !ok {
			found(f)
		}
	}
}

// extra returns a buffer that is not the pool's.
func (p *FixedPool) extra() []byte {
	newBytes := func(n int) []byte { return make([]byte, n) }
	t := tracker.Load()
	if t == nil || !t.Full() {
		return newBytes(p.size)
	}
	b := t.Array(p.owner(), p.size, newBytes)
	t.Exempt(unsafe.SliceData(b)) // Put drops it
	return b
}

// checkPut says that b is put. If that is misuse it counts and reports it, and Put has
// nothing left to do.
func (p *FixedPool) checkPut(b []byte) (ok bool) {
	t := tracker.Load()
	if t == nil || cap(b) == 0 {
		return true
	}
	x := unsafe.SliceData(b)
	offset := uintptr(unsafe.Pointer(x)) - uintptr(unsafe.Pointer(unsafe.SliceData(p.block)))
	i := p.index(offset)
	var f check.Finding
	var drop int
	switch {
	case offset >= uintptr(len(p.block)):
		drop = fixedDropForeign
		var what check.Verdict
		if what, f = t.Put(p.owner(), x, cap(b)); what == check.Unknown && t.Full() {
			f = t.Inside(p.owner(), x, cap(b))
			if f.Kind == check.ForeignPut && p.bornUnder != t {
				f.Kind = 0 // it may have been handed out before, because all were out
			}
		}
	case i*uint(p.size) != uint(offset):
		drop = fixedDropInterior
		if f = p.recordsOf(t).Inside(x); f.Acquired == nil && !t.Full() {
			return true
		}
	default:
		drop = fixedDropDouble
		f, _ = p.recordsOf(t).Put(int(i))
	}
	if f.Kind == 0 {
		return true
	}
	p.drops[drop].Add(1)
	found(f)
	return false
}
