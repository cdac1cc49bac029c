//go:build go1.25

package basinscope

import (
	"math"
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
type slabs interface{ end() }

// A slab hands out values of one type. They are elements of chunks, which are zero when they are
// taken, and again when they are put back.
type slab[T any] struct {
	used  int         // chunk[used:] is free
	chunk []T         // all of the latest chunk, or nil
	taken int         // number of chunks in this life of the slab
	boxes []*chunk[T] // all that must be put back
	fresh [][]T       // all arrays, if the scope is Fresh: they live until its End
	last  *chunk[T]   // the one of boxes that has chunk, or nil
	kind  *kind[T]
	usual uintptr // least bytes of a chunk: those that the last life needed, up to mostUsual
}

// A chunk is an array of values, with the length that is in use.
type chunk[T any] struct{ values []T }

func (b *chunk[T]) bytes() int { return cap(b.values) * int(unsafe.Sizeof(*new(T))) }

// chunks is a chunk of any type. Pools have this type, because the compiler would make the code of a Pool
// again for each type of values.
type chunks interface{ bytes() int }

func newSlow[T any](s *Scope) *T {
	if sl := recent[T](s); sl != nil && sl.used < len(sl.chunk) {
		x := &sl.chunk[sl.used]
		sl.used++
		return x
	}
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
	if sl := recent[T](s); sl != nil {
		if i := sl.used; uint(n-1) < uint(len(sl.chunk)-i) {
			sl.used = i + n
			return sl.chunk[i : i+n : i+n]
		}
	}
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

// recents is the length of core.recent.
const (
	recentBits = 6
	recents    = 1 << recentBits
)

// place returns the index of T in core.recent: a hash of the address of its type. Types may share a place.
// The first word of an interface is the address of a type, which never moves. Any other word would do, too,
// as long as it does not change, since the slab that is found is compared with T.
func place[T any]() uint32 {
	var x any = (*T)(nil)
	return uint32(*(*uintptr)(unsafe.Pointer(&x))) * 2654435769 >> (32 - recentBits)
}

// recent returns the slab of T and makes it the last one, if core.recent has it.
func recent[T any](s *Scope) *slab[T] {
	if c := s.core; c != nil && c.turn.Load() == s.turn { // not a copied Scope
		if sl, ok := c.recent[place[T]()].(*slab[T]); ok {
			s.last = sl
			return sl
		}
	}
	return nil
}

// slabOf returns the slab of T in s, and makes it the last one.
func slabOf[T any](s *Scope) *slab[T] {
	if sl := recent[T](s); sl != nil {
		return sl
	}
	c := s.ensure()
	var sl *slab[T]
	for _, x := range c.slabs {
		if same, ok := x.(*slab[T]); ok {
			sl = same
			break
		}
	}
	if sl == nil {
		sl = &slab[T]{kind: kindOf[T]()}
		c.slabs = append(c.slabs, sl)
	}
	c.recent[place[T]()], s.last = sl, sl
	return sl
}

// The first chunk of a slab is small, since many types have few values. The others have 1 KiB at first, and
// four times as much after each four of them. Chunks are larger if the last life of the slab needed more, since
// each chunk costs a Get and a Put.
const (
	firstSlab, usualSlab = 1 << 8, 1 << 10
	mostUsual            = 1 << 12
	steps                = 3
	stepChunks           = 4
	fewestItems          = 4 // in a chunk of large values
)

// grow takes a new chunk with room for n values. It returns false if n are too many for a chunk.
func (sl *slab[T]) grow(s *Scope, n int) bool {
	size := unsafe.Sizeof(*new(T))
	room := uintptr(usualSlab) << (2 * min(max(sl.taken-1, 0)/stepChunks, steps))
	switch {
	case s.Fresh:
		room = usualSlab / 2 << min(sl.taken, 7)
	case sl.taken == 0 && uintptr(n) <= max(firstSlab, sl.usual)/ownShare/size:
		room = max(firstSlab, sl.usual)
	default:
		room = max(room, sl.usual)
	}
	for room > firstSlab && !s.fits(2*room) {
		room /= 4
	}
	switch {
	case uintptr(n) <= room/ownShare/size:
	case n > 1:
		return false
	default:
		if room = max(min(fewestItems*size, room<<2), size); room > size && !s.fits(room) {
			room = size
		}
	}
	b := sl.take(s, room) // it may panic, so the old chunk must not be sealed yet
	sl.seal()
	sl.chunk, sl.used = b, 0
	if !s.Fresh {
		sl.last = sl.boxes[len(sl.boxes)-1]
	}
	return true
}

// seal notes how much of the current chunk is in use.
func (sl *slab[T]) seal() {
	if sl.last != nil {
		sl.last.values = sl.chunk[:sl.used]
	}
}

// own returns n values in an array of their own.
func (sl *slab[T]) own(s *Scope, n int) []T {
	size := unsafe.Sizeof(*new(T))
	if uintptr(n) > math.MaxInt/size {
		return make([]T, n) // panics
	}
	b := sl.take(s, uintptr(n)*size)
	if !s.Fresh {
		sl.boxes[len(sl.boxes)-1].values = b[:n]
	}
	return b[:n:n]
}

// take returns a new array of at least the given number of bytes, less a part of one value. It panics if the
// scope is used meanwhile.
func (sl *slab[T]) take(s *Scope, room uintptr) []T {
	size := unsafe.Sizeof(*new(T))
	used, taken := sl.used, sl.taken
	var box *chunk[T]
	var array []T
	if s.Fresh {
		array = make([]T, room/size)
	} else {
		box = sl.kind.get(room)
		array = box.values
	}
	if sl.used != used || sl.taken != taken || s.ended {
		panic(errBusy)
	}
	sl.taken++
	if s.Fresh {
		sl.fresh = append(sl.fresh, array)
	} else {
		sl.boxes = append(sl.boxes, box)
	}
	s.hold(len(array) * int(size))
	s.charge(len(array) * int(size))
	return array
}

// end gives all values back, which nobody may use any more.
func (sl *slab[T]) end() {
	if sl.taken == 0 {
		return
	}
	sl.seal()
	sl.usual = 0
	for i, b := range sl.boxes {
		sl.usual = min(sl.usual+uintptr(len(b.values))*unsafe.Sizeof(*new(T)), mostUsual)
		clear(b.values)
		sl.boxes[i] = nil
		sl.kind.put(b)
	}
	clear(sl.fresh)
	sl.last, sl.chunk, sl.used, sl.taken = nil, nil, 0, 0
	sl.boxes, sl.fresh = sl.boxes[:0], sl.fresh[:0]
	if max(cap(sl.boxes), cap(sl.fresh)) > keptArrays {
		sl.boxes, sl.fresh = nil, nil
	}
}

// A kind has the idle chunks of one type, in a pool for each size.
type kind[T any] struct {
	pools [sizes]atomic.Pointer[basin.Pool[chunks]]
	owner atomic.Pointer[check.Owner] // of values that are checked
	worn  sync.Once                   // see checked.go
	faded *T
}

var kinds sync.Map // *kind[T] by the reflect.Type of T

// nameOf returns the name of memory for T in statistics and reports.
func nameOf[T any]() string { return poolName + " of " + reflect.TypeFor[T]().String() }

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
	leastBits = 8
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

// poolOf returns the pool of chunks with room for n bytes, and their length. The pool is nil if there are
// none of that size.
func (k *kind[T]) poolOf(n uintptr) (p *basin.Pool[chunks], length int) {
	size := unsafe.Sizeof(*new(T))
	if n > basin.DefaultMaxSize {
		return nil, int(n / size)
	}
	_, room := sizeOf(n)
	length = int(room / size)
	i, _ := sizeOf(uintptr(length) * size) // the bytes that the chunks really have
	if i >= sizes {
		return nil, length
	}
	if p = k.pools[i].Load(); p == nil {
		k.pools[i].CompareAndSwap(nil, &basin.Pool[chunks]{
			Name: nameOf[T](),
			Size: chunks.bytes,
		})
		p = k.pools[i].Load()
	}
	return p, length
}

// get returns a chunk of zero values, with n bytes or more, less a part of one value.
func (k *kind[T]) get(n uintptr) *chunk[T] {
	p, length := k.poolOf(n)
	if p != nil {
		if b, ok := p.Get().(*chunk[T]); ok {
			return b
		}
	}
	return &chunk[T]{make([]T, length)}
}

// put keeps b, a chunk of get whose values are all zero.
func (k *kind[T]) put(b *chunk[T]) {
	b.values = b.values[:cap(b.values)]
	p, length := k.poolOf(uintptr(len(b.values)) * unsafe.Sizeof(*new(T)))
	if p != nil && length == len(b.values) {
		p.Put(b)
	}
}
