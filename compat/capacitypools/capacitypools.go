// Package capacitypools has byte slices whose capacities are powers of two, on basin, for the
// modules bytespool and go-buffer-pool beside it, which promise that. It is a module of its own
// because packages of bytespool cannot import each other: in place of the original they
// have its path.
package capacitypools

import (
	"bytes"
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin"
)

const line = 64 // below it basin has no size class

// Default is the first default of bytespool, and what its package buffer uses.
var Default = New("bytespool", 2, 4<<20)

// Readers are those of the package readerpool of bytespool.
var Readers = basin.Pool[*bytes.Reader]{
	Name:  "bytespool readers",
	New:   func() *bytes.Reader { return new(bytes.Reader) },
	Reset: func(r *bytes.Reader) *bytes.Reader { r.Reset(nil); return r },
}

// Pools is the CapacityPools of bytespool.
type Pools struct {
	minSize, maxSize int  // as they were given
	smallest, most   uint // of the capacities that are kept, if smallest is not more
	slices           basin.BytePool
	small            [6]basin.Pool[[]byte] // of 1<<i bytes

	outBytes, outCount atomic.Uint64
	since              atomic.Pointer[RuntimeSummary] // when statistics were switched on, or nil
}

// New returns Pools, with a name for statistics, of slices whose capacities are the powers of two
// from minSize to maxSize. MinSize is at least 1, maxSize at least minSize and
// at most [math.MaxInt32]; what is beyond counts as that.
func New(name string, minSize, maxSize int) *Pools {
	maxSize = min(max(maxSize, 1), math.MaxInt32)
	minSize = min(max(minSize, 1), maxSize)
	p := &Pools{minSize: minSize, maxSize: maxSize, smallest: ceil(minSize), most: floor(maxSize)}
	p.slices = basin.BytePool{Name: name, MaxSize: int(max(p.most, line)), MaxFit: 1, Adopts: true}
	for i := range p.small {
		p.small[i].Name = name + ", below 64 B"
	}
	return p
}

// ceil and floor return the next power of two: up for n > 0, down.
func ceil(n int) uint  { return 1 << bits.Len(uint(n-1)) }
func floor(n int) uint { return 1 << (bits.Len(uint(n)) - 1) }

// New returns a slice of the given length, with arbitrary contents and a power of two as its
// capacity. A negative length is zero. If size is above [Pools.MaxSize], the slice has no more
// capacity than length. Slices with a capacity above that come from the heap, and are not kept.
func (p *Pools) New(size int) []byte {
	size = max(size, 0)
	capacity := max(ceil(size), p.smallest) // ceil(0) is 0
	if capacity > p.most {
		if size > p.maxSize || capacity > math.MaxInt {
			capacity = uint(size)
		}
		b := basin.MakeUninit(size, int(capacity)) // panics if there cannot be as many: nothing is counted then
		p.outBytes.Add(uint64(size))
		p.outCount.Add(1)
		return b
	}
	if capacity >= line {
		return p.slices.Get(int(capacity))[:size]
	}
	b := p.small[bits.Len(capacity)-1].Get()
	if b == nil {
		b = make([]byte, capacity)
	}
	return b[:size]
}

// Release gives buf back, whoever made it, and reports whether it was kept. Neither buf nor any
// slice of the same array may be used any more. A capacity below [Pools.MinSize] or above
// [Pools.MaxSize] is not kept. Any other is cut to a power of two. Of slices below 64 bytes
// Release does not say whether there was room.
func (p *Pools) Release(buf []byte) bool {
	b := p.cut(buf)
	switch {
	case b == nil:
		return false
	case len(b) >= line:
		return p.slices.TryPut(b)
	}
	p.small[bits.Len(uint(len(b)))-1].Put(b)
	return true
}

// Put is Release without the answer, which takes time to find out.
func (p *Pools) Put(buf []byte) {
	if b := p.cut(buf); len(b) >= line {
		p.slices.Put(b)
	} else {
		p.Release(b)
	}
}

// cut returns the part of buf to keep, which has a capacity of the pools and that length, or nil.
func (p *Pools) cut(buf []byte) []byte {
	n := cap(buf)
	if n < p.minSize || n > p.maxSize {
		return nil
	}
	// Slices of basin begin where a cache line does, as those of the heap do from 512 bytes on.
	buf = buf[:n]
	if skip := int(-uintptr(unsafe.Pointer(&buf[0])) % line); n-skip >= line {
		buf = buf[skip:]
	} else {
		buf = buf[:min(n, line-1)]
	}
	capacity := floor(len(buf))
	if capacity < p.smallest {
		return nil
	}
	return buf[:capacity:capacity]
}

// Append appends elems to buf. If there is no room, the result has a new array, and the old
// one is released.
func (p *Pools) Append(buf []byte, elems ...byte) []byte { return appendTo(p, buf, elems) }

// AppendString is Append of a string.
func (p *Pools) AppendString(buf []byte, elems string) []byte { return appendTo(p, buf, elems) }

func appendTo[T []byte | string](p *Pools, buf []byte, elems T) []byte {
	n := len(buf) + len(elems)
	if n <= cap(buf) || cap(buf) > p.maxSize {
		return append(buf, elems...)
	}
	grown := append(append(p.Make(n), buf...), elems...)
	p.Put(buf)
	return grown
}

// Clone returns a copy of buf, or nil if buf is nil.
func (p *Pools) Clone(buf []byte) []byte {
	if buf == nil {
		return nil
	}
	return p.NewBytes(buf)
}

// MinSize and MaxSize return the limits that p was made with.
func (p *Pools) MinSize() int { return p.minSize }
func (p *Pools) MaxSize() int { return p.maxSize }

// New64 is New. It panics, as make does, if an int cannot hold size.
func (p *Pools) New64(size uint64) []byte {
	if size > math.MaxInt {
		return make([]byte, size)
	}
	return p.New(int(size))
}

// The other forms of New and Release.
func (p *Pools) Get(size int) []byte           { return p.New(size) }
func (p *Pools) NewMax() []byte                { return p.New(p.maxSize) }
func (p *Pools) NewMin() []byte                { return p.New(p.minSize) }
func (p *Pools) NewBytes(bs []byte) []byte     { return append(p.Make(len(bs)), bs...) }
func (p *Pools) NewString(s string) []byte     { return append(p.Make(len(s)), s...) }
func (p *Pools) Make(capacity int) []byte      { return p.New(capacity)[:0] }
func (p *Pools) Make64(capacity uint64) []byte { return p.New64(capacity)[:0] }
func (p *Pools) MakeMax() []byte               { return p.NewMax()[:0] }
func (p *Pools) MakeMin() []byte               { return p.NewMin()[:0] }
