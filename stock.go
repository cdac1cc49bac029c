//go:build go1.25

package basin

import (
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/waitlist"
)

// A stock is the part of a BytePool that allocates arrays, judges those that are put, and keeps
// them. The pool above it has the settings, the fast paths and the requests that wait. A pool sets
// up its stock at its first use.
type stock struct {
	table  engine.Table[*byte]  // the engine's magazines
	engine engine.Engine[*byte] // idle arrays, as pointers, by class
	sizes  *sizeclass.Table     // the size classes
	config *settings            // of the pool
	zero   bool                 // as the field Zero
	clean  bool                 // allocate zeroed memory, for Zero or ZeroNew
	adopts bool                 // as the field Adopts
	manner manner               // of BytePools under a limit
	hasCut atomic.Bool          // some adopted arrays are aligned to a cache line only
	quota  *quota.Quota         // of MaxInUse, or of the Limit; nil for no limit
	ledger *ledger              // nil without a quota

	sampled   atomic.Pointer[sampled] // for the fast paths in sampled.go
	rare      atomic.Pointer[rare]    // nil in most pools
	bornUnder uint64                  // ID of the tracker that was on at the first use, or 0
}

// A manner says how a pool meets its limit.
type manner uint8

const (
	simple  = 1 + manner(iota) // neither zero nor adopts: for putHeld
	viewing                    // a view: see BytePool.lender
)

// A sampled says which tracker takes a sample of the requests.
type sampled struct {
	*check.Tracker
	threshold uint32       // its threshold
	guarded   bool         // there is or was guarded memory
	owner     *check.Owner // of the stock's pool
}

// A rare has the parts of a pool that most pools do not need.
type rare struct {
	// Counts of calls that the engine does not see.
	gets  atomic.Uint64 // served by the heap
	bytes atomic.Uint64 // asked for by gets
	inUse largeCount    // outstanding amount of gets, in pools without a quota
	drops [dropReasons]atomic.Uint64

	waits     waitlist.List                 // see waits; never waited in
	idleOfAll atomic.Pointer[engine.Budget] // the budget that this pool set as the default pool: see SetDefault
	onMiss    func(size int)                // called for each new array of a class: see engine.OnMiss
	view      any                           // a *view, set in views only
}

// noneRare stands for that of a pool without one. It is only read.
var noneRare rare

// ensureRare returns the rare parts and makes them if needed.
func (s *stock) ensureRare() *rare {
	if s.rare.Load() == nil {
		s.rare.CompareAndSwap(nil, new(rare))
	}
	return s.rare.Load()
}

// drop counts a drop for one of the reasons below.
func (s *stock) drop(reason int) { s.ensureRare().drops[reason].Add(1) }

// Reasons for drops that the engine does not see.
const (
	dropEmpty = iota
	dropSmall
	dropLarge
	dropForeign
	dropMisaligned
	dropReasons
)

// allocate returns n new bytes, zeroed if the pool wants that.
func (s *stock) allocate(n int) []byte {
	if s.clean {
		return make([]byte, n)
	}
	return mem.MakeUninit(n, n)
}

// dropped is the verdict on an array that never reached the engine.
const dropped engine.Verdict = -1

// A giving is a way to give an array to a pool.
type giving uint8

const (
	putting    giving = iota
	outgrowing        // as putting, but the array may be from make: Append and the like put it
	adopting          // the array is of any origin
	forgetting        // the array stays with its users
)

// recycle takes back an array of the given capacity at x, without checks. o stands for the pool. It returns
// the verdict.
func (s *stock) recycle(o *check.Owner, x *byte, capacity int, how giving) (verdict engine.Verdict) {
	c := s.sizes.Class(capacity)
	handed := how == adopting && handOver(s.ledger, nil, x, capacity)
	if guard.Near(uintptr(unsafe.Pointer(x))) {
		if verdict, ok := s.takeGuarded(o, x, capacity, c, how, handed); ok {
			return verdict
		}
	}
	reason, ok := s.judge(x, capacity, c, how)
	var payer *quota.Account
	if ok && s.ledger != nil {
		held := false
		if payer, held = s.ledger.release(x, c.Index(), how == forgetting); !held {
			s.engine.CountDouble(c.Index())
			return engine.Double
		}
	}
	if ok && how == forgetting {
		s.engine.CountPut(c.Index())
		if s.ledger != nil {
			s.ledger.give(payer, capacity)
		}
		return dropped
	}
	if !ok {
		if s.zero && how != forgetting {
			mem.ClearForeign(unsafe.Slice(x, capacity)) // because the heap reuses it next
		}
		if how == adopting && reason != dropEmpty && !c.None() {
			return s.cut(unsafe.Slice(x, capacity))
		}
		s.drop(reason)
		if how <= outgrowing {
			stray(o, s.ledger, s.adopts, x, capacity)
		}
		if reason == dropLarge {
			s.returned(x, capacity)
		}
		return dropped
	}
	if s.zero {
		clear(unsafe.Slice(x, capacity))
	}
	mem.RaceWrite(x, capacity)
	verdict = engine.Kept
	if !s.engine.Push(c.Index(), x) {
		verdict = s.engine.Put(c.Index(), x)
	}
	if s.ledger != nil {
		s.ledger.give(payer, capacity)
	} else if verdict == engine.Full {
		stray(o, s.ledger, s.adopts, x, capacity)
	}
	return verdict
}

// returned notes that a slice larger than MaxSize has been put.
func (s *stock) returned(x *byte, capacity int) {
	if s.quota == nil {
		s.ensureRare().inUse.remove(capacity)
	} else if payer, ok := s.ledger.outside.remove(x, capacity); ok {
		s.ledger.give(payer, capacity)
	}
}

// takeGuarded is recycle for guarded memory, which has no record because its checks have ended. It never
// becomes ordinary memory of a pool. handed says that it was another pool's until now. ok is false if x is
// ordinary memory.
func (s *stock) takeGuarded(o *check.Owner, x *byte, capacity int, c sizeclass.Class, how giving, handed bool) (verdict engine.Verdict, ok bool) {
	state, size := check.Guarded(x)
	reason, fits := s.examine(x, capacity, c)
	switch {
	case state == guard.Unused:
		return dropped, false
	case state >= guard.Late && fits: // or forgotten
		s.engine.CountDouble(c.Index())
		return engine.Double, true
	case state >= guard.Late || capacity != size:
		s.drop(dropForeign)
		return dropped, true
	}
	switch how {
	case putting, outgrowing:
		handed = stray(o, s.ledger, s.adopts, x, capacity)
	case forgetting:
		handed = handOver(s.ledger, nil, x, capacity)
	}
	own := !handed
	if s.ledger != nil {
		var payer *quota.Account
		if payer, own = s.ledger.guardedEnded(x, capacity); own {
			s.ledger.give(payer, capacity)
		}
	}
	if how != forgetting {
		check.PutGuarded(x)
	} else if own {
		check.KeepGuarded(x)
	}
	refresh()
	switch {
	case !own:
		s.drop(dropForeign)
	case !fits:
		s.drop(reason)
	default:
		s.engine.CountChecked(c.Index())
	}
	return dropped, true
}

// refresh tells the pools when no guarded memory of checks that have ended is outstanding any more.
func refresh() {
	if check.Current.Load() == nil && !guard.Outstanding() {
		check.Refresh()
	}
}

// judge reports whether an array of the given capacity at x, given in a way, belongs to class c, the class
// for that capacity. If not, it returns the reason to drop the array. A pool with a ceiling knows the
// addresses of its arrays; others judge by capacity and alignment.
func (s *stock) judge(x *byte, capacity int, c sizeclass.Class, how giving) (reason int, ok bool) {
	if s.ledger != nil {
		if !c.None() && capacity == c.Size() && s.ledger.find(x, c.Index(), how == adopting) != nil {
			return 0, true
		}
	} else if !c.None() && c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))) {
		return 0, true
	}
	if reason, ok = s.examine(x, capacity, c); ok && s.ledger != nil {
		return dropForeign, false
	}
	return reason, ok
}

// examine reports whether an array of the given capacity at x has the capacity and alignment of
// class c, the class for that capacity. If not, it returns the reason to drop the array.
func (s *stock) examine(x *byte, capacity int, c sizeclass.Class) (reason int, ok bool) {
	switch {
	case capacity == 0:
		return dropEmpty, false
	case c.None():
		return dropLarge, false
	case capacity < s.sizes.Smallest():
		return dropSmall, false
	case capacity != c.Size():
		return dropForeign, false
	case c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))):
		return 0, true
	case s.hasCut.Load() && c.FitsCut(capacity, uint32(uintptr(unsafe.Pointer(x)))):
		return 0, true
	case guard.Near(uintptr(unsafe.Pointer(x))): // which is aligned to pages at most
		return 0, true
	}
	return dropMisaligned, false
}

// cut adopts b, which is not shaped like the pool's slices. b must be as long as its capacity.
func (s *stock) cut(b []byte) engine.Verdict {
	addr := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	c, begin := s.sizes.Cut(len(b), addr)
	if c.None() {
		reason := dropSmall
		if len(b) >= s.sizes.Smallest() {
			reason = dropMisaligned
		}
		s.drop(reason)
		return dropped
	}
	if !c.Fits(c.Size(), addr+uint32(begin)) {
		s.hasCut.Store(true) // before anyone can put it
	}
	x := &b[begin]
	undo := func() {}
	if s.ledger != nil {
		var ok bool
		if undo, ok = s.ledger.adopt(x, c.Index()); !ok {
			s.drop(dropForeign)
			return dropped
		}
	}
	mem.RaceWrite(x, c.Size())
	verdict := s.engine.Adopt(c.Index(), x)
	if verdict == engine.Double { // x is adopted already, and has a record
		undo()
	}
	return verdict
}

// buffer returns the array at x as a slice of length n, where c is the class of n.
//
//go:nosplit
func buffer(x *byte, n int, c sizeclass.Class) []byte {
	// This is unsafe.Slice(x, c.Size())[:n] without the bounds checks. x is an array of c.Size()
	// bytes, because the engine keeps only such arrays under the index of c. n is from 1 to
	// c.Size(), because c is the class of n.
	s := struct {
		array    *byte
		len, cap int
	}{x, n, c.Size()}
	return *(*[]byte)(unsafe.Pointer(&s))
}

// unchecked returns an idle or a new array for n bytes of class c, which no check tracks.
func (s *stock) unchecked(n int, c sizeclass.Class, f engine.Fit) []byte {
	if x, class, ok := s.engine.Get(c.Index(), n, f); ok {
		return unsafe.Slice(x, s.sizes.Size(int(class)))[:n]
	}
	b := s.allocate(c.Size())[:n]
	if s.ledger != nil {
		s.ledger.born(unsafe.SliceData(b), c.Index())
	}
	s.missed(c)
	return b
}

// missed tells whoever counts misses that the pool has made an array of class c.
func (s *stock) missed(c sizeclass.Class) {
	if r := s.rare.Load(); r != nil && r.onMiss != nil {
		r.onMiss(c.Size())
	}
}

// Checks

// checkedGet is pooled for a slice that t tracks.
func (s *stock) checkedGet(t *check.Tracker, o *check.Owner, n int, c sizeclass.Class) []byte {
	s.engine.CountGet(c.Index(), n)
	s.missed(c)
	if s.ledger == nil {
		return t.Array(o, c.Size(), s.allocate)[:n]
	}
	if !t.Full() && !s.ledger.mayGuard(int64(c.Size())) {
		b := t.Unguarded(o, c.Size(), s.allocate)
		s.ledger.checked(t, unsafe.SliceData(b), c.Index(), true)
		return b[:n]
	}
	onHeap := false // false for guarded memory
	b := t.Array(o, c.Size(), func(size int) []byte {
		onHeap = true
		return s.allocate(size)
	})
	s.ledger.checked(t, unsafe.SliceData(b), c.Index(), onHeap)
	return b[:n]
}

// checkedPut is recycle for arrays that t may have a record of.
func (s *stock) checkedPut(t *check.Tracker, o *check.Owner, x *byte, capacity int, how giving) (verdict engine.Verdict) {
	large := capacity > s.sizes.Largest() && !t.Out(x, capacity)
	if capacity == 0 || large && how != adopting { // recycle drops it for that reason
		return s.recycle(o, x, capacity, how)
	}
	if how == outgrowing && s.dropOutgrown(t, o, x, capacity) {
		return dropped
	}
	put := t.Put
	switch how {
	case adopting:
		put = t.Adopt
	case forgetting:
		put = t.Forget
	}
	outcome, f := put(o, x, capacity)
	switch {
	case outcome == check.Accepted:
		c := s.sizes.Class(capacity)
		if reason, ok := s.examine(x, capacity, c); !ok { // not counted under the ceiling
			s.drop(reason)
			if reason == dropLarge {
				s.returned(x, capacity)
			}
			return dropped
		}
		s.engine.CountChecked(c.Index())
		if s.ledger != nil {
			if payer, ok := s.ledger.ended(x, c.Index()); ok {
				s.ledger.give(payer, capacity)
			}
		}
		if a, ok := lentAt(x); ok && a.pool != s.ledger { // of a default pool before
			if payer, ok := a.pool.ended(x, a.class); ok {
				a.pool.giveLost(payer, a.size)
			}
		}
		return engine.Kept
	case f.Kind == misuse.DoublePut:
		c := s.sizes.Class(capacity)
		reason, own := s.examine(x, capacity, c)
		if own {
			s.engine.CountDouble(c.Index())
		} else { // not counted under the ceiling
			s.drop(reason)
		}
		misuse.Report(f)
		return engine.Double
	case outcome == check.Rejected:
		reason := dropForeign
		if large {
			reason = dropLarge
		}
		s.drop(reason)
		if how == adopting {
			handOver(s.ledger, t, x, capacity)
		} else {
			strayTracked(t, &f, x)
		}
		if f.Kind != 0 {
			misuse.Report(f)
		}
		return dropped
	case outcome == check.Unjudged || how == adopting || !t.Full() || check.IsGuarded(x, capacity):
		return s.recycle(o, x, capacity, how)
	}
	f = t.Inside(o, x, capacity)
	if f.Kind != misuse.ForeignPut { // a part of memory with a record, which nobody may reuse or clear
		s.drop(dropForeign)
		misuse.Report(f)
		return dropped
	}
	verdict = s.recycle(o, x, capacity, how)
	if !s.mayPredate(t, o, x, capacity) {
		misuse.Report(f)
	}
	return verdict
}

// mayPredate reports whether the array of the given capacity at x, of which t has no record, may have
// been handed out before t started: by the pool, or by a default pool that it has replaced. Nor has t
// records of slices larger than the MaxSize of such a pool.
func (s *stock) mayPredate(t *check.Tracker, o *check.Owner, x *byte, capacity int) bool {
	isDefault := o.Default.Load()
	if isDefault && int64(capacity) > defaultMaxSize.Load() {
		return true
	}
	replaced := isDefault && !t.First
	if s.bornUnder == check.IDOf(t) && !replaced {
		return false
	}
	if replaced { // arrays of a pool have the shape of a class
		return capacity == sizeclass.All.Class(capacity).Size()
	}
	_, own := s.examine(x, capacity, s.sizes.Class(capacity))
	return own
}

// defaultMaxSize is the smallest MaxSize of all pools that have been the default pool.
var defaultMaxSize atomic.Int64

// dropOutgrown drops an array that Append or the like has outgrown, if checks show that no pool
// handed it out, now or before checks started. That is no misuse, because a program may append to
// any slice. It reports whether it dropped the array; if not, the caller must put it.
func (s *stock) dropOutgrown(t *check.Tracker, o *check.Owner, x *byte, capacity int) bool {
	if !t.Full() || s.mayPredate(t, o, x, capacity) || capacity > s.sizes.Largest() || t.Known(x) {
		return false
	}
	if s.zero {
		mem.ClearForeign(unsafe.Slice(x, capacity))
	}
	s.drop(dropForeign)
	return true
}

// claimed notes that the user now owns b, which the pool had handed out to basin itself. must says that the
// user must put b back.
func (s *stock) claimed(b []byte, must bool) {
	if cap(b) == 0 {
		return
	}
	x := unsafe.SliceData(b)
	if s.ledger != nil {
		s.ledger.exempt(x, cap(b), !must)
	}
	if t := check.Current.Load(); t != nil && check.Judges(t, x) {
		t.Claim(x, must)
	}
}

// exempt notes that b, which the pool has just handed out, need not be put back.
func (s *stock) exempt(b []byte) {
	if s.ledger != nil && cap(b) > 0 {
		s.ledger.exempt(unsafe.SliceData(b), cap(b), true)
	}
	exemptTracked(b)
}

// exempt notes that b, of any origin, need not be put back.
func exempt(b []byte) {
	if a, ok := lentAt(unsafe.SliceData(b)); ok && cap(b) > 0 {
		a.pool.exempt(a.x, a.size, true)
	}
	exemptTracked(b)
}

func exemptTracked(b []byte) {
	if t := check.Current.Load(); t != nil && cap(b) > 0 && check.Judges(t, unsafe.SliceData(b)) {
		t.Exempt(unsafe.SliceData(b))
	}
}
