package basin

import (
	"bytes"
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
)

// A Shared is bytes that many goroutines read and the last of them recycles: a
// message that is broadcast, an entry of a cache that is evicted while readers hold
// it. It counts references. Whoever has a reference may read; the data is never
// written to.
//
// A Shared begins with one reference, for whoever made it. Before you pass it on,
// call [Shared.Retain]; the receiver calls [Shared.Release] when done. The last
// Release puts the bytes into the default pool, exactly once whatever happens. A
// Release too many panics, and so does a Retain after the last Release. This is
// certain, because a Shared, unlike its bytes, is never reused: it is one small
// allocation for each message, not for each receiver.
//
// All methods may be called from many goroutines at once.
type Shared struct {
	refs     atomic.Int64
	recycled atomic.Bool
	data     []byte
}

// released is added to refs with the last Release: so low that no number of
// mistakes brings it back above zero.
const released = math.MinInt64 / 2

// NewShared returns a Shared of b, with one reference. It takes ownership of b, as
// [Put] does, but the array goes to the pool with the last Release.
func NewShared(b []byte) *Shared {
	s := &Shared{data: b}
	s.refs.Store(1)
	s.track()
	return s
}

// Share returns the contents of b as a Shared with one reference, and leaves b
// empty: [Buffer.Detach] for more than one reader.
func (b *Buffer) Share() *Shared { return NewShared(b.Detach()) }

// Retain adds a reference and returns s. It panics if the last reference has been
// released.
func (s *Shared) Retain() *Shared {
	if s.refs.Add(1) <= 1 {
		s.panicRetain()
	}
	return s
}

// Release gives up a reference. With the last one, the bytes go to the default pool.
// It panics if the last reference has been released already.
func (s *Shared) Release() {
	if n := s.refs.Add(-1); n <= 0 {
		s.last(n)
	}
}

// last is Release where no reference remains, or n says that there was none.
func (s *Shared) last(n int64) {
	// More than one may see zero: a mistaken Retain and the Release that goes with
	// it may come in between.
	if n < 0 || !s.recycled.CompareAndSwap(false, true) {
		check.ReportUse(s)
		panic("basin: Shared.Release of a Shared that has been released by all who held it: one Release too many")
	}
	s.refs.Add(released)
	s.untrack()
	defaultPool.Load().Put(s.data)
}

func (s *Shared) panicRetain() {
	check.ReportUse(s)
	panic("basin: Shared.Retain of a Shared that has been released by all who held it: Retain before passing it on")
}

// Bytes returns the data, which must not be written to and is valid until the
// caller's reference is released. It panics if the last reference has been released.
func (s *Shared) Bytes() []byte {
	if s.refs.Load() <= 0 {
		check.ReportUse(s)
		panic("basin: Shared.Bytes of a Shared that has been released by all who held it")
	}
	return s.data[:len(s.data):len(s.data)]
}

// Len returns the number of bytes.
func (s *Shared) Len() int { return len(s.data) }

// NewReader returns a reader of the data, with a reference of its own that
// [SharedReader.Close] releases. A reader is never reused. It is one small
// allocation, or none if the compiler sees that it stays in its function.
func (s *Shared) NewReader() *SharedReader {
	// This is inlined, so that the reader can stay on the caller's stack.
	r := new(SharedReader)
	r.open(s)
	return r
}

// A SharedReader is a [bytes.Reader] of a [Shared]. It is for one goroutine at a
// time, and must be closed.
type SharedReader struct {
	bytes.Reader
	shared *Shared
}

func (r *SharedReader) open(s *Shared) {
	s.Retain()
	r.shared = s
	r.Reset(s.Bytes())
}

// Close releases the reader's reference. From then on reading gives io.EOF, and
// closing again does nothing, however late. The error is always nil.
func (r *SharedReader) Close() error {
	if s := r.shared; s != nil {
		r.shared = nil
		r.Reset(nil)
		s.Release()
	}
	return nil
}

// A Shared tells itself whether it has been released; records add who did it.

// track says that s is handed out.
func (s *Shared) track() {
	if t := check.Current.Load(); t != nil && t.Pick() {
		check.Object(t, Default().owner(), s, len(s.data), true)
	}
}

// untrack says that s is released.
func (s *Shared) untrack() {
	if t := check.Current.Load(); t != nil && check.Judges(t, s) {
		check.Release(t, Default().owner(), s, check.Care[Shared]{
			Held:   cap(s.data),
			Poison: func(*Shared) {}, // that is for its data, by Put
			Damage: func(*Shared) int { return -1 },
		})
	}
}
