//go:build go1.25

// Package pool has the API of github.com/libp2p/go-buffer-pool, on basin.
//
// Intended differences:
//
//   - The memory that a pool keeps idle is limited in bytes, and garbage collections do not empty
//     a pool: see [basin.BytePool.MaxIdle]. Slices that were idle for [basin.DefaultIdleTime]
//     are released.
//   - A slice of another origin is cut to a power of two that begins at a cache line. The original
//     keeps its odd capacity.
//   - A Buffer that was partly read moves to a smaller array only if its array has more than 4 KiB.
//
// Pools appear as "go-buffer-pool" in statistics. Pools of slices below 64 bytes are listed
// separately. A Writer is one of package basinio. To use it in place of the
// original:
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

// GlobalPool is the pool that Get and Put use.
var GlobalPool = new(BufferPool)

// A BufferPool keeps byte slices whose capacities are powers of two. The zero BufferPool is
// ready to use. A BufferPool must not be copied after its first use. Its methods are safe for
// concurrent use.
type BufferPool struct {
	slices atomic.Pointer[capacitypools.Pools]
}

// Get returns a slice of the given length from the GlobalPool: see [BufferPool.Get].
func Get(length int) []byte { return GlobalPool.Get(length) }

// Put puts slice into the GlobalPool: see [BufferPool.Put].
func Put(slice []byte) { GlobalPool.Put(slice) }

// Get returns a slice of the given length, whose capacity is the next power of two. Its content
// is zero, or that of its last user. A slice of length zero is nil. If length is negative or
// too large, Get panics as make does.
func (p *BufferPool) Get(length int) []byte {
	switch {
	case length == 0:
		return nil
	case length < 0:
		return make([]byte, length) // for its panic
	}
	return p.pools().New(length)
}

// Put puts buf, of any origin. Neither buf nor any other slice of its array may be used any
// more.
func (p *BufferPool) Put(buf []byte) { p.pools().Put(buf) }

func (p *BufferPool) pools() *capacitypools.Pools {
	if slices := p.slices.Load(); slices != nil {
		return slices
	}
	p.slices.CompareAndSwap(nil, capacitypools.New("go-buffer-pool", true, 1, MaxLength))
	return p.slices.Load()
}
