//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
)

// setChecked drops the records, which belong to an earlier tracker.
func (p *FixedPool) setChecked(bool) { p.records.Store(nil) }

// owner returns the identity of p in check records.
func (p *FixedPool) owner() *check.Owner { return check.OwnerIn(&p.checkOwner, p.Name) }

// recordsOf returns t's records of the pool's buffers. If there are none, it makes them if create
// is set, and otherwise returns nil.
func (p *FixedPool) recordsOf(t *check.Tracker, create bool) *check.Fixed {
	for {
		old := p.records.Load()
		if old.Of(t) {
			return old
		}
		if !create {
			return nil
		}
		made := t.Fixed(p.owner(), p.block, p.size, p.zero)
		if made == nil {
			return nil
		}
		p.records.CompareAndSwap(old, made)
	}
}

// checkedGet tells the tracker that buffer i is handed out.
func (p *FixedPool) checkedGet(i int) {
	t := check.Current.Load()
	if t == nil {
		return
	}
	picked := t.Chance()
	records := p.recordsOf(t, picked)
	if records == nil {
		return
	}
	f, ok := records.Get(i, picked && t.Pay())
	if ok {
		return
	}
	if p.zero {
		clear(p.buffer(i))
	}
	// If the handler panics, nobody gets the buffer.
	told := false
	defer func() {
		if !told {
			records.Forget(i)
			p.Put(p.buffer(i))
		}
	}()
	misuse.Report(f)
	told = true
}

// extra returns a buffer that does not belong to the pool.
func (p *FixedPool) extra() []byte {
	newBytes := func(n int) []byte {
		b := make([]byte, n)
		p.extras.add(unsafe.SliceData(b), n, false, nil)
		return b
	}
	t := check.Current.Load()
	if t == nil || !t.Full() || !t.Pick() {
		return newBytes(p.size)
	}
	b := t.Unguarded(p.owner(), p.size, newBytes) // with guard pages, its death would go unnoticed
	t.Exempt(unsafe.SliceData(b))                 // Put drops it
	return b
}

// checkPut tells the tracker that b is put. If that is misuse, checkPut counts and reports it, and
// returns false: Put has nothing left to do.
func (p *FixedPool) checkPut(b []byte) (ok bool) {
	t := check.Current.Load()
	if t == nil || cap(b) == 0 {
		return true
	}
	p.ready()
	x := unsafe.SliceData(b)
	offset := uintptr(unsafe.Pointer(x)) - uintptr(unsafe.Pointer(unsafe.SliceData(p.block)))
	i := index(offset, p.inverse.Load())
	records := p.recordsOf(t, t.Full())
	var f misuse.Finding
	var drop int
	switch {
	case offset >= uintptr(len(p.block)):
		drop = fixedDropForeign
		var what check.Verdict
		if what, f = t.Put(p.owner(), x, cap(b)); what == check.Unknown && t.Full() {
			f = t.Inside(p.owner(), x, cap(b))
			if f.Kind == misuse.ForeignPut && p.bornUnder != check.IDOf(t) {
				f.Kind = 0 // it may have been handed out before t started, while all buffers were out
			}
		}
	case records == nil:
		return true
	case i*uint(p.size) != uint(offset):
		drop = fixedDropInterior
		if f = records.Inside(x); f.Acquired == nil && !t.Full() {
			return true
		}
	default:
		drop = fixedDropDouble
		f, _ = records.Put(int(i))
	}
	if f.Kind == 0 {
		return true
	}
	if drop == fixedDropForeign {
		p.extras.remove(x, cap(b)) // its record is no longer needed
	}
	p.drops[drop].Add(1)
	misuse.Report(f)
	return false
}
