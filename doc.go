//go:build go1.25

// Package basin reuses byte slices, buffers and values without allocating, in
// memory that is bounded, visible and checked.
//
// [Get] returns a slice of any length, [Put] gives it back:
//
//	b := basin.Get(n)
//	defer basin.Put(b)
//
// Use [Make] to append. [Append], [AppendString] and [Grow] are append and slices.Grow that recycle
// outgrown arrays. [ReadAll] is io.ReadAll into recycled memory, and [ReadAllSize] the same for a
// reader of known length.
//
// # Ownership
//
// From Get to Put, a slice belongs to its caller, who may pass it to another goroutine, which may
// put it back. Put ends the use of the whole array: of the slice, of every other slice of the
// array, and of all pointers into it. Each Get needs at most one Put. A slice that is never put
// back is collected like any other.
//
// Put examines capacity and address. It drops slices that it cannot recycle and counts them by
// reason in [Stats]: slices that are not from a pool, slices whose front or capacity was cut off,
// and a slice that was put back just before. It cannot know whether the memory is still in use.
//
// # Pools
//
// The functions of this package use the [Default] pool. Other pools are variables whose exported
// fields are their settings. A zero field means a default, so the zero value is ready:
//
//	var pool basin.BytePool
//	var images = basin.BytePool{Name: "images", MaxSize: 16 << 20, Zero: true}
//
// The same holds for [BytePool], [BufferPool], [StdBufferPool] and [Pool]; a [FixedPool] needs a
// Count and a Size. The first use of a pool reads the fields, which must not change from then on.
// If a setting is out of range or contradicts another, the first use panics with the name of the
// field. Each kind has a method Validate that returns the same as an error, for settings from a
// file or a flag.
//
// # Memory
//
// At every moment, a [BytePool] keeps at most [BytePool.MaxIdle] bytes of idle memory: about as
// much as was outstanding at one time, on any number of Ps. Idle memory is in shared free lists,
// and for frequently used sizes also in free lists of each P. It survives garbage collections.
// After a collection, memory that was not needed for [BytePool.IdleTime] is released gradually. As
// the program comes close to its memory limit (GOMEMLIMIT, or that of a container), idle memory is
// released sooner, and near the limit all of it at once. A pool has no goroutine and can be dropped
// like any other value.
//
// Capacities are size classes: sizes that the Go allocator provides without waste, about four per
// doubling, from 64 bytes to [BytePool.MaxSize].
//
// # Beyond slices
//
// [Buffer] is a bytes.Buffer on recycled memory. [GetBuffer] hands out pooled Buffers, and
// [BufferPool] and [StdBufferPool] learn the size that their users need. [Shared] is a slice for
// many readers, and the last reader recycles it. [Pool] keeps values of any type, and [FixedPool] a
// number of buffers in one block. With [BytePool.MaxInUse], a pool has a ceiling on outstanding
// memory, and callers wait for room.
//
// # Checks
//
// The environment variable BASIN_CHECK, or package basincheck, makes pools detect misuse: slices
// put twice, put into the wrong pool, written to after Put, or never put back. In tests, every Get
// is tracked (BASIN_CHECK=full, or basintest.Check), in production a sample of them
// (BASIN_CHECK=sampled). Checks that are off cost nothing.
//
// # Builds
//
// With the race detector, on wasm and with the build tag basin_portable, there are no free lists
// for each P. Everything works, but more slowly.
package basin
