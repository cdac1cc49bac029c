// Package basingrpc keeps gRPC's messages in memory of basin: a [BufferPool] is a
// mem.BufferPool of google.golang.org/grpc. For all messages of a program:
//
//	var messages basingrpc.BufferPool
//
//	func init() { experimental.SetDefaultBufferPool(&messages) } // protobuf's codec
//
//	server := grpc.NewServer(experimental.BufferPool(&messages))
//	client, err := grpc.NewClient(target, experimental.WithBufferPool(&messages))
//
// The two options are needed as well, because gRPC may read its default before an init function
// of the program can set it.
//
// [UnaryAdmission] and [StreamAdmission] reserve memory for calls before they are handled, so that a server stays under
// a [basin.Limit].
package basingrpc

import "github.com/basin-go/basin"

// A BufferPool hands gRPC slices of a [basin.BytePool] and reuses them after Put. The zero
// BufferPool is ready to use. Its fields must not be changed after its first use. All methods
// are safe for concurrent use.
type BufferPool struct {
	// Bytes provides the slices. If it is nil, all such BufferPools share a pool with the name
	// "grpc" and the settings of a zero [basin.BytePool] with Adopts.
	//
	// With Adopts, slices that a codec has made itself and passed to mem.NewBuffer are recycled,
	// too, as in gRPC's own pools. Without Adopts, they are dropped, and checks report them.
	//
	// If Bytes has a limit without room, Get goes beyond it, and counts, because gRPC asks for memory where it
	// can neither wait nor fail. So others who draw from the limit wait, and gRPC does not: bound its own
	// memory with MaxRecvMsgSize and MaxConcurrentStreams. gRPC never puts the unread messages of a cancelled
	// call: their memory is lost, and its room is free again when it is collected.
	Bytes *basin.BytePool

	// NoClear makes Get return slices with the contents of earlier users. Otherwise Get clears
	// slices up to their length; gRPC's own pools clear the whole capacity. gRPC itself overwrites
	// the whole slice; a codec that calls Get might not.
	NoClear bool
}

var (
	shared  = basin.BytePool{Name: "grpc", Adopts: true}
	headers = basin.Pool[*[]byte]{Name: "grpc headers", New: func() *[]byte { return new([]byte) }}
)

// Get returns a pointer to a slice of the given length. Both are recycled. If length is zero or
// negative, the slice is empty. If length is larger than the pool's MaxSize, the slice comes from
// the heap. If the length is impossible, Get panics as make does.
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

// Put puts a pointer that Get has returned, and its slice. The slice may have any length, but
// must have its original capacity. The caller must not use either any more. Put ignores nil,
// and a pointer to nil. It sets the slice to nil, so a second Put of the pointer has no effect
// until another Get returns the pointer.
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
