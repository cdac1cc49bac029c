//go:build go1.25

package basin

import (
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
)

// A Shared is a reference-counted slice of bytes for many readers. The last reader's Release
// recycles the bytes. Use it for a message that is broadcast, or for a cache entry that may be
// evicted while readers use it. Goroutines that have a reference may read the data; nobody may
// write to it.
//
// A new Shared has one reference, which belongs to its creator. Call [Shared.Retain] before you
// pass it on; the receiver must call [Shared.Release] when done. The last Release puts the bytes
// into the pool, exactly once whatever happens. One Release too many panics, and so does a
// Retain after the last Release. Neither can go unnoticed, because a Shared, unlike its bytes, is
// never reused: it is one small allocation for each message, not for each receiver.
//
// All methods may be called from many goroutines at once.
type Shared struct {
	refs     atomic.Int64 // number of references; plus trailed if checks note them; far below after the last Release
	recycled atomic.Bool
	data     []byte
	pool     *BytePool // pool of data
}

// released is added to refs by the last Release. It is so low that no number of mistakes brings
// refs back above zero.
const released = math.MinInt64 / 2

// trailed is added to refs while checks note each call that changes it. So every such call finds refs
// below zero and takes the slow path, and without checks the fast path has no instruction for them.
const trailed = math.MinInt64 / 4

// isTrailed reports whether n is a value of refs that includes trailed.
func isTrailed(n int64) bool { return n > released-trailed/2 && n < trailed/2 }

// NewShared returns a Shared of b with one reference. It takes ownership of b, as Put does, but the array goes
// to p with the last Release. The contents of a [Buffer] become a Shared so:
//
//	s := pool.NewShared(b.Detach())
func (p *BytePool) NewShared(b []byte) *Shared {
	p.ready(p)
	p.claimed(b, true) // Detach has said that nobody need put it
	s := &Shared{data: b, pool: p}
	s.refs.Store(1)
	s.track()
	return s
}

// Retain adds a reference and returns s. It panics if the last reference has been
// released.
func (s *Shared) Retain() *Shared {
	if n := s.refs.Add(1); n <= 1 {
		s.retained(n, misuse.Retain)
	}
	return s
}

// retained completes a call that has added a reference, where n <= 1 is the value of refs.
func (s *Shared) retained(n int64, c misuse.Call) {
	if s.noted(n, c) <= 1 {
		check.ReportCall(s, c)
		panic("basin: Shared.Retain of a Shared that has been released by all who held it: Retain before passing it on")
	}
}

// Release gives up a reference. The last Release puts the bytes into the pool. It panics if the
// last reference was already released.
func (s *Shared) Release() {
	if n := s.refs.Add(-1); n <= 0 {
		s.last(n, misuse.Release)
	}
}

// last completes a call that has given up a reference, where n <= 0 is the value of refs.
func (s *Shared) last(n int64, c misuse.Call) {
	if n = s.noted(n, c); n > 0 {
		return
	}
	// Several Releases may see zero, because a mistaken Retain and its Release may come in between.
	if n < 0 || !s.recycled.CompareAndSwap(false, true) {
		check.ReportCall(s, c)
		panic("basin: Shared.Release of a Shared that has been released by all who held it: one Release too many")
	}
	s.untrail(released)
	s.untrack()
	data, pool := s.data, s.pool
	s.data, s.pool = nil, nil // checks keep s for a while and must not keep data alive, or the reservation of a view
	pool.Put(data)
}

// Bytes returns the data. It must not be written to, and is valid until the caller's reference is
// released. Bytes panics if the last reference was already released.
func (s *Shared) Bytes() []byte {
	if n := s.refs.Load(); n <= 0 && (!isTrailed(n) || n <= trailed) {
		check.ReportCall(s, misuse.Use)
		panic("basin: Shared.Bytes of a Shared that has been released by all who held it: Release after the last use")
	}
	return s.data[:len(s.data):len(s.data)]
}

// A Shared itself detects uses after its last Release. Check records add the stacks, and those of the
// calls that came before.

// track tells the tracker that s is handed out.
func (s *Shared) track() {
	if t := check.Current.Load(); t != nil && t.Pick() {
		p := s.pool
		if check.Counted(t, p.owner(p.Name), s, len(s.data)) {
			s.refs.Add(trailed)
		}
	}
}

// noted returns the number of references for n, the value of refs after call c. If checks note the
// calls of s, noted tells them.
func (s *Shared) noted(n int64, c misuse.Call) int64 {
	if !isTrailed(n) {
		return n
	}
	if t := check.Current.Load(); (t == nil || !check.Step(t, s, c)) && n > trailed {
		s.untrail(0)
	}
	return n - trailed
}

// untrail adds to to refs, and ends the notes. With 0 it does so only while there are references.
func (s *Shared) untrail(to int64) {
	for {
		n := s.refs.Load()
		next := n + to
		switch {
		case isTrailed(n) && (n > trailed || to != 0):
			next -= trailed
		case to == 0:
			return
		}
		if s.refs.CompareAndSwap(n, next) {
			return
		}
	}
}

// untrack tells the tracker that s is released.
func (s *Shared) untrack() {
	if t := check.Current.Load(); t != nil && check.Judges(t, s) {
		p := s.pool
		check.Release(t, p.owner(p.Name), s, check.Care[Shared]{
			Held:   cap(s.data),
			Poison: func(*Shared) {}, // Put poisons the data
			Damage: func(*Shared) int { return -1 },
		})
	}
}
