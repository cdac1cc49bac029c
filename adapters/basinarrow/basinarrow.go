// Package basinarrow has Arrow keep its arrays in memory of basin: an [Allocator] is a
// memory.Allocator of github.com/apache/arrow-go/v18.
//
//	var columns basinarrow.Allocator
//
//	b := array.NewInt64Builder(&columns)
//	defer b.Release() // and that of what b makes: only released memory is recycled
package basinarrow

import "github.com/basin-go/basin"

// An Allocator hands Arrow slices of a [basin.BytePool] and takes them back. The zero
// Allocator is ready. Its fields must not be changed after its first use. All methods may
// be called from many goroutines at once.
//
// Arrays that are never released are garbage like any other. What is freed must be what
// the same pool has handed out, with its capacity, and nobody may use it any more: with
// arrow's own allocator, whose Free does nothing, an array that is used after its Release
// is a mistake that nobody notices; here its memory belongs to somebody else. Checks find
// that, with BASIN_CHECK=full.
type Allocator struct {
	// Bytes is where the slices come from. If it is nil, that is a pool that all such
	// Allocators share, with the name "arrow" and slices of up to 64 MiB. At its MaxInUse
	// Allocate waits. Reallocate does not: it is growing, as BytePool.MaxInUse has it.
	Bytes *basin.BytePool

	// NoClear has memory contain what its last users left. Otherwise it is zero, as that
	// of arrow's own allocators. Builders write all that they show, but not the
	// padding behind, which package ipc writes to files and to the network.
	NoClear bool
}

var shared = basin.BytePool{Name: "arrow", MaxSize: 64 << 20}

// Allocate returns a slice of length size that begins at a multiple of 64. It panics if size
// is negative, or if there cannot be such a slice.
func (a *Allocator) Allocate(size int) []byte {
	b := a.bytes().Get(roundUp(size))[:size]
	if !a.NoClear && !a.bytes().Zero {
		clear(b)
	}
	return b
}

// Reallocate returns a slice of length size that begins with the contents of b, as far as
// there is room, and at a multiple of 64. If the capacity of b is large enough that is the
// array of b, which is never moved to a smaller one; else that is freed. Bytes beyond the
// length of b are as Allocate would have them. It panics as Allocate does.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	grown := b
	if size > cap(b) {
		grown = a.bytes().Grow(nil, roundUp(size))[:size]
		copy(grown, b)
		a.Free(b)
	}
	grown = grown[:size]
	if size > len(b) && !a.NoClear {
		clear(grown[len(b):])
	}
	return grown
}

// Free gives b back, which nobody may use any more. It ignores an empty slice.
func (a *Allocator) Free(b []byte) {
	if cap(b) > 0 {
		a.bytes().Put(b)
	}
}

// roundUp returns the next multiple of 64. What has such a size begins at one, in the pool and on
// the heap.
func roundUp(size int) int { return (size + 63) &^ 63 }

func (a *Allocator) bytes() *basin.BytePool {
	if a.Bytes != nil {
		return a.Bytes
	}
	return &shared
}
