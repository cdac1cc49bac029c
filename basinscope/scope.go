//go:build go1.25

package basinscope

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/quota"
)

// A Scope owns memory until its End. The zero Scope is ready:
//
//	var s basinscope.Scope
//	defer s.End()
//
// The first use reads the fields, which must not change from then on. A Scope must not be copied
// after its first use; go vet reports copies. Only one goroutine at a time may use it. If two do, the
// second one panics where that is noticed: in calls that need new memory, and with full checks in all.
//
// A Scope has one life: after End, every call except End panics. A Scope that is dropped without End
// loses its memory to the garbage collector, and the functions of Defer are not called.
type Scope struct {
	// Pool has the memory of bytes and strings. If it is nil, that is the default pool.
	//
	// If the pool is under a limit without room, the scope goes beyond the limit and does not wait, as
	// [basin.BytePool.Get] does, and Room returns an error. A view of a [basin.Reservation] is such a pool. Values, and
	// bytes of fresh scopes, count towards the Limit of the pool, too, though they are not from it.
	Pool *basin.BytePool

	// Max is the limit, in bytes, on the memory of the scope and its family: chunks, slices of their own
	// and values. Beyond it, all calls still return memory, and Room returns an error. Zero means no
	// limit.
	Max int64

	// Fresh makes the memory of this scope that of no other scope: the package comment has the reasons.
	// It is allocated, zero, and left to the garbage collector. It does not come from Pool.
	Fresh bool

	ended bool
	over  bool  // a limit had no room
	ceils bool  // the pool may have no room
	busy  int32 // 1 during calls with full checks
	_     noCopy

	used  int    // chunk[used:] is free; a multiple of 8, as is the length of chunk
	chunk []byte // the latest one, or nil
	last  slabs  // of the last New or Slice, or nil

	held int64 // bytes taken by this member of the family
	pool *basin.BytePool
	core *core  // made when there is more than a chunk
	turn uint64 // of core, when s got it
}

// noCopy is found by vet's copylocks check. It has no size.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

const (
	// The first chunk is small. Later ones have a fourth of the bytes of those before, so that a scope
	// holds little more than it needs, and a large one has few chunks.
	firstChunk, usualChunk, largestChunk = 2 << 10, 4 << 10, 64 << 10
	growth                               = 4

	// A request for more than a fourth of a chunk is a slice of its own, or the rest of the chunk before
	// would be lost too often.
	ownShare = 4
)

// Get returns a slice of n bytes, aligned for any type. Its contents are arbitrary, as those of
// [basin.BytePool.Get], or zero if Fresh is set. It panics if n is negative.
func (s *Scope) Get(n int) []byte {
	i := s.used
	if uint(n-1) < uint(len(s.chunk)-i) {
		m := (n + 7) &^ 7
		s.used = i + m
		return part(unsafe.SliceData(s.chunk), i, n, m)
	}
	return s.more(n)
}

// part is unsafe.Slice(chunk, i+m)[i:i+n:i+m] without the bounds checks. The caller has checked that
// the chunk has m bytes from i on.
func part(chunk *byte, i, n, m int) []byte {
	s := struct {
		array    *byte
		len, cap int
	}{(*byte)(unsafe.Add(unsafe.Pointer(chunk), i)), n, m}
	return *(*[]byte)(unsafe.Pointer(&s))
}

// Append appends src to dst, as the built-in append does. A slice without room grows in place if it
// is the last one that the scope has handed out, or else moves to new memory of the scope. The old
// array stays valid until the End, but bytes between the length and the capacity of dst may be overwritten, as by
// append. dst may be nil, or of any other origin:
//
//	s.Append(nil, b...) // a copy of b
func (s *Scope) Append(dst []byte, src ...byte) []byte {
	if len(src) <= cap(dst)-len(dst) && !s.ended {
		return append(dst, src...)
	}
	return s.grow(dst, src)
}

// grow is Append for a dst without room.
func (s *Scope) grow(dst, src []byte) []byte {
	if s.ended {
		panic(errEnded)
	}
	n, c := len(dst)+len(src), cap(dst)
	if i := s.used - c; c > 0 && i >= 0 && n <= len(s.chunk)-i && &s.chunk[i] == &dst[:1][0] {
		s.used = roundUp(i + n) // i is not a multiple of 8 if dst is the end of that slice
		return append(s.chunk[i:i+len(dst):s.used], src...)
	}
	if n < 0 {
		panic("basinscope: Append: length out of range")
	}
	size := n
	if c > 0 {
		size = max(n, c+min(c, largestChunk)) // what grows once grows again
	}
	b := s.Get(size)[:len(dst)]
	copy(b, dst)
	return append(b, src...)
}

// String returns b as a string in the memory of the scope.
func (s *Scope) String(b []byte) string {
	m := s.Get(len(b))
	copy(m, b)
	return unsafe.String(unsafe.SliceData(m), len(m)) // nobody else has m
}

// Room returns an error that wraps [basin.ErrLimit] if the scope has gone beyond its limit, or would with n more
// bytes: the limit is Max, or that of the pool. Other calls never fail, so ask before a length from outside is
// trusted, and in loops:
//
//	if err := s.Room(n); err != nil {
//		return err
//	}
//	b := s.Get(n)
//
// The room is kept for the next Get of n bytes, or for smaller ones; with full checks, others may take it. Room panics if
// n is negative.
func (s *Scope) Room(n int) error {
	if n < 0 {
		panic("basinscope: Room: negative length")
	}
	t := s.enter()
	defer s.leave(t)
	more := n - (len(s.chunk) - s.used)
	switch {
	case s.exceeded(), s.Max > 0 && int64(max(more, 0)) > s.Max-s.total():
		return s.refusal(n)
	case more <= 0, s.Fresh && !s.ceils:
		return nil
	}
	if t != nil { // each slice has memory of its own
		b, ok := s.pool.TryGet(roundUp(n))
		if !ok {
			return s.refusal(n)
		}
		s.pool.Put(b)
		return nil
	}
	b, size, own := s.next(n)
	if b == nil {
		if s.Fresh { // otherwise the pool has counted that
			quota.GuestRefused(s.pool, int64(n))
		}
		return s.refusal(n)
	}
	if own {
		size = n // so that Max has room for n, not for the next multiple of eight
	}
	s.hold(size)
	if s.chunk != nil {
		s.ensure().keep(s.chunk)
	}
	s.start(b, 0)
	return nil
}

func (s *Scope) refusal(n int) error {
	if s.Max > 0 {
		return fmt.Errorf("basinscope: %d bytes more for a scope with %d bytes and a Max of %d: %w", n, s.total(), s.Max, basin.ErrLimit)
	}
	return fmt.Errorf("basinscope: %d bytes more for a scope with %d bytes: %w", n, s.total(), basin.ErrLimit)
}

// more is Get for n bytes that the chunk has no room for.
func (s *Scope) more(n int) []byte {
	if s.pool == nil && n > firstChunk/ownShare && s.Max == 0 && !s.Fresh && check.Current.Load() == nil {
		s.look()
		if !s.ceils { // a short way for a scope with one slice
			b := s.pool.Get(roundUp(n))
			if s.chunk != nil || s.ended {
				panic(errBusy)
			}
			s.hold(roundUp(n))
			s.start(b, n)
			return s.chunk[:n:s.used]
		}
	}
	if t := s.enter(); t != nil {
		return s.checked(t, n)
	}
	if n <= 0 {
		return none(n)
	}
	b, size, own := s.next(n)
	if b == nil {
		b = s.takeBeyond(size)
	}
	s.hold(size)
	switch {
	case s.chunk == nil:
		s.start(b, n)
	case own: // the rest of the chunk may be larger than that of b
		s.ensure().keep(b)
		return b[:n]
	default:
		s.ensure().keep(s.chunk)
		s.start(b, n)
	}
	return s.chunk[:n:s.used]
}

// next takes the next chunk, or if own is true, a slice of its own for n bytes. size is its length. If a limit has no
// room, b is nil.
func (s *Scope) next(n int) (b []byte, size int, own bool) {
	size = firstChunk
	if s.held != 0 || s.Max != 0 || s.pool.MaxSize != 0 {
		size = s.nextChunk()
	}
	if n <= size/ownShare {
		if b = s.take(size); b != nil {
			return b, size, false
		}
	}
	size = roundUp(n)
	return s.take(size), size, true
}

// roundUp returns n or the next multiple of 8. If there is none, no slice can have n bytes.
func roundUp(n int) int { return int(min(uint(n+7)&^7, math.MaxInt)) }

// none is the slice of n bytes, if n is not positive.
func none(n int) []byte {
	if n < 0 {
		panic("basinscope: Get: negative length")
	}
	return []byte{}
}

// checked is Get with full checks, by t. Each slice has memory of its own from the pool, which tracks
// it, even if Fresh is set.
func (s *Scope) checked(t *check.Tracker, n int) []byte {
	defer s.leave(t)
	if n <= 0 {
		return none(n)
	}
	b, ok := s.pool.TryGet(n)
	if !ok {
		s.exceed()
		b = s.pool.Get(n)
	}
	c := s.ensure()
	c.full = append(c.full, b)
	s.hold(n)
	if s.Fresh {
		clear(b)
	}
	return b[:n:n]
}

// nextChunk returns the size of the next chunk.
func (s *Scope) nextChunk() int {
	size := firstChunk
	if s.held > 0 {
		size = int(min(max(s.held/growth, usualChunk), largestChunk))
	}
	if most := s.pool.MaxSize; most > 0 && !s.Fresh {
		size = min(size, most)
	}
	if s.Max > 0 {
		size = int(min(int64(size), s.Max-s.total()))
	}
	return size &^ 7 // if that is not positive, each slice is one of its own
}

// take returns a slice of n bytes or, in its capacity, more. It returns nil if a limit has no room.
// It panics if the scope is used meanwhile.
func (s *Scope) take(n int) (b []byte) {
	used, chunk := s.used, unsafe.SliceData(s.chunk)
	switch {
	case s.Fresh:
		if s.tryCharge(n) {
			b = make([]byte, n)
		}
	case s.ceils:
		b, _ = s.pool.TryGet(n)
	default:
		b = s.pool.Get(n) // the same as TryGet, but faster
	}
	if s.used != used || unsafe.SliceData(s.chunk) != chunk || s.ended {
		panic(errBusy)
	}
	return b
}

// takeBeyond is take where a limit has no room.
func (s *Scope) takeBeyond(n int) (b []byte) {
	s.exceed()
	if !s.Fresh {
		return s.pool.Get(n)
	}
	b = make([]byte, n)
	s.charge(n)
	return b
}

// start makes b the current chunk, of which n bytes are in use.
func (s *Scope) start(b []byte, n int) {
	if s.Max == 0 {
		b = b[:cap(b)] // perhaps more than was asked for
	}
	s.chunk = b[:len(b)&^7] // lengths beyond the pool's MaxSize may be odd
	s.used = roundUp(n)
}

// enter begins a call on the slow path. It returns the tracker of full checks, or nil. With one, the
// caller must call leave.
//
// Without full checks, a second goroutine is noticed in take. With them, no goroutine enters while
// another one is in a call.
func (s *Scope) enter() *check.Tracker {
	if s.pool == nil || s.core != nil {
		s.look()
	}
	if t := check.Current.Load(); t != nil && t.Full() {
		if !atomic.CompareAndSwapInt32(&s.busy, 0, 1) {
			panic(errBusy)
		}
		return t
	}
	return nil
}

// look reads the fields at the first use. It panics if s has ended.
func (s *Scope) look() {
	switch {
	case s.ended:
		panic(errEnded)
	case s.core != nil && s.core.turn.Load() != s.turn:
		panic(errCopy)
	case s.pool != nil:
		return
	case s.Max < 0 || s.Max > math.MaxInt64/2:
		panic(fmt.Sprintf("basinscope: Scope.Max is %d, want 0 (for none) to %d", s.Max, int64(math.MaxInt64/2)))
	}
	s.pool = s.Pool
	if s.pool == nil {
		s.pool = basin.Default()
	}
	s.ceils = s.pool.MaxInUse != 0 || s.pool.Limit != nil
}

func (s *Scope) leave(t *check.Tracker) {
	if t != nil {
		atomic.StoreInt32(&s.busy, 0)
	}
}
