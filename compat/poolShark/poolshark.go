// Package pool has the API of github.com/vrecan/poolShark, on basin.
//
// What differs on purpose:
//
//   - A slice that has less room than the pool's slices is dropped when it is put. Get
//     of the original panics later.
//   - All of a slice is cleared, also what a user cut off before putting it back.
//   - Pools are limited in bytes too, as [basin.BytePool.MaxIdle] says, and keep nothing larger
//     than [basin.DefaultMaxSize]. Slices that nobody has needed for
//     [basin.DefaultIdleTime] go. A garbage collection does not empty a ByteSyncPool.
//   - BytePool and ByteChanPool are one and the same. There is no channel and no mutex.
//     The slices that they begin with are made when they are needed, and so are those that
//     have gone. Size counts them all the same.
//
// All pools appear as "poolShark" in statistics. To put it in place of the original:
//
//	go mod edit -replace github.com/vrecan/poolShark=github.com/basin-go/basin/compat/poolShark@v0.1.0
package pool

import (
	"sync/atomic"

	"github.com/basin-go/basin"
)

// A BytePool keeps at most a fixed number of slices of one length. Its methods may be
// called from many goroutines at once.
type BytePool struct {
	ByteSyncPool
	most int64
	idle atomic.Int64 // with those that are yet to be made
}

// A ByteChanPool is a [BytePool].
type ByteChanPool struct{ BytePool }

// A ByteSyncPool keeps slices of one length. Its methods may be called from many
// goroutines at once.
type ByteSyncPool struct {
	size   int
	slices basin.Pool[[]byte]
}

// NewBytePool returns a pool that keeps at most poolSize slices of sliceSize bytes. A size
// below zero is zero.
func NewBytePool(poolSize, sliceSize int) *BytePool {
	p := new(BytePool)
	p.init(poolSize, sliceSize)
	return p
}

// NewByteChanPool returns a pool that keeps at most poolSize slices of sliceSize bytes.
func NewByteChanPool(poolSize, sliceSize int) *ByteChanPool {
	p := new(ByteChanPool)
	p.init(poolSize, sliceSize)
	return p
}

// NewByteSyncPool returns a pool of slices of sliceSize bytes.
func NewByteSyncPool(sliceSize int) *ByteSyncPool {
	p := new(ByteSyncPool)
	p.init(sliceSize)
	return p
}

func (p *BytePool) init(poolSize, sliceSize int) {
	p.most = int64(max(poolSize, 0))
	p.idle.Store(p.most)
	p.ByteSyncPool.init(sliceSize)
}

func (p *ByteSyncPool) init(sliceSize int) {
	p.size = max(sliceSize, 0)
	p.slices.Name = "poolShark"
	p.slices.Size = func(b []byte) int { return cap(b) }
}

// Get returns a slice that is all zero. It never waits: if none is idle, it makes one.
func (p *ByteSyncPool) Get() []byte {
	b := p.slices.Get()
	if b == nil {
		return make([]byte, p.size)
	}
	clear(b)
	return b
}

// Put gives b back, of whatever length. The caller must not use it any more.
func (p *ByteSyncPool) Put(b []byte) {
	if b != nil && cap(b) >= p.size {
		p.slices.Put(b[:p.size])
	}
}

// Get returns a slice that is all zero. It never waits: if none is idle, it makes one.
func (p *BytePool) Get() []byte {
	if p.idle.Add(-1) < 0 {
		p.idle.Add(1)
	}
	return p.ByteSyncPool.Get()
}

// Put gives b back, of whatever length, or drops it if the pool is full. The caller must
// not use it any more.
func (p *BytePool) Put(b []byte) {
	if b == nil || cap(b) < p.size {
		return
	}
	if p.idle.Add(1) > p.most {
		p.idle.Add(-1)
		return
	}
	p.slices.Put(b[:p.size])
}

// Size returns how many slices are idle: in a new pool, poolSize.
func (p *BytePool) Size() int { return int(min(max(p.idle.Load(), 0), p.most)) }
