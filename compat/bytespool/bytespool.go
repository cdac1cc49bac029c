//go:build go1.25

// Package bytespool has the API of github.com/fufuok/bytespool v1.5.0, on basin, with packages buffer
// and readerpool.
//
// Intended differences:
//
//   - The memory that pools keep idle is limited in bytes, and garbage collections do not empty
//     pools: see [basin.BytePool.MaxIdle]. If there is no room for a slice, it is dropped. For slices
//     below 64 bytes the limit is [basin.DefaultMaxItems] of each capacity. Slices that were idle for
//     [basin.DefaultIdleTime] are released.
//   - A slice of another origin is cut to begin at a cache line, so the slice that is handed out
//     next may begin up to 63 bytes later. It is dropped if the rest is less than the smallest
//     capacity.
//   - The smallest size may be no power of two. Then the original panics when a slice between that
//     size and the next power of two is put. It takes a slice of exactly that size for a longer one.
//     Here both are dropped. A [BufPool] of such a size keeps its slices, which the original
//     drops.
//   - A 64-bit size does not wrap: an impossible size panics, as with make.
//   - Statistics list capacities that were reused equally often in ascending order.
//   - Methods of a Buffer: String of a nil Buffer is "". PutAll puts no memory that was put before.
//     ReadFrom grows an empty Buffer, for which the original never returns, and by at least 64 bytes.
//     Its result is the number of bytes read, also with ErrTooLarge.
//   - A nil reader is not put; with the original, PutReader panics.
//
// Versions before v1.5.0 differ from it as well: their default pools go to 8 MiB. Their RuntimeStats
// has the keys New, Big and Reuse, for NewBytes, OutBytes and ReusedBytes, and counts without
// [SetWithStats]. Programs that read these keys must be changed, as for v1.5.0 itself.
//
// Pools appear as "bytespool" in statistics. Pools of slices below 64 bytes and of readers are
// listed separately. To use it in place of the original:
//
//	go mod edit -replace github.com/fufuok/bytespool=github.com/basin-go/basin/compat/bytespool@v0.1.0
package bytespool

import (
	"github.com/basin-go/basin/compat/capacitypools"
)

// CapacityPools are pools of byte slices whose capacities are powers of two. Their methods are
// safe for concurrent use.
type CapacityPools = capacitypools.Pools

// A PoolStat has the number of reuses of slices of one capacity.
type PoolStat = capacitypools.PoolStat

// A RuntimeSummary has figures of CapacityPools.
type RuntimeSummary = capacitypools.RuntimeSummary

// DefaultCapacityPools are the pools that the functions of this package use.
var DefaultCapacityPools = capacitypools.Default

// InitDefaultPools replaces DefaultCapacityPools. Call it when the program starts.
func InitDefaultPools(minSize, maxSize int) {
	DefaultCapacityPools = NewCapacityPools(minSize, maxSize)
}

// NewCapacityPools returns pools of slices whose capacities are the powers of two from minSize
// to maxSize. maxSize is limited to the range from 2 to [math.MaxInt32], and minSize to the
// range from 2 to maxSize.
func NewCapacityPools(minSize, maxSize int) *CapacityPools {
	return capacitypools.New("bytespool", false, max(minSize, 2), max(maxSize, 2))
}

// The methods of DefaultCapacityPools.
func Append(buf []byte, elems ...byte) []byte { return DefaultCapacityPools.Append(buf, elems...) }
func AppendString(buf []byte, elems string) []byte {
	return DefaultCapacityPools.AppendString(buf, elems)
}
func Clone(buf []byte) []byte       { return DefaultCapacityPools.Clone(buf) }
func Get(size int) []byte           { return DefaultCapacityPools.New(size) }
func GetWithStats() bool            { return DefaultCapacityPools.GetWithStats() }
func Make(capacity int) []byte      { return DefaultCapacityPools.Make(capacity) }
func Make64(capacity uint64) []byte { return DefaultCapacityPools.Make64(capacity) }
func MakeMax() []byte               { return DefaultCapacityPools.MakeMax() }
func MakeMin() []byte               { return DefaultCapacityPools.MakeMin() }
func MaxSize() int                  { return DefaultCapacityPools.MaxSize() }
func MinSize() int                  { return DefaultCapacityPools.MinSize() }
func New(size int) []byte           { return DefaultCapacityPools.New(size) }
func New64(size uint64) []byte      { return DefaultCapacityPools.New64(size) }
func NewBytes(bs []byte) []byte     { return DefaultCapacityPools.NewBytes(bs) }
func NewMax() []byte                { return DefaultCapacityPools.NewMax() }
func NewMin() []byte                { return DefaultCapacityPools.NewMin() }
func NewString(s string) []byte     { return DefaultCapacityPools.NewString(s) }
func Put(buf []byte)                { DefaultCapacityPools.Put(buf) }
func Release(buf []byte) bool       { return DefaultCapacityPools.Release(buf) }
func SetWithStats(t bool)           { DefaultCapacityPools.SetWithStats(t) }

// Bytes returns a new slice with arbitrary contents, not from a pool. It panics as make does.
func Bytes(len, cap int) (b []byte) { return capacitypools.Bytes(len, cap)[:len:cap] }

// RuntimeStats returns the figures of the first of ps, or else of DefaultCapacityPools: NewBytes,
// OutBytes, OutCount and ReusedBytes. It returns nil while statistics are off.
func RuntimeStats(ps ...*CapacityPools) map[string]uint64 { return first(ps).Map() }

// RuntimeStatsSummary returns the figures of RuntimeStats, with the topN capacities that were reused
// most often. All are zero while statistics are off.
func RuntimeStatsSummary(topN int, ps ...*CapacityPools) RuntimeSummary {
	return first(ps).Summary(topN)
}

// PoolReuseStats returns the topN capacities that were reused most often. PoolReuseStatsN is the same
// function, by the name that the original's README has for it.
func PoolReuseStats(topN int, ps ...*CapacityPools) []PoolStat {
	return first(ps).Top(topN)
}

func PoolReuseStatsN(topN int, ps ...*CapacityPools) []PoolStat { return PoolReuseStats(topN, ps...) }

func first(ps []*CapacityPools) *CapacityPools {
	if len(ps) > 0 {
		return ps[0]
	}
	return DefaultCapacityPools
}

// A BufPool is a [net/http/httputil.BufferPool] of slices of one length.
type BufPool struct{ pools *CapacityPools }

// NewBufPool returns a BufPool of slices of length size, which is at least 2. If size is not a
// power of two, the capacity is the next one, and the pool still keeps the slices, up to 1 GiB.
func NewBufPool(size int) *BufPool {
	return &BufPool{NewCapacityPools(size, max(size, 2*size-1))} // a range with exactly one power of two
}

// Get returns a slice of the pool's length, with arbitrary contents.
func (b *BufPool) Get() []byte { return b.pools.NewMin() }

// Put puts buf. The caller must not use buf any more.
func (b *BufPool) Put(buf []byte) { b.pools.Put(buf) }
