package subjects

import (
	"bytes"

	"github.com/bytedance/gopkg/lang/mcache"
	gobwas "github.com/gobwas/pool/pbytes"
	libp2p "github.com/libp2p/go-buffer-pool"
	"github.com/oxtoacart/bpool"
	"github.com/valyala/bytebufferpool"
	"github.com/vmihailenco/bufpool"
	zap "go.uber.org/zap/buffer"
	"google.golang.org/grpc/mem"
)

// Third-party modules, used as documented, with their default settings. Numbers that they
// require are their own suggestions, or generous.

func init() {
	Register(&Subject{
		Name: "bytebufferpool", Kind: Module, Source: "github.com/valyala/bytebufferpool",
		About:   "one sync.Pool of buffers that learns their size",
		Buffers: func() Buffers { return new(byteBuffers) },
	}, &Subject{
		Name: "mcache", Kind: Module, Source: "github.com/bytedance/gopkg/lang/mcache",
		About:  "powers of two, a sync.Pool of bare pointers each",
		Slices: func() Slices { return mcacheSlices{} },
	}, &Subject{
		Name: "go-buffer-pool", Kind: Module, Source: "github.com/libp2p/go-buffer-pool",
		About:   "powers of two, two sync.Pools for each Get and Put",
		Slices:  func() Slices { return libp2pSlices{new(libp2p.BufferPool)} },
		Buffers: func() Buffers { return libp2pBuffers{new(libp2p.BufferPool)} },
	}, &Subject{
		Name: "bpool", Kind: Module, Source: "github.com/oxtoacart/bpool",
		About:   "a channel: of slices of one size, and of bytes.Buffers",
		OneSize: func(size int) Slices { return bpoolSlices{bpool.NewBytePool(bpoolCount, size)} },
		Fixed:   func(count, size int) Slices { return bpoolSlices{bpool.NewBytePool(count, size)} },
		Buffers: func() Buffers { return bpoolBuffers{bpool.NewBufferPool(bpoolCount)} },
	}, &Subject{
		Name: "bpool.SizedBufferPool", Kind: Module, Source: "github.com/oxtoacart/bpool",
		About:   "a channel of bytes.Buffers; those that have grown are replaced",
		Buffers: func() Buffers { return bpoolSized{bpool.NewSizedBufferPool(bpoolCount, 4096)} },
	}, &Subject{
		Name: "grpc/mem", Kind: Module, Source: "google.golang.org/grpc/mem",
		About:  "the default pool: five sizes from 256 bytes to 1 MiB, a sync.Pool of pointers each, cleared by Get",
		Slices: func() Slices { return grpcSlices{mem.DefaultBufferPool()} },
	}, &Subject{
		Name: "gobwas/pool", Kind: Module, Source: "github.com/gobwas/pool/pbytes",
		About:  "powers of two from 128 bytes to 64 KiB, a sync.Pool of slices each",
		Slices: func() Slices { return gobwasSlices{gobwas.DefaultPool} },
	}, &Subject{
		Name: "bufpool", Kind: Module, Source: "github.com/vmihailenco/bufpool",
		About:   "buffers in powers of two, and a pool that learns their size",
		Buffers: func() Buffers { return new(bufpoolBuffers) },
	}, &Subject{
		Name: "zap/buffer", Kind: Module, Source: "go.uber.org/zap/buffer",
		About:   "a sync.Pool of buffers of 1 KiB that keeps whatever they grow to",
		Buffers: func() Buffers { return zapBuffers{zap.NewPool()} },
	})
}

type byteBuffers struct{ bytebufferpool.Pool }

func (p *byteBuffers) Get() Buffer  { return p.Pool.Get() }
func (p *byteBuffers) Put(b Buffer) { p.Pool.Put(b.(*bytebufferpool.ByteBuffer)) }

type mcacheSlices struct{}

func (mcacheSlices) Get(n int) Slice { return Slice{B: mcache.Malloc(n)} }
func (mcacheSlices) Put(s Slice)     { mcache.Free(s.B) }

type libp2pSlices struct{ *libp2p.BufferPool }

func (p libp2pSlices) Get(n int) Slice { return Slice{B: p.BufferPool.Get(n)} }
func (p libp2pSlices) Put(s Slice)     { p.BufferPool.Put(s.B) }

type libp2pBuffers struct{ pool *libp2p.BufferPool }

func (p libp2pBuffers) Get() Buffer  { return &libp2p.Buffer{Pool: p.pool} }
func (p libp2pBuffers) Put(b Buffer) { b.(*libp2p.Buffer).Reset() }

// bpoolCount is the capacity of a pool of bpool, which its users must set.
const bpoolCount = 1024

type bpoolSlices struct{ *bpool.BytePool }

func (p bpoolSlices) Get(int) Slice { return Slice{B: p.BytePool.Get()} }
func (p bpoolSlices) Put(s Slice)   { p.BytePool.Put(s.B) }

type bpoolBuffers struct{ *bpool.BufferPool }

func (p bpoolBuffers) Get() Buffer  { return p.BufferPool.Get() }
func (p bpoolBuffers) Put(b Buffer) { p.BufferPool.Put(b.(*bytes.Buffer)) }

type bpoolSized struct{ *bpool.SizedBufferPool }

func (p bpoolSized) Get() Buffer  { return p.SizedBufferPool.Get() }
func (p bpoolSized) Put(b Buffer) { p.SizedBufferPool.Put(b.(*bytes.Buffer)) }

type grpcSlices struct{ mem.BufferPool }

func (p grpcSlices) Get(n int) Slice {
	by := p.BufferPool.Get(n)
	return Slice{*by, by}
}
func (p grpcSlices) Put(s Slice) { p.BufferPool.Put(s.by) }

type gobwasSlices struct{ *gobwas.Pool }

func (p gobwasSlices) Get(n int) Slice { return Slice{B: p.Pool.GetLen(n)} }
func (p gobwasSlices) Put(s Slice)     { p.Pool.Put(s.B) }

type bufpoolBuffers struct{ bufpool.Pool }

func (p *bufpoolBuffers) Get() Buffer  { return p.Pool.Get() }
func (p *bufpoolBuffers) Put(b Buffer) { p.Pool.Put(b.(*bufpool.Buffer)) }

type zapBuffers struct{ zap.Pool }

func (p zapBuffers) Get() Buffer  { return p.Pool.Get() }
func (p zapBuffers) Put(b Buffer) { b.(*zap.Buffer).Free() }
