// Package basin reuses byte slices, buffers and values without allocating, in
// memory that is bounded, visible and checked.
//
// [Get] returns a slice of any length, [Put] gives it back:
//
//	b := basin.Get(n)
//	defer basin.Put(b)
//
// [Make] is for those who append, and [Append], [AppendString] and [Grow] are append
// and slices.Grow that recycle the arrays they outgrow. [ReadAll] is io.ReadAll into
// recycled memory, and [ReadAllSize] the same for a reader whose length is known.
//
// # Ownership
//
// From Get to Put a slice belongs to the caller, who may hand it to another goroutine
// and let that one put it back. Put ends the use of the whole array: of the slice, of
// every slice of the same array, of everything that points into it. There is at most
// one Put for each Get. A slice that is never put back is collected like any other.
//
// Put looks at capacity and address, drops slices that it cannot recycle, and counts
// them by reason in [Stats]: slices that are not from a pool, slices whose front or
// whose capacity was cut off, a slice that was put back just before. It cannot know
// whether somebody still uses what is put back.
//
// # Pools
//
// The functions of this package use the [Default] pool. Other pools are variables
// whose exported fields are their settings; a field that is zero stands for a
// default, so the zero value is ready:
//
//	var pool basin.BytePool
//	var images = basin.BytePool{Name: "images", MaxSize: 16 << 20, Zero: true}
//
// So it is with [BytePool], [BufferPool], [StdBufferPool] and [Pool]; a [FixedPool]
// needs its Count and its Size. The first use of a pool reads the fields, which must
// not be changed from then on. If a setting is out of range or contradicts another,
// the first use panics and names the field. Validate, a method of every kind, returns
// the same as an error, for settings that come from a file or a flag.
//
// # Memory
//
// At every moment a [BytePool] keeps at most [BytePool.MaxIdle] bytes that nobody
// uses, in free lists for each P and in a shared one. Idle memory survives garbage
// collections. After a collection, memory that was not needed for [BytePool.IdleTime]
// is released gradually. As the program comes close to its memory limit (GOMEMLIMIT,
// or that of a container), idle memory is released sooner, and near the limit all of
// it at once. A pool has no goroutine, and can be dropped like any other value.
//
// Capacities are size classes: sizes that the Go allocator hands out without
// waste, about four per doubling, from 64 bytes to [BytePool.MaxSize].
//
// # Beyond slices
//
// [Buffer] is a bytes.Buffer on recycled memory; [GetBuffer] hands out pooled ones,
// and [BufferPool] and [StdBufferPool] learn what size their users need. [Shared] is
// bytes that many goroutines read and the last of them recycles. [Pool] keeps values
// of any type, [FixedPool] a number of buffers in one block. With [BytePool.MaxInUse]
// a pool has a ceiling on the memory that is outstanding, and callers wait for room.
//
// # Checks
//
// The environment variable BASIN_CHECK, or package basincheck, makes pools watch for
// misuse: slices put twice or into another pool, written to after Put, not put back.
// In tests every acquisition is tracked (BASIN_CHECK=full, or basintest.Check), in
// production one in so many (BASIN_CHECK=sampled). While checks are off they cost
// nothing.
//
// # Builds
//
// With the race detector, on wasm and with the build tag basin_portable there are
// no free lists per P: everything works, a little slower.
package basin
