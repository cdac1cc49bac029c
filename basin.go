//go:build go1.25

// Package basin reuses byte slices, buffers and values without allocating, in
// memory that is bounded, visible and checked.
//
// [Get] returns a slice of any length, [Put] gives it back:
//
//	b := basin.Get(n)
//	defer basin.Put(b)
//
// To append, begin with Get(n)[:0]. [Append], [AppendString] and [Grow] are append and slices.Grow that
// recycle outgrown arrays. [ReadAll] is io.ReadAll into recycled memory, and [BytePool.ReadAllSize] the same
// for a reader of known length.
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
// field. [Validate] returns the same as an error, for settings from a file or a flag.
//
// # Memory
//
// A [BytePool] keeps about as much idle memory as was outstanding at one time, on any number of
// Ps, and never more than [BytePool.MaxIdle] bytes. Idle memory is in shared free lists, and for
// frequently used sizes also in free lists of each P. It survives garbage collections. After a
// collection, memory that was not needed for [BytePool.IdleTime] is released gradually. As the
// program comes close to its memory limit (GOMEMLIMIT, or that of a container), idle memory is
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

import (
	"context"
	"io"

	"github.com/basin-go/basin/internal/gccycle"
)

// Get returns a slice of length n with arbitrary contents: see [BytePool.Get]. It uses the default
// pool.
func Get(n int) []byte { return defaultPool.Load().Get(n) }

// GetZeroed returns a slice of n zero bytes: see [BytePool.GetZeroed]. It uses the default pool.
func GetZeroed(n int) []byte { return defaultPool.Load().GetZeroed(n) }

// Put gives b back to the default pool. Nobody may use its array any more: see [BytePool.Put].
func Put(b []byte) { defaultPool.Load().Put(b) }

// Append appends src to dst, and recycles the array of dst if it must grow: see [BytePool.Append].
// It uses the default pool.
func Append(dst []byte, src ...byte) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) { // as the method does, which would be too large to inline here
		return growAppend(dst, src)
	}
	return append(dst, src...)
}

//go:noinline
func growAppend(dst, src []byte) []byte { return Default().growAppend(dst, src) }

// AppendString appends src to dst, and recycles the array of dst if it must grow: see
// [BytePool.AppendString]. It uses the default pool.
func AppendString(dst []byte, src string) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return growAppendString(dst, src)
	}
	return append(dst, src...)
}

//go:noinline
func growAppendString(dst []byte, src string) []byte { return Default().growAppendString(dst, src) }

// Grow returns b with room for another n bytes, and recycles its array if it must grow: see
// [BytePool.Grow]. It uses the default pool.
func Grow(b []byte, n int) []byte {
	if uint(n) <= uint(cap(b)-len(b)) {
		return b
	}
	return grow(b, n)
}

//go:noinline
func grow(b []byte, n int) []byte { return Default().grow(b, n) }

// ReadAll reads from r until io.EOF: see [BytePool.ReadAll]. It uses the default pool.
func ReadAll(r io.Reader) ([]byte, error) { return defaultPool.Load().ReadAll(r) }

// TrimIdle makes all pools release unneeded memory in time, even if the program is idle, until ctx
// is done. A program that wants this starts a goroutine:
//
//	go basin.TrimIdle(ctx)
//
// Without TrimIdle, pools release memory only after garbage collections, and in a program that does
// not allocate, the runtime collects every two minutes. Four times per [DefaultIdleTime], TrimIdle
// makes the pools look for unneeded memory, unless a collection has just done so. The search stops
// the world for some microseconds. When the pools have released much memory and release no more,
// TrimIdle collects garbage, unless the program does: once to free that memory, and once more if much
// stays free, so that the runtime returns it to the system in seconds, not minutes. Much means at least
// a mebibyte and an eighth of the live heap; a value of a [Pool] without a Size counts as 64 KiB.
//
// Pools then also notice a lowered memory limit of the container. Several calls of TrimIdle at a
// time do no harm. TrimIdle starts no goroutine of its own.
func TrimIdle(ctx context.Context) { gccycle.TrimIdle(ctx, DefaultIdleTime/4) }
