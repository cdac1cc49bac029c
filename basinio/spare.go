//go:build go1.25

package basinio

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/gccycle"
)

// Most waits begin with a buffer that found no bytes, and end with the same need: so buffers pass
// from one Reader to the next. Those on their way are spares, and count as outstanding in their
// pool. Others go back to the pool, and after a garbage collection spares do, too.
//
// Spares are there for the stacks. The slow paths of a pool need more stack than the Read of a
// connection. A goroutine that calls them and then waits would have 4 KiB of stack instead of 2, for
// as long as it lives. Taking a spare needs little. If there is none, another goroutine calls the
// pool: see errand.go.
//
// Spares are in slots, which many Ps use without a meeting, or else in the reserve, which serves more
// buffers than there are slots, but has one lock.

const (
	spareSlots = 64
	probes     = 8

	maxSlotSize     = copySize // larger buffers have no slot, or slots could hold any number of bytes
	maxReserve      = 2048
	maxReserveBytes = 8 << 20
)

// A spare is a buffer between two users.
type spare struct {
	size int
	pool *basin.BytePool
	buf  []byte
}

// A slot has room for a spare.
type slot struct {
	state atomic.Uint32 // guards the other fields
	spare
	_ [64]byte // slots share no cache line
}

const (
	empty = iota
	locked
	filled
)

// A stack has spares of all pools, the latest last.
type stack struct {
	spin
	n, bytes int
	low      int // least n since the last collection
	shedding bool
	all      [maxReserve]spare
}

// remove removes spare i. The last one takes its place.
func (r *stack) remove(i int) {
	r.n--
	r.bytes -= r.all[i].size
	r.all[i], r.all[r.n] = r.all[r.n], spare{}
	r.low = min(r.low, r.n)
}

// removeOldest removes and returns spare 0, which is the oldest, or nearly.
func (r *stack) removeOldest() spare {
	s := r.all[0]
	r.remove(0)
	return s
}

var (
	slots      [spareSlots]slot
	reserve    stack
	registered atomic.Bool // returnSpares is a hook of the garbage collection
)

// A spin is a lock for a few instructions. The slow path of a sync.Mutex needs too much stack.
type spin struct{ taken atomic.Bool }

func (s *spin) lock() {
	for !s.taken.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (s *spin) unlock() { s.taken.Store(false) }

// spared reports whether buffers of p may pass between users without the knowledge of p.
func spared(p *basin.BytePool) bool {
	return !limited(p) && !p.Zero && !full()
}

// take returns a buffer of p. hint is the slot to look at first, and the slot of the caller's next
// give.
func take(p *basin.BytePool, size int, hint *uint8) []byte {
	if !spared(p) {
		return p.Get(size)[:size]
	}
	if b := takeSpare(p, size, hint); b != nil {
		return b
	}
	return getElsewhere(p, size)
}

// takeSpare returns nil if it finds no spare of p with that size.
func takeSpare(p *basin.BytePool, size int, hint *uint8) []byte {
	for i := range uint8(probes) {
		i = (*hint + i) % spareSlots
		s := &slots[i]
		if s.state.Load() != filled || !s.state.CompareAndSwap(filled, locked) {
			continue
		}
		if s.pool != p || s.size != size {
			s.state.Store(filled)
			continue
		}
		b := s.buf
		s.buf, s.pool = nil, nil
		s.state.Store(empty)
		*hint = i
		return b
	}
	return takeReserve(p, size)
}

// takeReserve is takeSpare for the reserve.
func takeReserve(p *basin.BytePool, size int) (b []byte) {
	r := &reserve
	r.lock()
	for i := r.n - 1; i >= max(r.n-probes, 0); i-- {
		if s := &r.all[i]; s.pool == p && s.size == size {
			b = s.buf
			r.remove(i)
			break
		}
	}
	r.unlock()
	return b
}

// give gives b back, which take has returned for the same pool and size.
func give(p *basin.BytePool, b []byte, hint *uint8) {
	if t := check.Current.Load(); !spared(p) || t != nil && check.Judges(t, unsafe.SliceData(b)) {
		p.Put(b)
		return
	}
	if !giveSlot(p, b, hint) {
		giveReserve(p, b)
	}
	if !registered.Load() && registered.CompareAndSwap(false, true) {
		go gccycle.Register(returnSpares)
	}
}

// giveSlot makes b a spare in a slot, and returns false if it finds no empty one.
func giveSlot(p *basin.BytePool, b []byte, hint *uint8) bool {
	for i := range uint8(probes) {
		i = (*hint + i) % spareSlots
		s := &slots[i]
		if len(b) > maxSlotSize || s.state.Load() != empty || !s.state.CompareAndSwap(empty, locked) {
			continue
		}
		s.buf, s.size, s.pool = b, len(b), p
		s.state.Store(filled)
		*hint = i
		return true
	}
	return false
}

// giveReserve makes b a spare of the reserve. While that is full, it waits for shed: but not for ever,
// because shed may have called it, by a handler of misuse.
func giveReserve(p *basin.BytePool, b []byte) {
	for range 100 {
		if reserve.push(spare{len(b), p, b}) {
			return
		}
		runtime.Gosched()
	}
	go p.Put(b)
}

// push adds s, and returns false if there is no room. It begins to shed before that.
func (r *stack) push(s spare) bool {
	r.lock()
	room := r.n < maxReserve && r.bytes < maxReserveBytes
	if room {
		r.all[r.n] = s
		r.n++
		r.bytes += s.size
	}
	begin := !r.shedding && (r.n >= maxReserve/4*3 || r.bytes >= maxReserveBytes/4*3)
	if begin {
		r.shedding = true
	}
	r.unlock()
	if begin {
		go shed()
	}
	return room
}

// shed puts spares of the reserve until it is half full.
func shed() {
	r := &reserve
	for {
		r.lock()
		if r.n <= maxReserve/2 && r.bytes <= maxReserveBytes/2 {
			r.shedding = false
			r.unlock()
			return
		}
		s := r.removeOldest()
		r.unlock()
		s.pool.Put(s.buf)
	}
}

// returnSpares puts the spares in slots, and those of the reserve that nobody has needed since the
// collection before, or all of them if memory is short.
func returnSpares(pressure gccycle.Pressure) (keep bool) {
	if putUnused(pressure) {
		return true
	}
	registered.Store(false)
	return putUnused(pressure) && registered.CompareAndSwap(false, true)
}

func putUnused(pressure gccycle.Pressure) (any bool) {
	r := &reserve
	r.lock()
	n := r.low
	if pressure > gccycle.Low {
		n = r.n
	}
	r.low = r.n - n
	r.unlock()
	return putSpares(n)
}

// putSpares puts the spares in slots and n of the reserve. It returns false if there were none.
func putSpares(n int) (any bool) {
	for i := range slots {
		s := &slots[i]
		if !s.state.CompareAndSwap(filled, locked) {
			continue
		}
		p, b := s.pool, s.buf
		s.pool, s.buf = nil, nil
		s.state.Store(empty)
		p.Put(b)
		any = true
	}
	for r := &reserve; ; n-- {
		r.lock()
		any = any || r.n > 0
		if n <= 0 || r.n == 0 {
			r.unlock()
			return any
		}
		s := r.removeOldest()
		r.unlock()
		s.pool.Put(s.buf)
	}
}
