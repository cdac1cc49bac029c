//go:build go1.25

package bytebufferpool

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin"
)

// A Pool keeps ByteBuffers with their arrays for reuse. The zero Pool is ready to use. A Pool
// must not be copied after its first use. Its methods are safe for concurrent use.
type Pool struct {
	idle  basin.Pool[*ByteBuffer]
	sizes sizes
	ready atomic.Bool // idle has its settings
	mu    sync.Mutex
}

var global Pool

func init() { global.begin() } // so that Get and Put need no check, and are inlined

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

// Put puts b, of any origin. Neither b nor b.B may be used any more. After the first 42,000
// Puts, a buffer is dropped if its capacity is more than 95 in 100 users need.
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
	p.idle.Name = "bytebufferpool"
	p.idle.New = func() *ByteBuffer { return &ByteBuffer{B: make([]byte, 0, p.sizes.usual.Load())} }
	p.idle.Size = func(b *ByteBuffer) int {
		if rand.Uint32()%sample == 0 {
			p.sizes.count(len(b.B))
		}
		if most := int(p.sizes.most.Load()); most > 0 && cap(b.B) > most {
			return math.MaxInt // above MaxSize: it is dropped
		}
		return cap(b.B)
	}
	p.ready.Store(true)
}

// sizes records the sizes that users need, as in the original: in powers of two from 64 bytes
// to 32 MiB.
type sizes struct {
	usual atomic.Int64 // most frequent size, for new buffers; zero at first
	most  atomic.Int64 // size that nearly all users need; larger buffers are dropped, unless it is zero

	mu     sync.Mutex
	counts [20]int
	total  int
}

const (
	sample = 16             // one in so many Puts is counted
	enough = 42000 / sample // number of counted Puts before the sizes are chosen
)

// count counts a use of n bytes.
func (s *sizes) count(n int) {
	if !s.mu.TryLock() { // another goroutine is counting: skip this one
		return
	}
	defer s.mu.Unlock()
	s.counts[min(bits.Len(uint(max(n-1, 0))>>6), len(s.counts)-1)]++
	if s.total++; s.total < enough {
		return
	}
	usual := 0
	for i, n := range s.counts {
		if n > s.counts[usual] {
			usual = i
		}
	}
	// Of the most frequent sizes, as many as 95 in 100 users need.
	most, users := usual, 0
	for users <= s.total*95/100 {
		next := 0
		for i, n := range s.counts {
			if n > s.counts[next] {
				next = i
			}
		}
		users += s.counts[next]
		s.counts[next] = 0
		most = max(most, next)
	}
	s.usual.Store(64 << usual)
	s.most.Store(64 << most)
	s.counts, s.total = [20]int{}, 0
}
