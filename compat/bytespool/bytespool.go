// Package bytespool has the API of github.com/fufuok/bytespool, on basin, with packages
// buffer and readerpool.
//
// What differs on purpose:
//
//   - What pools keep is limited, in bytes, and stays over garbage collections: see
//     [basin.BytePool.MaxIdle]. A slice for which there is no room is not kept, and
//     Release says so, unless it is below 64 bytes: of these, [basin.DefaultMaxItems] of each
//     capacity are kept. What nobody has needed for [basin.DefaultIdleTime] goes.
//   - A slice of another origin is cut where a cache line begins, so what is handed
//     out next may begin up to 63 bytes later. It is not kept if that leaves less than the
//     smallest capacity.
//   - Clone(nil) is nil. A size of 64 bits does not wrap: what cannot be panics, as with make.
//   - Statistics cost nothing. They count from zero each time they are switched on.
//
// Pools appear as "bytespool" in statistics, those of slices below 64 bytes and readers
// apart. To put it in place of the original:
//
//	go mod edit -replace github.com/fufuok/bytespool=github.com/basin-go/basin/compat/bytespool@v0.1.0
package bytespool

import (
	"github.com/basin-go/basin"
	"github.com/basin-go/basin/compat/capacitypools"
)

// CapacityPools are pools of byte slices whose capacities are powers of two. Their methods
// may be called from many goroutines at once.
type CapacityPools = capacitypools.Pools

// A PoolStat says how often slices of one capacity were reused.
type PoolStat = capacitypools.PoolStat

// A RuntimeSummary has figures of CapacityPools.
type RuntimeSummary = capacitypools.RuntimeSummary

// DefaultCapacityPools is what the functions of this package use.
var DefaultCapacityPools = capacitypools.Default

// InitDefaultPools replaces DefaultCapacityPools. It is best called when the program starts.
func InitDefaultPools(minSize, maxSize int) {
	DefaultCapacityPools = NewCapacityPools(minSize, maxSize)
}

// NewCapacityPools returns pools of slices whose capacities are the powers of two from minSize to
// maxSize. MaxSize is at least 2 and at most [math.MaxInt32], minSize is at
// least 2 and at most maxSize; what is beyond counts as that.
func NewCapacityPools(minSize, maxSize int) *CapacityPools {
	return capacitypools.New("bytespool", max(minSize, 2), max(maxSize, 2))
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

// Bytes returns a new slice with arbitrary contents, of no pool. It panics as make does.
func Bytes(len, cap int) (b []byte) { return basin.MakeUninit(len, cap)[:len:cap] }

// RuntimeStats returns the figures of the first of ps, or else of DefaultCapacityPools: NewBytes, OutBytes,
// OutCount and ReusedBytes. While statistics are off all are zero.
func RuntimeStats(ps ...*CapacityPools) map[string]uint64 { return first(ps).Map() }

// RuntimeStatsSummary returns the same, with the topN capacities that were most often reused.
func RuntimeStatsSummary(topN int, ps ...*CapacityPools) RuntimeSummary {
	return first(ps).Summary(topN)
}

// PoolReuseStats returns the topN capacities that were most often reused.
func PoolReuseStats(topN int, ps ...*CapacityPools) []PoolStat {
	return first(ps).Summary(topN).TopPools
}

func first(ps []*CapacityPools) *CapacityPools {
	if len(ps) > 0 {
		return ps[0]
	}
	return DefaultCapacityPools
}

// A BufPool is a [net/http/httputil.BufferPool] of slices of one length.
type BufPool struct{ pools *CapacityPools }

// NewBufPool returns a BufPool of slices of length size, which is at least 2. If size is no power
// of two, the capacity is the next, and the slices are kept all the same, up to 1 GiB.
func NewBufPool(size int) *BufPool {
	return &BufPool{NewCapacityPools(size, max(size, 2*size-1))} // which has one power of two
}

// Get returns a slice of the length of the pool, with arbitrary contents.
func (b *BufPool) Get() []byte { return b.pools.NewMin() }

// Put gives buf back, which nobody may use any more.
func (b *BufPool) Put(buf []byte) { b.pools.Put(buf) }
