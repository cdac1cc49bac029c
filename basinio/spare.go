//go:build go1.25

package basinio

import (
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/recorder"
)

// Most waits begin with a buffer that found no bytes, and end with the same need: so buffers pass
// from one Reader to the next. A few are on their way, in spares, and count as outstanding in their
// pool. Others go back to the pool, and after a garbage collection these do, too.
//
// Spares are there for the stacks. The slow paths of a pool need more stack than the Read of a
// connection. A goroutine that calls them and then waits would have 4 KiB of stack instead of 2, for
// as long as it lives. Taking a spare needs little. If there is none, another goroutine calls the
// pool.

const (
	spareSlots = 64
	probes     = 8
)

// A spare is a slot for a buffer between two users.
type spare struct {
	state atomic.Uint32 // guards the other fields
	size  int
	pool  *basin.BytePool
	buf   []byte
	_     [64]byte // slots share no cache line
}

const (
	empty = iota
	locked
	filled
)

var (
	spares     [spareSlots]spare
	registered atomic.Bool // returnSpares is a hook of the garbage collection
)

// spared reports whether buffers of p may pass between users without the knowledge of p.
func spared(p *basin.BytePool) bool {
	return p.MaxInUse == 0 && !p.Zero && !full() && recorder.Current.Load() == nil
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
		s := &spares[i]
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
	return nil
}

// give gives b back, which take has returned for the same pool and size.
func give(p *basin.BytePool, b []byte, hint *uint8) {
	if t := check.Current.Load(); !spared(p) || t != nil && check.Judges(t, unsafe.SliceData(b)) {
		p.Put(b)
		return
	}
	for i := range uint8(probes) {
		i = (*hint + i) % spareSlots
		s := &spares[i]
		if s.state.Load() != empty || !s.state.CompareAndSwap(empty, locked) {
			continue
		}
		s.buf, s.size, s.pool = b, len(b), p
		s.state.Store(filled)
		*hint = i
		if !registered.Load() && registered.CompareAndSwap(false, true) {
			go gccycle.Register(returnSpares)
		}
		return
	}
	go p.Put(b)
}

// getElsewhere gets a buffer of p on another goroutine.
func getElsewhere(p *basin.BytePool, size int) (b []byte) {
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		b = p.Get(size)[:size]
	}()
	if r := <-done; r != nil { // a setting of p that is not valid
		panic(r)
	}
	return b
}

// returnSpares puts all spares.
func returnSpares(gccycle.Pressure) (keep bool) {
	if putSpares() {
		return true
	}
	registered.Store(false)
	return putSpares() && registered.CompareAndSwap(false, true)
}

// putSpares puts all spares, and reports whether there were any.
func putSpares() (any bool) {
	for i := range spares {
		s := &spares[i]
		if !s.state.CompareAndSwap(filled, locked) {
			continue
		}
		p, b := s.pool, s.buf
		s.pool, s.buf = nil, nil
		s.state.Store(empty)
		p.Put(b)
		any = true
	}
	return any
}
