//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/sizeclass"
)

// checkedGet is pooled for a slice that t tracks.
func (s *stock) checkedGet(t *check.Tracker, o *check.Owner, n int, c sizeclass.Class) []byte {
	s.engine.CountGet(c.Index(), n)
	if s.ledger == nil {
		return t.Array(o, c.Size(), s.allocate)[:n]
	}
	onHeap := false // false for guarded memory
	b := t.Array(o, c.Size(), func(size int) []byte {
		onHeap = true
		return s.allocate(size)
	})
	s.ledger.checked(t, unsafe.SliceData(b), c.Index(), onHeap)
	return b[:n]
}

// checkedUncounted is uncounted, but t tracks the slice. So t recognises it when it is put.
func (s *stock) checkedUncounted(t *check.Tracker, o *check.Owner, n int) []byte {
	t.Pick()
	b := t.Unguarded(o, n|1, s.allocateOdd)
	t.Exempt(unsafe.SliceData(b))
	u := s.uncommon()
	u.gets.Add(1)
	u.bytes.Add(uint64(n))
	return b[:n]
}

// checkedPut is recycle for arrays that t may have a record of. done means that recycle has nothing
// left to do.
func (s *stock) checkedPut(t *check.Tracker, o *check.Owner, x *byte, capacity int, adopt bool) (verdict engine.Verdict, own, done bool) {
	large := capacity > s.sizes.Largest() && !t.Out(x, capacity)
	if capacity == 0 || large && !adopt { // recycle drops it, as documented
		return 0, false, false
	}
	put := t.Put
	if adopt {
		put = t.Adopt
	}
	what, f := put(o, x, capacity)
	switch {
	case what == check.Accepted:
		c := s.sizes.Class(capacity)
		if reason, ok := s.examine(x, capacity, c); !ok { // not counted under the ceiling
			s.drop(reason)
			return dropped, false, true
		}
		s.engine.CountChecked(c.Index())
		return engine.Kept, s.ledger == nil || s.ledger.ended(x, c.Index()), true
	case f.Kind == misuse.DoublePut:
		c := s.sizes.Class(capacity)
		reason, own := s.examine(x, capacity, c)
		if own {
			s.engine.CountDouble(c.Index())
		} else { // not counted under the ceiling
			s.drop(reason)
		}
		misuse.Report(f)
		return engine.Double, own, true
	case what == check.Rejected:
		reason := dropForeign
		if large {
			reason = dropLarge
		}
		s.drop(reason)
		if f.Kind != 0 {
			misuse.Report(f)
		}
		return dropped, false, true
	case what == check.Unjudged:
		verdict, own = s.recycleUnchecked(x, capacity, adopt)
		return verdict, own, true
	case adopt || !t.Full():
		return 0, false, false
	}
	f = t.Inside(o, x, capacity)
	verdict, own = s.recycleUnchecked(x, capacity, adopt)
	if f.Kind != misuse.ForeignPut || !s.mayPredate(t, o, capacity, s.isOwn(x, capacity)) {
		misuse.Report(f)
	}
	return verdict, own, true
}

// mayPredate reports whether an array of the given capacity may have been handed out before t
// started, by the pool or by the default pool that it has replaced. t must have no record of the array. own
// says whether it has the shape of a size class. Arrays that a MaxInUse did not count have an odd
// capacity.
func (s *stock) mayPredate(t *check.Tracker, o *check.Owner, capacity int, own bool) bool {
	replaced := o.Default.Load() && !t.First
	if s.bornUnder == check.IDOf(t) && !replaced {
		return false
	}
	return own || capacity%2 == 1 && (s.quota != nil || replaced)
}

// dropOutgrown drops an array that Append or the like has outgrown, if checks show that no pool
// handed it out, now or before checks started. That is no misuse, because a program may append to
// any slice. It reports whether it dropped the array; if not, the caller must put it.
func (s *stock) dropOutgrown(t *check.Tracker, o *check.Owner, b []byte) bool {
	x := unsafe.SliceData(b)
	if !t.Full() || s.mayPredate(t, o, cap(b), s.isOwn(x, cap(b))) || cap(b) > s.sizes.Largest() || t.Known(x) {
		return false
	}
	s.drop(dropForeign)
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
