//go:build go1.25

// Package capacitypools has pools of byte slices whose capacities are powers of two, on basin.
// The modules bytespool and go-buffer-pool, which promise such capacities, use it. Programs import
// these modules, not this package, which may change at any time.
//
// The package is in basin's module, so that a program needs no further module. It cannot be
// internal, and the packages of bytespool cannot import each other: in place of the original, they
// have its path.
package capacitypools

import (
	"bytes"
	"math"
	"math/bits"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/mem"
)

const line = 64 // basin has no smaller size class

// Default has the initial default pools of bytespool. Its package buffer uses them, too.
var Default = New("bytespool", false, 2, 4<<20)

// Readers is the pool of bytespool's package readerpool. Its users reset readers before they put them, which
// is faster than a Reset of the pool.
var Readers = basin.Pool[*bytes.Reader]{
	Name: "bytespool readers",
	New:  func() *bytes.Reader { return new(bytes.Reader) },
}

// Pools is the CapacityPools of bytespool.
type Pools struct {
	minSize, maxSize int  // as given to New
	smallest, most   uint // range of the capacities that are kept; empty if smallest is larger
	zero             bool // new slices are zero
	slices           basin.BytePool
	small            [6]basin.Pool[*byte] // pointers to the first of 1<<i bytes, because checks track pointers

	counters
}

// New returns Pools with a name for statistics. The capacities are the powers of two from
// minSize to maxSize. If zero is true, new slices are zero. maxSize is limited to the range from
// 1 to [math.MaxInt32], and minSize to the range from 1 to maxSize.
func New(name string, zero bool, minSize, maxSize int) *Pools {
	maxSize = min(max(maxSize, 1), math.MaxInt32)
	minSize = min(max(minSize, 1), maxSize)
	p := &Pools{minSize: minSize, maxSize: maxSize, smallest: ceil(minSize), most: floor(maxSize), zero: zero}
	p.slices = basin.BytePool{Name: name, MaxSize: int(max(p.most, line)), MaxFit: 1, ZeroNew: zero, Adopts: true}
	engine.OnMiss(&p.slices, p.miss)
	for i := range p.small {
		p.small[i].Name = name + ", below 64 B"
		// Less than 16 bytes would share an allocation of the runtime, which checks cannot
		// track.
		p.small[i].New = func() *byte {
			p.miss(1 << i)
			return &make([]byte, max(1<<i, 16))[0]
		}
	}
	return p
}

// ceil returns the least power of two that is n or more, for n > 0, and floor the largest that is
// n or less.
func ceil(n int) uint  { return 1 << bits.Len(uint(n-1)) }
func floor(n int) uint { return 1 << (bits.Len(uint(n)) - 1) }

// New returns a slice of the given length, with arbitrary contents and a power of two as its
// capacity. A negative length means zero. If size is above [Pools.MaxSize], the capacity equals
// the length. Slices with a larger capacity than MaxSize come from the heap, and are not kept.
func (p *Pools) New(size int) []byte {
	size = max(size, 0)
	capacity := max(ceil(size), p.smallest) // ceil(0) is 0
	if capacity > p.most {
		if size > p.maxSize || capacity > math.MaxInt {
			capacity = uint(size)
		}
		b := p.outside(size, int(capacity)) // panics if size is impossible; then nothing is counted
		if p.on.Load() {
			p.outBytes.Add(uint64(size))
			p.outCount.Add(1)
		}
		return b
	}
	i := bits.Len(capacity) - 1
	if p.on.Load() {
		p.get(i)
	}
	if capacity >= line {
		return p.slices.Get(int(capacity))[:size]
	}
	// Sound, because New and Release put only pointers to the first of so many bytes.
	return unsafe.Slice(p.small[i].Get(), capacity)[:size]
}

// Bytes returns a new slice with arbitrary contents, not from a pool. It panics as make does.
func Bytes(length, capacity int) []byte { return mem.MakeUninit(length, capacity) }

// outside returns a new slice from the heap.
func (p *Pools) outside(length, capacity int) []byte {
	if p.zero {
		return make([]byte, length, capacity)
	}
	return Bytes(length, capacity)
}

// Release puts buf, of any origin, and reports whether its capacity is in the range from
// [Pools.MinSize] to [Pools.MaxSize]. Neither buf nor any other slice of its array may be used any
// more. A slice of another capacity is not kept. Any other is cut to a power of two.
func (p *Pools) Release(buf []byte) bool {
	n := cap(buf)
	if n < p.minSize || n > p.maxSize {
		p.drop(buf)
		return false
	}
	kept := buf
	if n&(n-1) != 0 || uintptr(unsafe.Pointer(unsafe.SliceData(buf)))%line != 0 {
		kept = p.cut(buf)
		n = len(kept)
	}
	if n >= line {
		p.slices.Put(kept)
		return true
	}
	p.drop(buf) // it may be a part of a slice from 64 bytes on
	if n > 0 {
		p.small[bits.Len(uint(n))-1].Put(unsafe.SliceData(kept))
	}
	return true
}

// Put is Release without a result.
func (p *Pools) Put(buf []byte) { p.Release(buf) }

// drop tells checks that buf was put. If buf is a part of a tracked array, they report it.
func (p *Pools) drop(buf []byte) {
	if n := cap(buf); n > 0 && n <= p.maxSize && basincheck.Now().Level != basincheck.Off {
		p.slices.Put(buf)
	}
}

// cut returns the part of buf to keep, with a capacity of the pools as its length and capacity, or nil.
// The capacity of buf is at least minSize.
func (p *Pools) cut(buf []byte) []byte {
	n := cap(buf)
	whole := buf[:n]
	// Slices of basin begin at a cache line, as do those of the heap from 512 bytes on.
	if skip := int(-uintptr(unsafe.Pointer(&whole[0])) % line); n-skip >= line {
		whole = whole[skip:]
	} else {
		whole = whole[:min(n, line-1)]
	}
	capacity := floor(len(whole))
	if capacity < p.smallest {
		return nil
	}
	return whole[:capacity:capacity]
}

// Append appends elems to buf. If there is no room, the result has a new array, and Append
// releases the old one.
func (p *Pools) Append(buf []byte, elems ...byte) []byte { return appendTo(p, buf, elems) }

// AppendString is Append of a string.
func (p *Pools) AppendString(buf []byte, elems string) []byte { return appendTo(p, buf, elems) }

func appendTo[T []byte | string](p *Pools, buf []byte, elems T) []byte {
	n := len(buf) + len(elems)
	if n <= cap(buf) || cap(buf) > p.maxSize {
		return append(buf, elems...)
	}
	var grown []byte
	if guard.Outstanding() {
		grown = fill(p, p.Make(n), buf, elems)
	} else {
		grown = p.New(n)
		copy(grown[copy(grown, buf):], elems)
	}
	p.Put(buf)
	return grown
}

// fill appends buf and elems to empty, whose array nobody else has. If a copy faults, because one of them is
// guarded memory that was put, fill puts the array: see basincheck.Catch.
func fill[T []byte | string](p *Pools, empty, buf []byte, elems T) []byte {
	filled := false
	defer func() {
		if !filled {
			p.Put(empty)
		}
	}()
	full := append(append(empty, buf...), elems...)
	filled = true
	return full
}

// NewBytes and NewString return copies of their arguments, and Clone does the same as NewBytes. They
// never return nil.
func (p *Pools) NewBytes(bs []byte) []byte { return copyOf(p, bs) }
func (p *Pools) NewString(s string) []byte { return copyOf(p, s) }
func (p *Pools) Clone(buf []byte) []byte   { return copyOf(p, buf) }

func copyOf[T []byte | string](p *Pools, elems T) []byte {
	if guard.Outstanding() {
		return fill(p, p.Make(len(elems)), nil, elems)
	}
	b := p.New(len(elems))
	copy(b, elems)
	return b
}

// MinSize and MaxSize return the limits given to New.
func (p *Pools) MinSize() int { return p.minSize }
func (p *Pools) MaxSize() int { return p.maxSize }

// New64 is New. It panics, as make does, if size does not fit into an int.
func (p *Pools) New64(size uint64) []byte {
	if size > math.MaxInt {
		return make([]byte, size)
	}
	return p.New(int(size))
}

// Get is New. NewMax and NewMin return slices of the largest and the smallest size. A Make method is
// the New method cut to length zero.
func (p *Pools) Get(size int) []byte           { return p.New(size) }
func (p *Pools) NewMax() []byte                { return p.New(p.maxSize) }
func (p *Pools) NewMin() []byte                { return p.New(p.minSize) }
func (p *Pools) Make(capacity int) []byte      { return p.New(capacity)[:0] }
func (p *Pools) Make64(capacity uint64) []byte { return p.New64(capacity)[:0] }
func (p *Pools) MakeMax() []byte               { return p.NewMax()[:0] }
func (p *Pools) MakeMin() []byte               { return p.NewMin()[:0] }
