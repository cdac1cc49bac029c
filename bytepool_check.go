//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/sizeclass"
)

// setChecked turns the fast path off while checks or a recording are on.
func (p *BytePool) setChecked(on bool) { p.fast(!on && recorder.Current.Load() == nil) }

// owner returns the identity of p in check records.
func (p *BytePool) owner() *check.Owner { return check.OwnerIn(&p.checkOwner, p.Name) }

// checkedGet is pooled for a slice that t tracks.
func (p *BytePool) checkedGet(t *check.Tracker, n int, c sizeclass.Class) []byte {
	p.engine.CountGet(c.Index(), n)
	if p.ledger == nil {
		return t.Array(p.owner(), c.Size(), p.allocate)[:n]
	}
	onHeap := false // false for guarded memory
	b := t.Array(p.owner(), c.Size(), func(size int) []byte {
		onHeap = true
		return p.allocate(size)
	})
	p.ledger.checked(t, unsafe.SliceData(b), c.Index(), onHeap)
	return b[:n]
}

// checkedUncounted is uncounted, but t tracks the slice. So t recognises it when it is put.
func (p *BytePool) checkedUncounted(t *check.Tracker, n int) []byte {
	p.classes()
	t.Pick()
	b := t.Unguarded(p.owner(), n|1, p.allocateOdd)
	t.Exempt(unsafe.SliceData(b))
	u := p.uncommon()
	u.gets.Add(1)
	u.bytes.Add(uint64(n))
	return b[:n]
}

// checkedPut is recycle for arrays that t may have a record of. done means that recycle has nothing
// left to do.
func (p *BytePool) checkedPut(t *check.Tracker, x *byte, capacity int, adopt bool) (verdict engine.Verdict, own, done bool) {
	large := capacity > p.classes().Largest() && !t.Out(x, capacity)
	if capacity == 0 || large && !adopt { // recycle drops it, as documented
		return 0, false, false
	}
	put := t.Put
	if adopt {
		put = t.Adopt
	}
	what, f := put(p.owner(), x, capacity)
	switch {
	case what == check.Accepted:
		c := p.classes().Class(capacity)
		if reason, ok := p.examine(x, capacity, c); !ok { // not counted under the ceiling
			p.drop(reason)
			return dropped, false, true
		}
		p.engine.CountChecked(c.Index())
		return engine.Kept, p.ledger == nil || p.ledger.ended(x, c.Index()), true
	case f.Kind == misuse.DoublePut:
		c := p.classes().Class(capacity)
		reason, own := p.examine(x, capacity, c)
		if own {
			p.engine.CountDouble(c.Index())
		} else { // not counted under the ceiling
			p.drop(reason)
		}
		misuse.Report(f)
		return engine.Double, own, true
	case what == check.Rejected:
		reason := dropForeign
		if large {
			reason = dropLarge
		}
		p.drop(reason)
		if f.Kind != 0 {
			misuse.Report(f)
		}
		return dropped, false, true
	case what == check.Unjudged:
		verdict, own = p.recycleUnchecked(x, capacity, adopt)
		return verdict, own, true
	case adopt || !t.Full():
		return 0, false, false
	}
	f = t.Inside(p.owner(), x, capacity)
	verdict, own = p.recycleUnchecked(x, capacity, adopt)
	if f.Kind != misuse.ForeignPut || !p.mayPredate(t, capacity, p.isOwn(x, capacity)) {
		misuse.Report(f)
	}
	return verdict, own, true
}

// mayPredate reports whether an array of the given capacity may have been handed out before t
// started, by p or by the default pool that p has replaced. t must have no record of the array. own
// says whether it has the shape of a size class. Arrays that a MaxInUse did not count have an odd
// capacity.
func (p *BytePool) mayPredate(t *check.Tracker, capacity int, own bool) bool {
	replaced := p.owner().Default.Load() && !t.First
	if p.bornUnder == check.IDOf(t) && !replaced {
		return false
	}
	return own || capacity%2 == 1 && (p.quota != nil || replaced)
}

// dropOutgrown drops an array that Append or the like has outgrown, if checks show that no pool
// handed it out, now or before checks started. That is no misuse, because a program may append to
// any slice. It reports whether it dropped the array; if not, the caller must put it.
func (p *BytePool) dropOutgrown(b []byte) bool {
	t := check.Current.Load()
	if t == nil || !t.Full() {
		return false
	}
	x := unsafe.SliceData(b)
	if p.ready().adopts || p.mayPredate(t, cap(b), p.isOwn(x, cap(b))) {
		return false
	}
	if cap(b) > p.classes().Largest() || t.Known(x) {
		return false
	}
	p.drop(dropForeign)
	return true
}

// claimed tells the tracker that the user now owns b, which the pool had handed out to basin
// itself.
func claimed(b []byte) {
	if t := check.Current.Load(); t != nil && cap(b) > 0 && check.Judges(t, unsafe.SliceData(b)) {
		t.Claim(unsafe.SliceData(b))
	}
}

// unjudged tells the tracker that b need not be put back.
func unjudged(b []byte) {
	if t := check.Current.Load(); t != nil && check.Judges(t, unsafe.SliceData(b)) {
		t.Exempt(unsafe.SliceData(b))
	}
}
