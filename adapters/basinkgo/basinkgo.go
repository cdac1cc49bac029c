// Package basinkgo has the Kafka client github.com/twmb/franz-go decompress into memory
// of basin: a [Pool] is for kgo.WithPools.
//
//	var fetches basinkgo.Pool
//
//	client, err := kgo.NewClient(kgo.WithPools(&fetches), …)
//
//	client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
//		handle(r.Key, r.Value) // copies what it keeps
//		r.Recycle()
//	})
//
// Only what is recycled comes back: with the last record of a batch, its memory does.
// Records that are not recycled are garbage, with all of their batch.
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

// A Pool is a kgo.PoolDecompressBytes, a kgo.PoolRecords and, for versions of kgo before
// 1.22, a kgo.PoolKRecords. The zero Pool is ready. Its fields must not be changed after
// its first use. All methods may be called from many goroutines at once.
//
// kgo clears bytes to their capacity before it puts them, and each record when it is
// recycled. Records come from pools that all Pools share, with the names "kgo records"
// and "kgo raw records".
type Pool struct {
	// Bytes is where the bytes come from. If it is nil, that is a pool that all such Pools
	// share, with the name "kgo" and the settings of a zero [basin.BytePool] with Adopts.
	//
	// With Adopts, a slice that has grown while it was decompressed into is recycled;
	// without, it is dropped, and checks report it. The slice before it is garbage, which
	// statistics count as in use.
	Bytes *basin.BytePool

	last atomic.Int64 // capacity of what was put last
}

var (
	_ kgo.PoolDecompressBytes = (*Pool)(nil)
	_ kgo.PoolRecords         = (*Pool)(nil)
	_ kgo.PoolKRecords        = (*Pool)(nil)

	shared     = basin.BytePool{Name: "kgo", Adopts: true}
	records    = sliceOf[kgo.Record]("kgo records")
	rawRecords = sliceOf[kmsg.Record]("kgo raw records")
)

// sliceOf returns a pool of slices that knows how many bytes they have.
func sliceOf[T any](name string) *basin.Pool[[]T] {
	return &basin.Pool[[]T]{Name: name, Size: func(s []T) int { return cap(s) * int(unsafe.Sizeof(*new(T))) }}
}

// GetDecompressBytes returns an empty slice for what is compressed, because some versions of
// kgo append to it. Its capacity is what the data says that it is, if it says so; else that of
// the slice that was put last, or at least four times the size of the data.
func (p *Pool) GetDecompressBytes(compressed []byte, codec kgo.CompressionCodecType) []byte {
	return p.bytes().Make(decompressedSize(compressed, codec, p.last.Load()))
}

// PutDecompressBytes gives b back, which nobody may use any more.
func (p *Pool) PutDecompressBytes(b []byte) {
	if c := int64(cap(b)); c != p.last.Load() {
		p.last.Store(c)
	}
	p.bytes().Put(b)
}

// GetRecords returns a slice with capacity n or more.
func (p *Pool) GetRecords(n int) []kgo.Record { return get(records, n) }

// PutRecords gives b back, which nobody may use any more.
func (p *Pool) PutRecords(b []kgo.Record) { put(records, b) }

// GetKRecords returns a slice with capacity n or more.
func (p *Pool) GetKRecords(n int) []kmsg.Record { return get(rawRecords, n) }

// PutKRecords gives b back, which nobody may use any more.
func (p *Pool) PutKRecords(b []kmsg.Record) { put(rawRecords, b) }

func (p *Pool) bytes() *basin.BytePool {
	if p.Bytes != nil {
		return p.Bytes
	}
	return &shared
}

// get leaves to the collector what is too small, so that the slices of a pool become as
// large as batches are.
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

// decompressedSize returns how large a slice should be for what is compressed. What data
// claims to be is believed as far as the codec can compress anything. If it claims nothing, as
// with lz4 and with some zstd, it will be like the last: too small a slice would be lost.
func decompressedSize(compressed []byte, codec kgo.CompressionCodecType, last int64) int {
	n := len(compressed)
	claim, most := max(4*uint64(n), uint64(last)), 255*uint64(n)
	switch codec {
	case kgo.CodecGzip:
		if n >= 4 {
			claim, most = uint64(binary.LittleEndian.Uint32(compressed[n-4:])), 1032*uint64(n)
		}
		claim += bytes.MinRead // or the bytes.Buffer of kgo grows at the end
	case kgo.CodecSnappy: // not in the frames that Java makes
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
