//go:build go1.25

package bytebufferpool

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/compat/leaks"
)

// A Pool keeps ByteBuffers with their arrays for reuse. The zero Pool is ready to use. A Pool
// must not be copied after its first use. Its methods are safe for concurrent use.
type Pool struct {
	idle  basin.Pool[*ByteBuffer]
	ready atomic.Bool // idle has its settings
	mu    sync.Mutex
}

var global Pool

func init() {
	leaks.Permit(name)
	global.begin() // so that Get and Put need no check, and are inlined
}

const name = "bytebufferpool"

// Get returns an empty buffer from the package's pool.
func Get() *ByteBuffer {
	b := global.idle.Get()
	b.Reset()
	return b
}

// Put puts b into the package's pool: see [Pool.Put].
func Put(b *ByteBuffer) { global.idle.Put(b) }

// Get returns an empty buffer.
//
//go:nosplit
func (p *Pool) Get() *ByteBuffer { // nosplit saves the check of the stack's size, here and in Put
	b := p.buffers().Get()
	b.Reset() // not in Put: the pool learns from the length
	return b
}

// Put puts b, of any origin. Neither b nor b.B may be used any more. The pool learns which capacity
// costs its users least, and drops buffers that are smaller, or more than twice as large.
//
//go:nosplit
func (p *Pool) Put(b *ByteBuffer) { p.buffers().Put(b) }

// buffers returns the pool behind p, and initializes it at the first call.
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
	p.idle.Name = name
	p.idle.Make = func(size int) *ByteBuffer { return &ByteBuffer{B: make([]byte, 0, min(size, mostNew))} }
	p.idle.Used = func(b *ByteBuffer) int { return len(b.B) }
	p.idle.Size = func(b *ByteBuffer) int { return cap(b.B) }
	p.ready.Store(true)
}

// mostNew is the largest capacity of a new buffer. Larger ones grow: some users drop buffers above a
// limit of their own, so the pool does not learn that they need less.
const mostNew = 1 << 10
