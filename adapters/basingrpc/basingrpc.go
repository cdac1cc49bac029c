// Package basingrpc has gRPC keep its messages in memory of basin: a [BufferPool] is a
// mem.BufferPool of google.golang.org/grpc. For all messages of a program:
//
//	var messages basingrpc.BufferPool
//
//	func init() { experimental.SetDefaultBufferPool(&messages) } // protobuf's codec
//
//	server := grpc.NewServer(experimental.BufferPool(&messages))
//	client, err := grpc.NewClient(target, experimental.WithBufferPool(&messages))
//
// The two options are needed as well: gRPC may have read its default before any init
// function of the program could set it.
package basingrpc

import "github.com/basin-go/basin"

// A BufferPool hands gRPC slices of a [basin.BytePool] and takes them back. The zero
// BufferPool is ready. Its fields must not be changed after its first use. All methods
// may be called from many goroutines at once.
type BufferPool struct {
	// Bytes is where the slices come from. If it is nil, that is a pool that all such
	// BufferPools share, with the name "grpc" and the settings of a zero
	// [basin.BytePool] with Adopts.
	//
	// With Adopts, slices that a codec has made itself and handed to mem.NewBuffer are
	// recycled too, as by gRPC's own pools. Without, they are dropped, and checks
	// report them. A pool with MaxInUse can make a connection wait for itself.
	Bytes *basin.BytePool

	// NoClear has Get hand out slices as their last users left them. Otherwise Get clears
	// them, as gRPC's own pools do, but only up to the length that was asked for. gRPC
	// itself overwrites all it gets; a codec that calls Get need not.
	NoClear bool
}

var (
	shared  = basin.BytePool{Name: "grpc", Adopts: true}
	headers = basin.Pool[*[]byte]{Name: "grpc headers", New: func() *[]byte { return new([]byte) }}
)

// Get returns a pointer to a slice of the given length. Both are recycled, so Get
// allocates nothing. If length is zero or negative the slice is empty. If length is
// larger than the pool's MaxSize, the slice comes from the heap; if there cannot be
// such a slice, Get panics as make does.
func (p *BufferPool) Get(length int) *[]byte {
	get := p.bytes().GetZeroed
	if p.NoClear {
		get = p.bytes().Get
	}
	b := get(length)
	h := headers.Get()
	*h = b
	return h
}

// Put gives back what Get has returned: the array and the pointer. The length of the
// slice does not matter, its capacity does. The caller must not use either any more. Put
// ignores nil, and a pointer to nil, which it leaves behind: so a pointer that is put
// twice in a row counts once.
func (p *BufferPool) Put(buf *[]byte) {
	if buf == nil || *buf == nil {
		return
	}
	b := *buf
	*buf = nil // an idle pointer keeps no array
	headers.Put(buf)
	p.bytes().Put(b)
}

func (p *BufferPool) bytes() *basin.BytePool {
	if p.Bytes != nil {
		return p.Bytes
	}
	return &shared
}
