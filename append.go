//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/engine"
)

// Append appends src to dst, as the built-in append does. If dst has no room for src, the result
// has a new array from the pool, and the array of dst goes to the pool: nobody may use it
// afterwards. src may be a part of dst. A pool with [BytePool.Zero] clears the outgrown array, even
// if it is from make or another pool. If dst has room, Append does not touch the pool.
func (p *BytePool) Append(dst []byte, src ...byte) []byte {
	// The compiler inlines this method and the similar ones. The built-in append has the same
	// condition, so the compiler tests it once.
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return p.growAppend(dst, src)
	}
	return append(dst, src...)
}

// AppendString is [BytePool.Append] for a string.
func (p *BytePool) AppendString(dst []byte, src string) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return p.growAppendString(dst, src)
	}
	return append(dst, src...)
}

// growAppend is Append when dst has too little room.
//
//go:noinline
func (p *BytePool) growAppend(dst, src []byte) []byte {
	grown := fill(p, p.larger(dst, len(src)), dst, src)
	p.putOutgrown(dst)
	return grown
}

// growAppendString is AppendString when dst has too little room.
//
//go:noinline
func (p *BytePool) growAppendString(dst []byte, src string) []byte {
	grown := fill(p, p.larger(dst, len(src)), dst, src)
	p.putOutgrown(dst)
	return grown
}

// Grow returns b with room for another n bytes. If b has too little room, the result has a new
// array from the pool, and the array of b goes to the pool: nobody may use it afterwards. Grow
// panics if n is negative.
func (p *BytePool) Grow(b []byte, n int) []byte {
	if uint(n) <= uint(cap(b)-len(b)) {
		return b
	}
	return p.grow(b, n)
}

// grow is Grow when b has too little room.
//
//go:noinline
func (p *BytePool) grow(b []byte, n int) []byte {
	if n < 0 {
		panic("basin: Grow by a negative number of bytes")
	}
	grown := fill(p, p.larger(b, n), b, "")
	p.putOutgrown(b)
	return grown
}

// larger returns an empty slice of at least twice the capacity of b, with room for b and another n bytes.
func (p *BytePool) larger(b []byte, n int) []byte {
	need := len(b) + n
	if need < 0 {
		panic("basin: a slice would have more bytes than an int can count")
	}
	return p.growTo(max(need, 2*cap(b)), engine.BestFit)[:0]
}

// fill appends b and src to empty, whose array is from p and has no other user. If one of them is guarded
// memory that was put, the copy faults, which Catch of package basincheck may recover from. Then fill puts the
// array, because nobody else can.
func fill[T []byte | string](p *BytePool, empty, b []byte, src T) []byte {
	filled := false
	defer func() {
		if !filled {
			p.Put(empty)
		}
	}()
	full := append(append(empty, b...), src...)
	filled = true
	return full
}

// putOutgrown puts b, which Append or the like has outgrown, and which may be of any origin.
func (p *BytePool) putOutgrown(b []byte) {
	if cap(b) == 0 {
		return
	}
	x := unsafe.SliceData(b)
	if t := p.puts.Load(); t != nil {
		if c := t.Class(cap(b)); c.Fits(cap(b), uint32(uintptr(unsafe.Pointer(x)))) && p.push(x, c.Index()) {
			return
		}
	}
	p.put(x, cap(b), outgrowing)
}

// growTo is Get, or for OwnClass, Get without larger slices.
func (p *BytePool) growTo(n int, f engine.Fit) []byte {
	if f == engine.OwnClass {
		return p.get(n, f)
	}
	return p.Get(n)
}

// getFresh is getOr for at most smallFit bytes and for users that may never put them, such as the user of a
// Buffer. If no array is idle, it allocates one without counting the Get, which saves a lock. The
// caller must call countFresh before it puts that array.
func (p *BytePool) getFresh(n int) (b []byte, counted bool, err error) {
	if t := p.gets.Load(); t != nil {
		if c := t.Class(n); !c.None() {
			if x, ok := p.engine.Pop(c.Index(), n); ok {
				return buffer(x, n, c), true, nil
			}
			if !p.engine.Stocked(c.Index()) {
				return p.allocate(c.Size())[:n], false, nil
			}
			return p.get(n, engine.BestFit), true, nil
		}
	}
	b, err = p.getOr(n, engine.BestFit, want{})
	return b, true, err
}

// countFresh counts the Get of an array of the given capacity that getFresh left uncounted.
func (p *BytePool) countFresh(capacity int) {
	if c := p.classes().Class(capacity); c.Size() == capacity && p.ledger == nil { // otherwise SetDefault has changed the default pool since
		p.engine.CountMiss(c.Index(), capacity)
	}
}

// giveAway returns an idle array of n bytes, which does not belong to the pool any more, or nil. n must
// be the size of a class. A pool whose fast path is off gives nothing away.
func (p *BytePool) giveAway(n int) []byte {
	t := p.gets.Load()
	if t == nil {
		return nil
	}
	c := t.Class(n)
	if c.None() || c.Size() != n || !p.engine.Stocked(c.Index()) {
		return nil
	}
	if x, ok := p.engine.Remove(c.Index()); ok {
		return buffer(x, n, c)
	}
	return nil
}
