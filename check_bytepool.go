package basin

import (
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/sizeclass"
)

// setChecked sends all calls down the slow path while anything is checked.
func (p *BytePool) setChecked(level CheckLevel) {
	if p.ceiling != nil {
		p = p.ceiling.pool
	}
	p.fast(level == CheckOff)
}

// owner returns who p is for records.
func (p *BytePool) owner() *check.Owner {
	if p.ceiling != nil {
		p = p.ceiling.pool
	}
	return ownerOf(&p.checkOwner, p.config.Name)
}

// ownerOf returns the owner in at, made if need be.
func ownerOf(at *atomic.Pointer[check.Owner], name string) *check.Owner {
	if o := at.Load(); o != nil {
		return o
	}
	at.CompareAndSwap(nil, &check.Owner{Name: name})
	return at.Load()
}

// checkedGet is pooled for what t is to track.
func (p *BytePool) checkedGet(t *check.Tracker, n int, c sizeclass.Class) []byte {
	p.engine.CountGet(c.Index(), n)
	return t.Array(p.owner(), c.Size(), p.allocate)[:n]
}

// checkedPlain is outside for slices that a ceiling does not count, so that they are
// known when they are put.
func (p *BytePool) checkedPlain(t *check.Tracker, n int) []byte {
	p.classes()
	b := t.Array(p.owner(), n|1, p.allocate)
	t.Exempt(unsafe.SliceData(b))
	p.oversize.Add(1)
	p.oversizeBytes.Add(uint64(n))
	return b[:n]
}

// checkedPut is recycle for what t knows of. It reports whether that is all there is to do.
func (p *BytePool) checkedPut(t *check.Tracker, x *byte, capacity int) (verdict engine.Verdict, own, done bool) {
	if capacity == 0 || capacity > p.classes().Largest() { // is dropped, as documented
		return 0, false, false
	}
	what, f := t.Put(p.owner(), x, capacity)
	switch {
	case what == check.Accepted:
		c := p.classes().Find(capacity)
		if c.Size() != capacity { // what ceilings do not count
			return 0, false, false
		}
		p.engine.CountPut(c.Index())
		return engine.Kept, true, true
	case f.Kind == check.DoublePut:
		p.engine.CountDouble(p.classes().Find(capacity).Index())
		found(f)
		return engine.Double, true, true
	case what == check.Rejected:
		p.drops[dropForeign].Add(1)
		found(f)
		return 0, false, true
	case !t.Full():
		return 0, false, false
	}
	f = t.Inside(p.owner(), x, capacity)
	verdict, own = p.keep(x, capacity)
	if f.Kind != check.ForeignPut || !own || p.bornUnder == t {
		found(f)
	} // else it may be out from before
	return verdict, own, true
}

// unjudged tells the tracker that b need not be put back.
func unjudged(b []byte) {
	if t := tracker.Load(); t != nil {
		t.Exempt(unsafe.SliceData(b))
	}
}
