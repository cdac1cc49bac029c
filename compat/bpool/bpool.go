// Package bpool has the API of github.com/oxtoacart/bpool, on basin.
//
// What differs on purpose: pools are limited in bytes too, as [basin.BytePool.MaxIdle] says,
// and keep nothing larger than [basin.DefaultMaxSize]. What nobody has needed for
// [basin.DefaultIdleTime] goes. What was put last is usually taken first. A number of items
// below zero is zero.
//
// All pools appear as "bpool" in statistics. Their methods may be called from many
// goroutines at once. To put it in place of the original:
//
//	go mod edit -replace github.com/oxtoacart/bpool=github.com/basin-go/basin/compat/bpool@v0.1.0
package bpool

import (
	"bytes"
	"sync/atomic"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// A leaky pool keeps at most a fixed number of items. Nil, as in the zero value of a pool, keeps none.
type leaky[T any] struct {
	most  int64
	idle  atomic.Int64 // put and not taken; those that are gone since too, until settle
	gone  atomic.Uint64
	items basin.Pool[slot[T]]
}

// A slot is not full if there is no item.
type slot[T any] struct {
	item T
	full bool
}

func newLeaky[T any](most int, size func(T) int) *leaky[T] {
	return &leaky[T]{most: int64(max(most, 0)), items: basin.Pool[slot[T]]{
		Name: "bpool",
		Size: func(s slot[T]) int { return size(s.item) },
	}}
}

// take returns an item that was put, with arbitrary contents; a buffer is empty.
func (p *leaky[T]) take() (x T, ok bool) {
	if p == nil {
		return x, false
	}
	s := p.items.Get()
	if s.full {
		p.idle.Add(-1)
	} else {
		p.settle(1)
	}
	return s.item, s.full
}

func (p *leaky[T]) put(x T) {
	if p == nil {
		return
	}
	if p.idle.Add(1) > p.most {
		p.idle.Add(-1)
		return
	}
	p.items.Put(slot[T]{x, true})
}

// NumPooled returns how many items are idle; while all is checked, how many would be.
func (p *leaky[T]) NumPooled() int {
	if p == nil {
		return 0
	}
	p.settle(0)
	return int(min(max(p.idle.Load(), 0), p.most))
}

// settle subtracts from idle what the pool has released since the last time; while all is
// checked, what would have been taken.
func (p *leaky[T]) settle(taken int64) {
	if p.idle.Load() == 0 {
		return
	}
	s := p.items.Stats()
	gone := s.Trimmed + s.Drops.Total()
	if lost := int64(gone - p.gone.Swap(gone)); basincheck.Now().Level != basincheck.Full {
		taken = lost
	}
	if p.idle.Add(-taken) < 0 { // checks were switched
		p.idle.Store(0)
	}
}

// A BufferPool keeps at most a fixed number of buffers. The zero BufferPool keeps none.
type BufferPool struct{ *leaky[*bytes.Buffer] }

// NewBufferPool returns a BufferPool that keeps at most size buffers.
func NewBufferPool(size int) (bp *BufferPool) {
	return &BufferPool{newLeaky(size, (*bytes.Buffer).Cap)}
}

// Get returns an empty buffer.
func (bp *BufferPool) Get() (b *bytes.Buffer) {
	if b, ok := bp.take(); ok {
		return b
	}
	return new(bytes.Buffer)
}

// Put gives b back, which the caller must not use any more.
func (bp *BufferPool) Put(b *bytes.Buffer) {
	b.Reset()
	bp.put(b)
}

// A SizedBufferPool is a [BufferPool] whose buffers have a capacity of their own.
type SizedBufferPool struct {
	*leaky[*bytes.Buffer]
	alloc int
}

// NewSizedBufferPool returns a SizedBufferPool that keeps at most size buffers, made with a
// capacity of alloc bytes.
func NewSizedBufferPool(size int, alloc int) (bp *SizedBufferPool) {
	return &SizedBufferPool{newLeaky(size, (*bytes.Buffer).Cap), alloc}
}

func (bp *SizedBufferPool) create() *bytes.Buffer { return bytes.NewBuffer(make([]byte, 0, bp.alloc)) }

// Get returns an empty buffer.
func (bp *SizedBufferPool) Get() (b *bytes.Buffer) {
	if b, ok := bp.take(); ok {
		return b
	}
	return bp.create()
}

// Put gives b back, or a new buffer if b has more than its first capacity.
func (bp *SizedBufferPool) Put(b *bytes.Buffer) {
	if b.Reset(); b.Cap() > bp.alloc {
		b = bp.create()
	}
	bp.put(b)
}

// A BytePool keeps at most a fixed number of byte slices of one width. The zero BytePool keeps
// none, of width zero.
type BytePool struct {
	*leaky[[]byte]
	width, header int
}

// NewBytePool returns a BytePool that keeps at most maxSize slices of width bytes.
func NewBytePool(maxSize int, width int) (bp *BytePool) {
	return newBytePool(maxSize, width, 0)
}

func newBytePool(maxSize, width, header int) *BytePool {
	return &BytePool{newLeaky(maxSize, func(b []byte) int { return cap(b) }), width, header}
}

// Get returns a slice of the width, with arbitrary contents.
func (bp *BytePool) Get() (b []byte) {
	if b, ok := bp.take(); ok {
		return b
	}
	return make([]byte, bp.width)
}

// Put gives b back, of whatever length, which the caller must not use any more. It drops b
// if the capacity is less than the width.
func (bp *BytePool) Put(b []byte) {
	if cap(b) >= bp.width {
		bp.put(b[:bp.width])
	}
}

// Width returns the length of the slices, with the header.
func (bp *BytePool) Width() (n int) { return bp.width }

// GetSlice and PutSlice are Get and Put of slices whose header is apart.
func (bp *BytePool) GetSlice() ByteSlice  { return WrapByteSlice(bp.Get(), bp.header) }
func (bp *BytePool) PutSlice(b ByteSlice) { bp.Put(b.full) }

// A ByteSlicePool is a pool of slices with headers. NumPooled is how many are idle.
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

// Bytes returns what follows the header, BytesWithHeader that and the header, and Full
// the slice that was wrapped.
func (b ByteSlice) Bytes() []byte           { return b.current }
func (b ByteSlice) BytesWithHeader() []byte { return b.full[:b.header+len(b.current)] }
func (b ByteSlice) Full() []byte            { return b.full }
