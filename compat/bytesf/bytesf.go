// Package bytesf has the API of github.com/mrcrgl/bytesf, on basin.
//
// What differs on purpose:
//
//   - A pool keeps as many buffers as programs had in use lately, not two, limited in
//     bytes: see [basin.BytePool.MaxIdle]. Those that nobody has needed for
//     [basin.DefaultIdleTime] go.
//   - A buffer is dropped if its capacity is more than twice the largest size, and more
//     than [basin.DefaultMaxSize].
//   - A list whose capacity is below that of the pool is dropped, whoever made it:
//     Allocate promises the capacity.
//
// All pools appear as "bytesf" in statistics. To put it in place of the original:
//
//	go mod edit -replace github.com/mrcrgl/bytesf=github.com/basin-go/basin/compat/bytesf@v0.1.0
package bytesf

import (
	"bytes"

	"github.com/basin-go/basin"
)

// A BufferPool hands out buffers and takes them back for reuse.
type BufferPool interface {
	// Allocate returns an empty buffer.
	Allocate() *bytes.Buffer

	// Release takes a buffer back, which the caller must not use any more.
	Release(*bytes.Buffer)
}

type bufferPool struct {
	maxSize int
	idle    basin.Pool[*bytes.Buffer]
}

// NewBufferPool returns a [BufferPool] that makes buffers with a capacity of size
// bytes. It keeps a released buffer if fewer than maxSize bytes are in it. Its methods
// may be called from many goroutines at once.
func NewBufferPool(size, maxSize int) *bufferPool {
	return &bufferPool{maxSize, basin.Pool[*bytes.Buffer]{
		Name:    "bytesf",
		New:     func() *bytes.Buffer { return bytes.NewBuffer(make([]byte, 0, max(size, 0))) },
		Size:    (*bytes.Buffer).Cap,
		MaxSize: mostOf(maxSize),
	}}
}

// mostOf returns the capacity above which nothing is kept, of buffers or lists of up to maxSize.
func mostOf(maxSize int) int { return max(2*min(maxSize, 1<<29), basin.DefaultMaxSize) }

// Allocate returns an empty buffer.
func (p *bufferPool) Allocate() *bytes.Buffer { return p.idle.Get() }

// Release takes b back if it is small enough. It does nothing if b is nil.
func (p *bufferPool) Release(b *bytes.Buffer) {
	if b == nil || b.Len() >= p.maxSize {
		return
	}
	b.Reset()
	p.idle.Put(b)
}

type listPool struct {
	size, maxSize int
	idle          basin.Pool[[]byte]
}

// NewListPool returns a pool of slices with a length of size and a capacity of maxSize
// bytes, or of size if that is more. It keeps a released slice that is shorter than
// maxSize. Its methods may be called from many goroutines at once.
func NewListPool(size, maxSize int) *listPool {
	size = max(size, 0)
	return &listPool{size, maxSize, basin.Pool[[]byte]{
		Name:    "bytesf",
		New:     func() []byte { return make([]byte, size, max(size, maxSize)) },
		Size:    func(b []byte) int { return cap(b) },
		MaxSize: mostOf(maxSize),
	}}
}

// Allocate returns a slice with arbitrary contents.
func (p *listPool) Allocate() []byte { return p.idle.Get() }

// Release takes b back, of whatever length below maxSize.
func (p *listPool) Release(b []byte) {
	if len(b) < p.maxSize && cap(b) >= max(p.size, p.maxSize) {
		p.idle.Put(b[:p.size:max(p.size, p.maxSize)])
	}
}
