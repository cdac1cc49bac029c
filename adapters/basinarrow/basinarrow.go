// Package basinarrow keeps Arrow's arrays in memory of basin: an [Allocator] is a
// memory.Allocator of github.com/apache/arrow-go/v18.
//
//	var columns basinarrow.Allocator
//
//	b := array.NewInt64Builder(&columns)
//	defer b.Release() // release the arrays that b makes, too: only released memory is reused
package basinarrow

import "github.com/basin-go/basin"

// An Allocator hands Arrow slices of a [basin.BytePool] and reuses them after Free. The zero
// Allocator is ready to use. Its fields must not be changed after its first use. All methods
// are safe for concurrent use.
//
// Arrays that are never released become garbage. Free accepts only slices that the same pool
// has handed out, with their capacity, and nobody may use them any more. With Arrow's own
// allocator, whose Free does nothing, the use of an array after its Release goes unnoticed.
// With this one, the memory may already belong to another user. BASIN_CHECK=full finds such
// uses.
//
// The memory is zero, as with Arrow's own allocators, and no setting leaves that out: Arrow's readers of
// parquet take the zeros for granted.
//
// The parquet reader of Arrow 18.1.0 uses pages after it has freed them. With a version before 18.8.0, give
// parquet.NewReaderProperties Arrow's own allocator; the arrays of pqarrow.NewFileReader may have this one.
type Allocator struct {
	// Bytes provides the slices. If it is nil, all such Allocators share a pool with the name
	// "arrow" and slices of up to 64 MiB. If the pool has a limit without room, Allocate and Reallocate go beyond
	// it, and count, because they can neither wait nor fail. Reserve memory with [basin.Limit.Acquire] before a
	// request begins, and pass an Allocator whose Bytes is the [basin.Reservation.Pool].
	Bytes *basin.BytePool
}

var shared = basin.BytePool{Name: "arrow", MaxSize: 64 << 20}

// Allocate returns a slice of length size that begins at a multiple of 64. It panics if size is
// negative or too large.
func (a *Allocator) Allocate(size int) []byte {
	b := a.bytes().Get(roundUp(size))[:size]
	if !a.bytes().Zero {
		clear(b)
	}
	return b
}

// Reallocate returns a slice of length size that begins at a multiple of 64, with the contents of
// b as far as they fit. If the capacity of b suffices, the result has the array of b, even if
// that array is much too large. Otherwise b is freed. Bytes beyond the length of b are as Allocate
// returns them. Reallocate panics as Allocate does.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	grown := b
	if size > cap(b) {
		grown = a.bytes().Grow(nil, roundUp(size))[:size]
		copied := false
		defer func() {
			if !copied { // b was freed, and is guarded memory: see basincheck.Catch
				a.Free(grown)
			}
		}()
		copy(grown, b)
		copied = true
		a.Free(b)
	}
	grown = grown[:size]
	if size > len(b) {
		clear(grown[len(b):])
	}
	return grown
}

// Free puts b. The caller must not use b any more. Free ignores an empty slice.
func (a *Allocator) Free(b []byte) {
	if cap(b) > 0 {
		a.bytes().Put(b)
	}
}

// roundUp returns the next multiple of 64. Slices of such a size begin at a multiple of 64, in
// the pool and on the heap.
func roundUp(size int) int { return (size + 63) &^ 63 }

func (a *Allocator) bytes() *basin.BytePool {
	if a.Bytes != nil {
		return a.Bytes
	}
	return &shared
}
