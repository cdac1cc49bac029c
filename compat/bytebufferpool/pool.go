package bytebufferpool

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin"
)

// A Pool keeps ByteBuffers with their arrays for reuse. The zero Pool is ready. A Pool must
// not be copied after its first use. Its methods may be called from many goroutines at
// once.
type Pool struct {
	idle  basin.Pool[*ByteBuffer]
	ready atomic.Bool // idle has its settings
	mu    sync.Mutex
}

var global Pool

func init() { global.begin() } // so that Get and Put need not look, and are inlined

// Get returns an empty buffer from the pool of this package.
func Get() *ByteBuffer {
	b := global.idle.Get()
	b.Reset()
	return b
}

// Put gives b to the pool of this package: see [Pool.Put].
func Put(b *ByteBuffer) { global.idle.Put(b) }

// Get returns an empty buffer.
//
//go:nosplit
func (p *Pool) Get() *ByteBuffer { // nosplit spares the check of the stack's size, here and in Put
	b := p.buffers().Get()
	b.Reset() // not in Put: the pool learns from the length
	return b
}

// Put gives b to the pool, whoever made it. Neither b nor b.B may be used any more. Buffers
// that are smaller than most users need, or far larger, are dropped.
//
//go:nosplit
func (p *Pool) Put(b *ByteBuffer) { p.buffers().Put(b) }

// buffers returns the pool behind p.
func (p *Pool) buffers() *basin.Pool[*ByteBuffer] {
	if !p.ready.Load() {
		p.begin()
	}
	return &p.idle
}

func (p *Pool) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready.Load() {
		return
	}
	p.idle.Name = "bytebufferpool"
	p.idle.Size = func(b *ByteBuffer) int { return cap(b.B) }
	p.idle.Used = func(b *ByteBuffer) int { return len(b.B) }
	p.idle.Make = func(size int) *ByteBuffer { return &ByteBuffer{B: make([]byte, 0, size)} }
	p.ready.Store(true)
}
