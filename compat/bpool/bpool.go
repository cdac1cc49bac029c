//go:build go1.25

// Package bpool has the API of github.com/oxtoacart/bpool, on basin.
//
// Intended differences: pools are also limited in bytes, see [basin.BytePool.MaxIdle], and keep
// nothing larger than [basin.DefaultMaxSize]. Items that were idle for [basin.DefaultIdleTime]
// are released. The item that was put last is usually reused first. A negative number of items
// means zero.
//
// All pools appear as "bpool" in statistics. Their methods are safe for concurrent use. To use
// it in place of the original:
//
//	go mod edit -replace github.com/oxtoacart/bpool=github.com/basin-go/basin/compat/bpool@v0.1.0
package bpool

import (
	"bytes"
	"sync/atomic"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// A leaky pool keeps at most a fixed number of items. A nil leaky, as in the zero value of a
// pool, keeps none.
type leaky[T any] struct {
	most  int64
	kept  atomic.Int64 // idle items, and those released since the last settle
	items basin.Pool[T]
}

// newLeaky returns a pool that keeps at most most items. create makes an item. reset is called
// at Put and returns the item to keep. size returns the bytes of an item, or less than zero for
// none.
func newLeaky[T any](most int, create func() T, reset func(T) T, size func(T) int) *leaky[T] {
	p := &leaky[T]{most: int64(max(most, 0))}
	p.items.Name = "bpool"
	p.items.New = func() T {
		if !full() {
			p.settle()
			p.kept.Add(1) // take subtracts it
		}
		return create()
	}
	p.items.Reset = func(x T) T { // also called for dropped items, so that checks see their Put
		if x = reset(x); p.kept.Add(1) > p.most {
			p.kept.Add(-1)
			x = *new(T)
		}
		return x
	}
	p.items.Size = size
	return p
}

// full reports whether every acquisition is checked, so that nothing is reused.
func full() bool { return basincheck.Now().Level == basincheck.Full }

// take returns an idle item with arbitrary contents, or a new one; a buffer is empty.
func (p *leaky[T]) take() T {
	x := p.items.Get()
	if p.kept.Add(-1) < 0 { // with full checks
		p.kept.Add(1)
	}
	return x
}

// size returns the number of idle items. With full checks, it returns the number that would be
// idle without them.
func (p *leaky[T]) size() int {
	if p == nil {
		return 0
	}
	if !full() {
		p.settle()
	}
	return int(min(max(p.kept.Load(), 0), p.most))
}

// settle subtracts the items that the pool has released since the last call.
func (p *leaky[T]) settle() {
	if p.kept.Load() != 0 {
		p.kept.Store(p.items.Stats().Items.Idle)
	}
}

// newBuffers returns a leaky pool of buffers. keep returns the buffer to keep in place of an
// empty one.
func newBuffers(most int, create func() *bytes.Buffer, keep func(*bytes.Buffer) *bytes.Buffer) *leaky[*bytes.Buffer] {
	reset := func(b *bytes.Buffer) *bytes.Buffer {
		b.Reset()
		return keep(b)
	}
	return newLeaky(most, create, reset, func(b *bytes.Buffer) int {
		if b == nil {
			return -1
		}
		return b.Cap()
	})
}

// A BufferPool keeps at most a fixed number of buffers. The zero BufferPool keeps none.
type BufferPool struct{ idle *leaky[*bytes.Buffer] }

// NewBufferPool returns a BufferPool that keeps at most size buffers.
func NewBufferPool(size int) (bp *BufferPool) {
	return &BufferPool{newBuffers(size, newBuffer, func(b *bytes.Buffer) *bytes.Buffer { return b })}
}

func newBuffer() *bytes.Buffer { return new(bytes.Buffer) }

// Get returns an empty buffer.
func (bp *BufferPool) Get() (b *bytes.Buffer) {
	if bp.idle == nil {
		return newBuffer()
	}
	return bp.idle.take()
}

// Put puts b. The caller must not use b any more.
func (bp *BufferPool) Put(b *bytes.Buffer) {
	if bp.idle == nil {
		b.Reset()
		return
	}
	bp.idle.items.Put(b)
}

// NumPooled returns the number of idle buffers. With full checks, it returns the number that
// would be idle without them.
func (bp *BufferPool) NumPooled() int { return bp.idle.size() }

// A SizedBufferPool is a [BufferPool] whose buffers have a fixed initial capacity.
type SizedBufferPool struct {
	idle  *leaky[*bytes.Buffer]
	alloc int
}

// NewSizedBufferPool returns a SizedBufferPool that keeps at most size buffers, made with a
// capacity of alloc bytes.
func NewSizedBufferPool(size int, alloc int) (bp *SizedBufferPool) {
	bp = &SizedBufferPool{alloc: alloc}
	bp.idle = newBuffers(size, bp.create, func(b *bytes.Buffer) *bytes.Buffer {
		if b.Cap() > alloc {
			b = bp.create()
		}
		return b
	})
	return bp
}

func (bp *SizedBufferPool) create() *bytes.Buffer { return bytes.NewBuffer(make([]byte, 0, bp.alloc)) }

// Get returns an empty buffer.
func (bp *SizedBufferPool) Get() (b *bytes.Buffer) {
	if bp.idle == nil {
		return bp.create()
	}
	return bp.idle.take()
}

// Put puts b, or a new buffer if b's capacity is larger than the initial one.
func (bp *SizedBufferPool) Put(b *bytes.Buffer) {
	if bp.idle == nil {
		b.Reset()
		return
	}
	bp.idle.items.Put(b)
}

// NumPooled returns the number of idle buffers. With full checks, it returns the number that
// would be idle without them.
func (bp *SizedBufferPool) NumPooled() int { return bp.idle.size() }

// A BytePool keeps at most a fixed number of byte slices of one width. The zero BytePool keeps
// none, and its width is zero.
type BytePool struct {
	idle          *leaky[[]byte]
	width, header int
}

// NewBytePool returns a BytePool that keeps at most maxSize slices of width bytes.
func NewBytePool(maxSize int, width int) (bp *BytePool) {
	return newBytePool(maxSize, width, 0)
}

func newBytePool(maxSize, width, header int) *BytePool {
	create := func() []byte { return make([]byte, width) }
	reset := func(b []byte) []byte { return b[:width] }
	return &BytePool{newLeaky(maxSize, create, reset, func(b []byte) int {
		if b == nil {
			return -1
		}
		return cap(b)
	}), width, header}
}

// Get returns a slice with the width as its length and with arbitrary contents.
func (bp *BytePool) Get() (b []byte) {
	if bp.idle == nil {
		return make([]byte, bp.width)
	}
	return bp.idle.take()
}

// Put puts b, of any length. The caller must not use b any more. Put drops b if its capacity is
// less than the width.
func (bp *BytePool) Put(b []byte) {
	if bp.idle != nil && cap(b) >= bp.width {
		bp.idle.items.Put(b)
	}
}

// NumPooled returns the number of idle slices. With full checks, it returns the number that
// would be idle without them.
func (bp *BytePool) NumPooled() int { return bp.idle.size() }

// Width returns the length of the slices, including the header.
func (bp *BytePool) Width() (n int) { return bp.width }

// GetSlice and PutSlice are Get and Put for slices with a separate header.
func (bp *BytePool) GetSlice() ByteSlice  { return WrapByteSlice(bp.Get(), bp.header) }
func (bp *BytePool) PutSlice(b ByteSlice) { bp.Put(b.full) }

// A ByteSlicePool is a pool of slices with headers. NumPooled returns the number of idle
// slices.
type ByteSlicePool interface {
	GetSlice() ByteSlice
	PutSlice(ByteSlice)
	NumPooled() int
}

// NewByteSlicePool returns a pool like [NewBytePool].
func NewByteSlicePool(maxSize int, width int) ByteSlicePool { return NewBytePool(maxSize, width) }

// NewHeaderPreservingByteSlicePool returns a pool that keeps at most maxSize slices of
// width bytes after a header of headerLength.
func NewHeaderPreservingByteSlicePool(maxSize int, width int, headerLength int) ByteSlicePool {
	return newBytePool(maxSize, width+headerLength, headerLength)
}

// A ByteSlice is a byte slice with room for a header in front.
type ByteSlice struct {
	full, current []byte
	header        int
}

// WrapByteSlice returns full as a ByteSlice whose header has headerLength bytes.
func WrapByteSlice(full []byte, headerLength int) ByteSlice {
	return ByteSlice{full, full[headerLength:], headerLength}
}

// ResliceTo returns b with end bytes after the header.
func (b ByteSlice) ResliceTo(end int) ByteSlice { return ByteSlice{b.full, b.current[:end], b.header} }

// Bytes returns the part after the header, BytesWithHeader that part with the header, and Full
// the wrapped slice.
func (b ByteSlice) Bytes() []byte           { return b.current }
func (b ByteSlice) BytesWithHeader() []byte { return b.full[:b.header+len(b.current)] }
func (b ByteSlice) Full() []byte            { return b.full }
