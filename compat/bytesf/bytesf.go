//go:build go1.25

// Package bytesf has the API of github.com/mrcrgl/bytesf, on basin.
//
// Intended differences:
//
//   - A pool keeps as many buffers as the program used lately, not two, and is limited in bytes:
//     see [basin.BytePool.MaxIdle]. Buffers that were idle for [basin.DefaultIdleTime] are
//     released.
//   - A buffer is dropped if its capacity is more than twice the largest size, and more than
//     [basin.DefaultMaxSize].
//   - A list with a capacity of zero is dropped.
//
// All pools appear as "bytesf" in statistics. To use it in place of the original:
//
//	go mod edit -replace github.com/mrcrgl/bytesf=github.com/basin-go/basin/compat/bytesf@v0.1.0
package bytesf

import (
	"bytes"

	"github.com/basin-go/basin"
)

// A BufferPool hands out buffers and reuses them after Release.
type BufferPool interface {
	// Allocate returns an empty buffer.
	Allocate() *bytes.Buffer

	// Release puts a buffer. The caller must not use the buffer any more.
	Release(*bytes.Buffer)
}

type bufferPool struct{ idle basin.Pool[*bytes.Buffer] }

// NewBufferPool returns a [BufferPool] that makes buffers with a capacity of size bytes. It
// keeps a released buffer if its length is less than maxSize. Its methods are safe for
// concurrent use.
func NewBufferPool(size, maxSize int) *bufferPool {
	return &bufferPool{basin.Pool[*bytes.Buffer]{
		Name: "bytesf",
		New:  func() *bytes.Buffer { return bytes.NewBuffer(make([]byte, 0, max(size, 0))) },
		Size: func(b *bytes.Buffer) int {
			if b.Len() >= maxSize { // to drop it
				return -1
			}
			return b.Cap()
		},
		MaxSize: mostOf(maxSize),
	}}
}

// mostOf returns the capacity above which a pool drops buffers or lists of up to maxSize.
func mostOf(maxSize int) int { return max(2*min(maxSize, 1<<29), basin.DefaultMaxSize) }

// Allocate returns an empty buffer.
func (p *bufferPool) Allocate() *bytes.Buffer {
	b := p.idle.Get()
	b.Reset() // not in Release, whose Size needs the length
	return b
}

// Release puts b if it is small enough. It does nothing if b is nil.
func (p *bufferPool) Release(b *bytes.Buffer) {
	if b != nil {
		p.idle.Put(b)
	}
}

type listPool struct {
	maxSize int
	idle    basin.Pool[[]byte]
}

// NewListPool returns a pool of slices. It makes them with a length of size and a capacity of
// maxSize bytes, or of size if that is more. It keeps a released slice if its length is less
// than maxSize. Its methods are safe for concurrent use.
func NewListPool(size, maxSize int) *listPool {
	size = max(size, 0)
	return &listPool{maxSize, basin.Pool[[]byte]{
		Name:    "bytesf",
		New:     func() []byte { return make([]byte, size, max(size, maxSize)) },
		Size:    func(b []byte) int { return cap(b) },
		MaxSize: mostOf(maxSize),
	}}
}

// Allocate returns a released slice, with its length, capacity and contents at Release, or else
// a new slice, which is zero.
func (p *listPool) Allocate() []byte { return p.idle.Get() }

// Release puts b if its length is less than maxSize.
func (p *listPool) Release(b []byte) {
	if len(b) < p.maxSize && cap(b) > 0 {
		p.idle.Put(b)
	}
}
