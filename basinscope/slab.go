//go:build go1.25

package basinscope

import (
	"math/bits"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/check"
)

// New returns a new zero T in the memory of s. It must not have a finalizer or a cleanup: use
// [Scope.Defer].
func New[T any](s *Scope) *T {
	if sl, ok := s.last.(*slab[T]); ok && sl.used < len(sl.chunk) {
		x := &sl.chunk[sl.used]
		sl.used++
		return x
	}
	return newSlow[T](s)
}

// Slice returns n zero Ts in the memory of s. It panics if n is negative.
func Slice[T any](s *Scope, n int) []T {
	if sl, ok := s.last.(*slab[T]); ok {
		if i := sl.used; uint(n-1) < uint(len(sl.chunk)-i) {
			sl.used = i + n
			return sl.chunk[i : i+n : i+n]
		}
	}
	return sliceSlow[T](s, n)
}

// slabs is a slab of any type.
type slabs interface{ end(fresh bool) }

// A slab hands out values of one type. They are elements of chunks, which are zero when they are
// taken, and again when they are put back.
type slab[T any] struct {
	used  int   // chunk[used:] is free
	chunk []T   // the latest one, or nil
	full  [][]T // earlier chunks, and slices of their own, each with the length that is in use
	kind  *kind[T]
}

func newSlow[T any](s *Scope) *T {
	t := s.enter()
	switch {
	case unsafe.Sizeof(*new(T)) == 0:
		s.leave(t)
		return new(T)
	case t != nil:
		return &checkedSlice[T](s, t, 1)[0]
	}
	sl := slabOf[T](s)
	if sl.used == len(sl.chunk) {
		sl.grow(s, 1)
	}
	x := &sl.chunk[sl.used]
	sl.used++
	return x
}

func sliceSlow[T any](s *Scope, n int) []T {
	if n < 0 {
		panic("basinscope: Slice: negative length")
	}
	t := s.enter()
	switch {
	case n == 0 || unsafe.Sizeof(*new(T)) == 0:
		s.leave(t)
		return make([]T, n)
	case t != nil:
		return checkedSlice[T](s, t, n)
	}
	sl := slabOf[T](s)
	if n > len(sl.chunk)-sl.used && !sl.grow(s, n) {
		return sl.own(s, n)
	}
	i := sl.used
	sl.used = i + n
	return sl.chunk[i : i+n : i+n]
}

// slabOf returns the slab of T in s, and makes it the last one.
func slabOf[T any](s *Scope) *slab[T] {
	c := s.ensure()
	for i, x := range c.slabs {
		sl, ok := x.(*slab[T])
		if !ok {
			continue
		}
		if i > 0 { // so that the usual types come first
			c.slabs[i-1], c.slabs[i] = x, c.slabs[i-1]
		}
		s.last = sl
		return sl
	}
	sl := &slab[T]{kind: kindOf[T]()}
	c.slabs = append(c.slabs, sl)
	s.last = sl
	return sl
}

// Chunks of a slab have 1 KiB at first, and four times as much after each four of them.
const (
	firstSlab   = 1 << 10
	steps       = 3
	stepChunks  = 4
	fewestItems = 4 // in a chunk of large values
)

// grow takes a new chunk with room for n values. It returns false if n are too many for a chunk.
func (sl *slab[T]) grow(s *Scope, n int) bool {
	size := unsafe.Sizeof(*new(T))
	room := uintptr(firstSlab) << (2 * min(len(sl.full)/stepChunks, steps))
	if s.Fresh {
		room = firstSlab / 2 << min(len(sl.full), 7)
	}
	switch {
	case uintptr(n) <= room/ownShare/size:
	case n > 1:
		return false
	default:
		room = max(min(fewestItems*size, room<<2), size)
	}
	b := sl.take(s, room) // it may panic, so the old chunk must not be in full yet
	if sl.chunk != nil {
		sl.full = append(sl.full, sl.chunk[:sl.used])
	}
	sl.chunk, sl.used = b, 0
	return true
}

// own returns n values in an array of their own.
func (sl *slab[T]) own(s *Scope, n int) []T {
	size := unsafe.Sizeof(*new(T))
	var b []T
	if uintptr(n) > basin.DefaultMaxSize/size {
		b = make([]T, n)
		s.hold(n * int(size))
		s.charge(n * int(size))
	} else {
		b = sl.take(s, uintptr(n)*size)[:n]
	}
	sl.full = append(sl.full, b)
	return b[:n:n]
}

// take returns a slice of at least the given number of bytes, less a part of one value. It panics if the scope is used
// meanwhile.
func (sl *slab[T]) take(s *Scope, room uintptr) (b []T) {
	size := unsafe.Sizeof(*new(T))
	used, chunks := sl.used, len(sl.full)
	if s.Fresh {
		b = make([]T, room/size)
	} else {
		b = sl.kind.get(room)
	}
	if sl.used != used || len(sl.full) != chunks || s.ended {
		panic(errBusy)
	}
	s.hold(cap(b) * int(size))
	s.charge(cap(b) * int(size))
	return b
}

// end gives all values back, which nobody may use any more.
func (sl *slab[T]) end(fresh bool) {
	if sl.chunk != nil {
		sl.full = append(sl.full, sl.chunk[:sl.used])
	}
	if fresh {
		clear(sl.full)
	} else {
		for i, b := range sl.full {
			clear(b)
			sl.full[i] = nil
			sl.kind.put(b)
		}
	}
	sl.chunk, sl.used, sl.full = nil, 0, sl.full[:0]
	if cap(sl.full) > keptArrays {
		sl.full = nil
	}
}

// A kind has the idle chunks of one type, in a pool for each size.
type kind[T any] struct {
	pools [sizes]atomic.Pointer[basin.Pool[[]T]]
	owner atomic.Pointer[check.Owner] // of values that are checked
	worn  sync.Once                   // see checked.go
	faded *T
}

var kinds sync.Map // *kind[T] by the reflect.Type of T

// kindOf returns the kind of T.
func kindOf[T any]() *kind[T] {
	t := reflect.TypeFor[T]()
	if k, ok := kinds.Load(t); ok {
		return k.(*kind[T])
	}
	k, _ := kinds.LoadOrStore(t, new(kind[T]))
	return k.(*kind[T])
}

// Sizes of chunks, in bytes, are powers of two and the three sizes between each two of them.
const (
	leastBits = 10
	sizes     = 4*(22-leastBits) + 1 // up to basin.DefaultMaxSize
)

// sizeOf returns the index of the smallest size for n bytes, and that size.
func sizeOf(n uintptr) (index int, size uintptr) {
	n = max(n, 1<<leastBits)
	quarter := bits.Len(uint(n)) - 3 // the power of two below n is four quarters
	q := (n - 1) >> quarter << quarter
	q += 1 << quarter
	if q>>quarter == 8 {
		quarter++
	}
	return 4*(quarter+2-leastBits) + int(q>>quarter) - 4, q
}

// poolOf returns the pool of slices with room for n bytes, and the length of those slices. The pool is
// nil if there are none of that size.
func (k *kind[T]) poolOf(n uintptr) (p *basin.Pool[[]T], length int) {
	size := unsafe.Sizeof(*new(T))
	_, room := sizeOf(n)
	length = int(room / size)
	i, _ := sizeOf(uintptr(length) * size) // the bytes that the slices really have
	if i >= sizes {
		return nil, length
	}
	if p = k.pools[i].Load(); p == nil {
		k.pools[i].CompareAndSwap(nil, &basin.Pool[[]T]{
			Name: poolName,
			Size: func(b []T) int { return cap(b) * int(size) },
		})
		p = k.pools[i].Load()
	}
	return p, length
}

// get returns a slice of zero values, with n bytes or more, less a part of one value.
func (k *kind[T]) get(n uintptr) []T {
	p, length := k.poolOf(n)
	if p != nil {
		if b := p.Get(); b != nil {
			return b[:cap(b)]
		}
	}
	return make([]T, length)
}

// put keeps b, a slice of get whose values are all zero.
func (k *kind[T]) put(b []T) {
	p, length := k.poolOf(uintptr(cap(b)) * unsafe.Sizeof(*new(T)))
	if p != nil && length == cap(b) {
		p.Put(b)
	}
}
