//go:build go1.25

// Package pool has the API of github.com/vrecan/poolShark, on basin.
//
// Intended differences:
//
//   - Put drops a slice with less capacity than the pool requires. With the original, a later Get
//     panics.
//   - The whole slice is cleared, including bytes that its user has cut off.
//   - Pools are also limited in bytes, see [basin.BytePool.MaxIdle], and keep nothing larger than
//     [basin.DefaultMaxSize]. Slices that were idle for [basin.DefaultIdleTime] are released.
//     Size still counts them, as the original does, and Get makes new ones. A garbage collection
//     does not empty a ByteSyncPool.
//   - BytePool and ByteChanPool have the same implementation, without a channel or a mutex. A
//     negative size means zero, and the zero value of each pool keeps nothing.
//
// All pools appear as "poolShark" in statistics. To use it in place of the original:
//
//	go mod edit -replace github.com/vrecan/poolShark=github.com/basin-go/basin/compat/poolShark@v0.1.0
package pool

import (
	"sync/atomic"

	"github.com/basin-go/basin"
)

// A BytePool keeps at most a fixed number of slices of one length. Its methods are safe for
// concurrent use.
type BytePool struct{ idle *counted }

// NewBytePool returns an empty pool that keeps at most poolSize slices of sliceSize bytes.
func NewBytePool(poolSize, sliceSize int) *BytePool {
	return &BytePool{newCounted(poolSize, sliceSize)}
}

// Get returns a slice of zeros. It never waits: if none is idle, it makes one.
func (b *BytePool) Get() (value []byte) { return b.idle.get() }

// Put puts value, of any length, or drops it if the pool is full. The caller must not use it
// any more.
func (b *BytePool) Put(value []byte) { b.idle.put(value) }

// Size returns the number of slices that would be idle in the original. basin may have released
// some of them; then Get makes new ones.
func (b BytePool) Size() int { return b.idle.size() }

// A ByteChanPool keeps at most a fixed number of slices of one length. Its methods are safe for
// concurrent use.
type ByteChanPool struct{ idle *counted }

// NewByteChanPool returns an empty pool that keeps at most poolSize slices of sliceSize bytes.
func NewByteChanPool(poolSize, sliceSize int) *ByteChanPool {
	return &ByteChanPool{newCounted(poolSize, sliceSize)}
}

// Get returns a slice of zeros. It never waits: if none is idle, it makes one.
func (b *ByteChanPool) Get() (value []byte) { return b.idle.get() }

// Put puts value, of any length, or drops it if the pool is full. The caller must not use it
// any more.
func (b *ByteChanPool) Put(value []byte) { b.idle.put(value) }

// Size returns the number of slices that would be idle in the original. basin may have released
// some of them; then Get makes new ones.
func (b ByteChanPool) Size() int { return b.idle.size() }

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
	s.pool.Name = "poolShark"
	s.pool.New = func() []byte { return make([]byte, s.length) }
	s.pool.Size = func(b []byte) int {
		if b == nil { // dropped by counted
			return -1
		}
		return cap(b)
	}
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

// counted keeps at most a fixed number of idle slices. A nil counted keeps none, and its length
// is zero.
type counted struct {
	*plain
	most int64
	idle atomic.Int64 // idle slices as the original counts them, including released ones
}

func newCounted(most, length int) *counted {
	c := &counted{plain: newPlain(length), most: int64(max(most, 0))}
	if c.most == 0 {
		c.pool.MaxIdle = basin.KeepNone
	} else if each := int64(max(64, min(c.length, basin.DefaultMaxIdle)*5/4)); c.most < basin.DefaultMaxIdle/each {
		c.pool.MaxIdle = c.most * each // room for most slices, rounded up to size classes
	}
	c.pool.Reset = func(b []byte) []byte {
		for n := c.idle.Load(); n < c.most; n = c.idle.Load() {
			if c.idle.CompareAndSwap(n, n+1) {
				return b
			}
		}
		return nil
	}
	return c
}

func (c *counted) get() []byte {
	if c == nil {
		return []byte{}
	}
	for n := c.idle.Load(); n > 0 && !c.idle.CompareAndSwap(n, n-1); n = c.idle.Load() {
	}
	return c.plain.get()
}

func (c *counted) put(b []byte) {
	if c != nil {
		c.plain.put(b)
	}
}

func (c *counted) size() int {
	if c == nil {
		return 0
	}
	return int(c.idle.Load())
}
