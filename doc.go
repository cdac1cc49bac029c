// Package basin reuses byte slices, buffers and values without allocating, in
// memory that is bounded, visible and checked.
//
// [Get] returns a slice of any length, [Put] gives it back:
//
//	b := basin.Get(n)
//	defer basin.Put(b)
//
// [Make] is for those who append, and [Append], [AppendString] and [Grow] are
// append and slices.Grow that recycle the arrays they outgrow. [ReadAll] is
// io.ReadAll into recycled memory.
//
// # Ownership
//
// From Get to Put a slice belongs to the caller, who may hand it to another
// goroutine and let that one put it back. Put ends the use of the whole array:
// of the slice, of every slice of the same array, of everything that points
// into it. There is one Put for each Get at most; a slice that is never put back
// is collected like any other.
//
// Put looks at capacity and address and drops what it cannot recycle, counted by
// reason in [Stats]: slices that are not from a pool, slices whose front or whose
// capacity was cut off, a slice that was put back just before. It cannot know
// whether somebody still uses what is put back.
//
// # Memory
//
// The functions of this package use the [Default] pool; [NewBytePool] makes
// others. A [BytePool] keeps at most [Config.MaxIdle] bytes that nobody uses, at
// any moment, in free lists for each P and in a shared one. What is kept survives
// garbage collections. What was not needed for [Config.IdleTime] is let go
// gradually, and everything is let go when the live heap comes close to the
// memory limit (GOMEMLIMIT); both happen after garbage collections. A pool has no
// goroutine, and can be dropped like any other value.
//
// Capacities are size classes: sizes that the Go allocator hands out without
// waste, about four per doubling, from 64 bytes to [Config.MaxSize].
//
// # Beyond slices
//
// [Buffer] is a bytes.Buffer on recycled memory; [GetBuffer] hands out pooled ones,
// and [BufferPool] and [StdBufferPool] learn what size their users need. [Shared] is
// bytes that many goroutines read and the last of them recycles. [Pool] keeps
// values of any type, [FixedPool] a number of buffers made up front. With
// [Config.MaxInUse] a pool has a ceiling on what it hands out, and callers wait for
// room.
//
// # Checks
//
// The environment variable BASIN_CHECK, or [SetChecking], has pools watch for misuse:
// slices put twice or into another pool, written to after Put, not put back. In tests
// every acquisition is tracked (BASIN_CHECK=full, or basintest.Check), in production one in
// so many (BASIN_CHECK=sampled). While checks are off they cost nothing.
//
// # Builds
//
// With the race detector, on wasm and with the build tag basin_portable there are
// no free lists per P: everything works, a little slower.
package basin
