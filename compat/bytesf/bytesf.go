//go:build go1.25

// Package bytesf has the API of github.com/mrcrgl/bytesf, on basin.
//
// Intended differences:
//
//   - A pool keeps up to 256 buffers or lists, or as many of the largest size as fit into
//     [basin.DefaultMaxIdle], not two. Those that were idle for [basin.DefaultIdleTime] are
//     released.
//   - A buffer or list is dropped if its capacity is more than twice the largest size, and more
//     than 64 KiB.
//   - A list with a capacity of zero is dropped.
//
// All pools appear as "bytesf" in statistics. To use it in place of the original:
//
//	go mod edit -replace github.com/mrcrgl/bytesf=github.com/basin-go/basin/compat/bytesf@v0.1.0
package bytesf

import (
	"bytes"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// The original locks a mutex, which costs less than a [basin.Pool] with a Size. So the pools count
// buffers instead of bytes, and Allocate and the methods of lists are small enough to be inlined.

// A BufferPool hands out buffers and reuses them after Release.
type BufferPool interface {
	// Allocate returns an empty buffer.
	Allocate() *bytes.Buffer

	// Release puts a buffer. The caller must not use the buffer any more.
	Release(*bytes.Buffer)
}

type bufferPool struct {
	idle    basin.Pool[*bytes.Buffer]
	size    int // capacity of new buffers
	maxSize int
	most    int // largest capacity that is kept
}

// NewBufferPool returns a [BufferPool] that makes buffers with a capacity of size bytes. It
// keeps a released buffer if its length is less than maxSize. Its methods are safe for
// concurrent use.
func NewBufferPool(size, maxSize int) *bufferPool {
	size = max(size, 0)
	most, items := bounds(size, maxSize)
	return &bufferPool{basin.Pool[*bytes.Buffer]{
		Name:     "bytesf",
		New:      func() *bytes.Buffer { return bytes.NewBuffer(make([]byte, 0, size)) },
		MaxItems: items,
	}, size, maxSize, most}
}

// bounds returns the largest capacity that a pool keeps, and the largest number of values. Together
// they have at most DefaultMaxIdle bytes. But two may be idle in any case, as in the original.
func bounds(size, maxSize int) (most, items int) {
	most = max(size, 2*min(maxSize, 1<<29), 64<<10)
	return most, min(max(basin.DefaultMaxIdle/most, 2), basin.DefaultMaxItems)
}

// Allocate returns an empty buffer.
func (p *bufferPool) Allocate() *bytes.Buffer { return p.idle.Get() }

// Release puts b if it is small enough. It does nothing if b is nil.
func (p *bufferPool) Release(b *bytes.Buffer) {
	switch {
	case b == nil:
	case b.Len() < p.maxSize && b.Cap() <= p.most:
		b.Reset()
		p.idle.Put(b)
	case basincheck.Now().Level != basincheck.Off:
		*b = *bytes.NewBuffer(make([]byte, 0, p.size)) // so that checks see the release, but the pool does not keep the memory
		p.idle.Put(b)
	}
}

type listPool struct {
	idle    basin.Pool[[]byte]
	maxSize int
	most    int // largest capacity that is kept
}

// NewListPool returns a pool of slices. It makes them with a length of size and a capacity of
// maxSize bytes, or of size if that is more. It keeps a released slice if its length is less
// than maxSize. Its methods are safe for concurrent use.
func NewListPool(size, maxSize int) *listPool {
	size = max(size, 0)
	most, items := bounds(size, maxSize)
	return &listPool{basin.Pool[[]byte]{
		Name:     "bytesf",
		New:      func() []byte { return make([]byte, size, max(size, maxSize)) },
		MaxItems: items,
	}, maxSize, most}
}

// Allocate returns a released slice, with its length, capacity and contents at Release, or else
// a new slice, which is zero.
func (p *listPool) Allocate() []byte { return p.idle.Get() }

// Release puts b if its length is less than maxSize.
func (p *listPool) Release(b []byte) {
	if len(b) < p.maxSize && uint(cap(b)-1) < uint(p.most) { // not zero, and at most p.most
		p.idle.Put(b)
	}
}
