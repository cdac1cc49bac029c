// Package pool has the API of github.com/libp2p/go-buffer-pool, on basin.
//
// What differs on purpose:
//
//   - What a pool keeps is limited, in bytes, and stays over garbage collections: see
//     [basin.BytePool.MaxIdle]. What nobody has needed for
//     [basin.DefaultIdleTime] goes.
//   - A slice of another origin is cut to a power of two where a cache line begins. The
//     original keeps its odd capacity.
//   - A Buffer that has been read in part moves to a smaller array only from one of more
//     than 4 KiB.
//
// Pools appear as "go-buffer-pool" in statistics, those of slices below 64 bytes
// apart. The buffer of a Writer is from [basin.GetWriter]. To put it in place of the original:
//
//	go mod edit -replace github.com/libp2p/go-buffer-pool=github.com/basin-go/basin/compat/go-buffer-pool@v0.1.0
package pool

import (
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/compat/capacitypools"
)

// MaxLength is the largest capacity that the original keeps.
const MaxLength = math.MaxInt32

// GlobalPool is the pool of Get and Put.
var GlobalPool = new(BufferPool)

// A BufferPool keeps byte slices whose capacities are powers of two. The zero BufferPool
// is ready. A BufferPool must not be copied after its first use. Its methods may be called
// from many goroutines at once.
type BufferPool struct {
	slices atomic.Pointer[capacitypools.Pools]
}

// Get returns a slice of the given length from the GlobalPool: see [BufferPool.Get].
func Get(length int) []byte { return GlobalPool.Get(length) }

// Put gives slice to the GlobalPool: see [BufferPool.Put].
func Put(slice []byte) { GlobalPool.Put(slice) }

// Get returns a slice of the given length, with arbitrary contents, whose capacity is the
// next power of two. If length is zero it is nil. If length is negative or cannot be, Get
// panics as make does.
func (p *BufferPool) Get(length int) []byte {
	switch {
	case length == 0:
		return nil
	case length < 0:
		return make([]byte, length) // for its panic
	}
	return p.pools().New(length)
}

// Put gives buf to the pool, whoever made it. Neither buf nor any slice of the same array
// may be used any more.
func (p *BufferPool) Put(buf []byte) { p.pools().Put(buf) }

func (p *BufferPool) pools() *capacitypools.Pools {
	if slices := p.slices.Load(); slices != nil {
		return slices
	}
	p.slices.CompareAndSwap(nil, capacitypools.New("go-buffer-pool", 1, MaxLength))
	return p.slices.Load()
}
