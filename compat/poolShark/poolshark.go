//go:build go1.25

// Package pool has the API of github.com/vrecan/poolShark, on basin.
//
// Intended differences:
//
//   - Put drops a slice with less capacity than the pool requires. With the original, a later Get
//     panics.
//   - The whole slice is cleared, including bytes that its user has cut off.
//   - Slices of BytePool and ByteChanPool have their length as their capacity. These pools keep no
//     more slices than fit into [basin.DefaultMaxIdle], and no slice of more than twice their
//     length and more than 64 bytes. Size still counts the others, as the original does, and Get
//     makes new ones.
//   - A ByteSyncPool is limited in bytes, see [basin.BytePool.MaxIdle], and keeps nothing larger
//     than [basin.DefaultMaxSize]. A garbage collection does not empty it.
//   - Slices that were idle for [basin.DefaultIdleTime] are released. Size still counts them.
//   - BytePool and ByteChanPool have the same implementation, without a channel or a mutex. A
//     negative size means zero, and the zero value of each pool keeps nothing.
//
// All pools appear as "poolShark" in statistics. To use it in place of the original:
//
//	go mod edit -replace github.com/vrecan/poolShark=github.com/basin-go/basin/compat/poolShark@v0.1.0
package pool

import (
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/compat/leaks"
)

const name = "poolShark"

func init() { leaks.Permit(name) } // the originals let users keep slices

// A BytePool keeps at most a fixed number of slices of one length. Its methods are safe for
// concurrent use.
type BytePool struct{ limited }

// NewBytePool returns an empty pool that keeps at most poolSize slices of sliceSize bytes.
func NewBytePool(poolSize, sliceSize int) *BytePool {
	return &BytePool{limited{newCounted(poolSize, sliceSize)}}
}

// A ByteChanPool keeps at most a fixed number of slices of one length. Its methods are safe for
// concurrent use.
type ByteChanPool struct{ limited }

// NewByteChanPool returns an empty pool that keeps at most poolSize slices of sliceSize bytes.
func NewByteChanPool(poolSize, sliceSize int) *ByteChanPool {
	return &ByteChanPool{limited{newCounted(poolSize, sliceSize)}}
}

// A ByteSyncPool keeps slices of one length. Its methods are safe for concurrent use.
type ByteSyncPool struct{ idle *plain }

// NewByteSyncPool returns an empty pool of slices of sliceSize bytes.
func NewByteSyncPool(sliceSize int) *ByteSyncPool {
	return &ByteSyncPool{newPlain(sliceSize)}
}

// Get returns a slice of zeros. It never waits: if none is idle, it makes one.
func (b *ByteSyncPool) Get() (value []byte) { return b.idle.get() }

// Put puts values, of any length. The caller must not use the slice any more.
func (b ByteSyncPool) Put(values []byte) { b.idle.put(values) }

// plain is a pool of slices of one length. A nil plain keeps none, and its length is zero.
type plain struct {
	length int
	pool   basin.Pool[[]byte]
}

func newPlain(length int) *plain {
	s := &plain{length: max(length, 0)}
	s.pool.Name = name
	s.pool.New = func() []byte { return make([]byte, s.length) }
	s.pool.Size = func(b []byte) int { return cap(b) }
	return s
}

func (s *plain) get() []byte {
	if s == nil {
		return []byte{}
	}
	b := s.pool.Get()
	clear(b)
	return b
}

func (s *plain) put(b []byte) {
	if s != nil && b != nil && cap(b) >= s.length {
		s.pool.Put(b[:s.length])
	}
}

// limited is a pool that keeps at most a fixed number of idle slices. The zero limited keeps none, and its length is
// zero. It is embedded, because a call through another method would cost more.
type limited struct{ state *counted }

// counted is the state of a limited. It keeps pointers to the first bytes of slices, which costs less than slices.
type counted struct {
	pool   basin.Pool[*byte] // of arrays of at least length bytes
	idle   atomic.Int64      // idle slices as the original counts them, including released ones
	most   int64
	length int
}

func newCounted(most, length int) *counted {
	c := &counted{most: int64(max(most, 0)), length: max(length, 0)}
	c.pool.Name = name
	// Less than 16 bytes would share an allocation of the runtime, which checks cannot track.
	c.pool.New = func() *byte { return unsafe.SliceData(make([]byte, max(c.length, 16))) }
	c.pool.MaxItems = int(min(c.most, int64(basin.DefaultMaxIdle/max(c.length, 1))))
	if c.pool.MaxItems == 0 {
		c.pool.MaxItems = basin.KeepNone
	}
	return c
}

// Get returns a slice of zeros. It never waits: if none is idle, it makes one.
func (l *limited) Get() (value []byte) {
	c := l.state
	if c == nil {
		return []byte{}
	}
	if c.idle.Add(-1) < 0 {
		c.idle.Add(1)
	}
	value = unsafe.Slice(c.pool.Get(), c.length) // sound, because Put keeps only arrays of so many bytes
	clear(value)
	return value
}

// Put puts value, of any length, or drops it if the pool is full. The caller must not use it
// any more.
func (l *limited) Put(value []byte) {
	c := l.state
	if c == nil || value == nil || cap(value) < c.length {
		return
	}
	kept := c.idle.Add(1) <= c.most
	if !kept {
		c.idle.Add(-1)
	}
	// A larger slice counts, but its memory is not kept. Checks should see that a slice was put, even if it is dropped.
	if (kept || basincheck.Now().Level != basincheck.Off) && cap(value) <= max(2*c.length, 64) {
		c.pool.Put(unsafe.SliceData(value))
	}
}

// Size returns the number of slices that would be idle in the original. basin may have released
// some of them; then Get makes new ones.
func (l limited) Size() int {
	c := l.state
	if c == nil {
		return 0
	}
	return int(min(max(c.idle.Load(), 0), c.most)) // while calls are under way, it may be outside
}
