// Package basinkgo makes the Kafka client github.com/twmb/franz-go decompress into memory of
// basin: a [Pool] is an argument for kgo.WithPools.
//
//	var fetches basinkgo.Pool
//
//	client, err := kgo.NewClient(kgo.WithPools(&fetches), …)
//
//	client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
//		handle(r.Key, r.Value) // copies the data that it keeps
//		r.Recycle()
//	})
//
// Only memory of recycled records is reused: the memory of a batch is put with its last record.
// Records that are not recycled become garbage, with their whole batch.
package basinkgo

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/basin-go/basin"
)

// A Pool is a kgo.PoolDecompressBytes, a kgo.PoolRecords and, for versions of kgo before 1.22,
// a kgo.PoolKRecords. The zero Pool is ready to use. Its fields must not be changed after its
// first use. All methods are safe for concurrent use.
//
// kgo clears bytes up to their capacity before it puts them, and each record when it is
// recycled. All Pools share the pools of records, with the names "kgo records" and "kgo raw
// records".
type Pool struct {
	// Bytes provides the bytes. If it is nil, all such Pools share a pool with the name "kgo"
	// and the settings of a zero [basin.BytePool] with Adopts.
	//
	// With Adopts, a slice that has grown during decompression is recycled. Without Adopts, it is
	// dropped, and checks report it. The slice that it replaced becomes garbage, and statistics
	// count it as in use.
	Bytes *basin.BytePool

	last atomic.Int64 // capacity of the slice that was put last
}

var (
	_ kgo.PoolDecompressBytes = (*Pool)(nil)
	_ kgo.PoolRecords         = (*Pool)(nil)
	_ kgo.PoolKRecords        = (*Pool)(nil)

	shared     = basin.BytePool{Name: "kgo", Adopts: true}
	records    = sliceOf[kgo.Record]("kgo records")
	rawRecords = sliceOf[kmsg.Record]("kgo raw records")
)

// sliceOf returns a pool of slices with a Size in bytes.
func sliceOf[T any](name string) *basin.Pool[[]T] {
	return &basin.Pool[[]T]{Name: name, Size: func(s []T) int { return cap(s) * int(unsafe.Sizeof(*new(T))) }}
}

// GetDecompressBytes returns an empty slice for decompressed data; some versions of kgo append
// to it. Its capacity is at least the size that the data claims. If the data claims no
// size, the capacity is at least four times the length of the data, and at least the capacity of
// the slice put last. Both sizes are limited to 1 GiB, and to the codec's best
// possible compression.
func (p *Pool) GetDecompressBytes(compressed []byte, codec kgo.CompressionCodecType) []byte {
	return p.bytes().Get(decompressedSize(compressed, codec, p.last.Load()))[:0]
}

// PutDecompressBytes puts b. The caller must not use b any more.
func (p *Pool) PutDecompressBytes(b []byte) {
	if c := int64(cap(b)); c != p.last.Load() {
		p.last.Store(c)
	}
	p.bytes().Put(b)
}

// GetRecords returns a slice with capacity n or more.
func (p *Pool) GetRecords(n int) []kgo.Record { return get(records, n) }

// PutRecords puts b. The caller must not use b any more.
func (p *Pool) PutRecords(b []kgo.Record) { put(records, b) }

// GetKRecords returns a slice with capacity n or more.
func (p *Pool) GetKRecords(n int) []kmsg.Record { return get(rawRecords, n) }

// PutKRecords puts b. The caller must not use b any more.
func (p *Pool) PutKRecords(b []kmsg.Record) { put(rawRecords, b) }

func (p *Pool) bytes() *basin.BytePool {
	if p.Bytes != nil {
		return p.Bytes
	}
	return &shared
}

// get drops an idle slice that is too small, so that the slices of a pool become as large as
// batches.
func get[T any](p *basin.Pool[[]T], n int) []T {
	if s := p.Get(); cap(s) >= n {
		return s
	}
	return make([]T, 0, max(n, 0))
}

func put[T any](p *basin.Pool[[]T], s []T) {
	if cap(s) > 0 {
		p.Put(s[:0])
	}
}

// decompressedSize returns the size of the slice for decompressed data. It accepts the size
// that the data claims, up to the best possible compression of the codec. If the data claims
// none, as with lz4 and some zstd, it assumes the size of the last slice: too small a slice
// would be lost.
func decompressedSize(compressed []byte, codec kgo.CompressionCodecType, last int64) int {
	n := len(compressed)
	claim, most := max(4*uint64(n), uint64(last)), 255*uint64(n)
	switch codec {
	case kgo.CodecGzip:
		if n >= 4 {
			claim, most = uint64(binary.LittleEndian.Uint32(compressed[n-4:])), 1032*uint64(n)
		}
		claim += bytes.MinRead // otherwise the bytes.Buffer of kgo grows at the end
	case kgo.CodecSnappy: // except in the framing of Java's clients
		if l, err := s2.DecodedLen(compressed); err == nil && !bytes.HasPrefix(compressed, []byte("\x82SNAPPY\x00")) {
			claim, most = uint64(l), 32*uint64(n)
		}
	case kgo.CodecZstd:
		var h zstd.Header
		if h.Decode(compressed) == nil && h.HasFCS {
			claim, most = h.FrameContentSize, 32<<10*uint64(n)
		}
	}
	return int(min(claim, most+bytes.MinRead, 1<<30))
}
