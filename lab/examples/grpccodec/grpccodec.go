// Package grpccodec has gRPC send and receive messages in memory of basin.
package grpccodec

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// A Codec encodes messages of protobuf into memory of a pool.
type Codec struct{ Pool mem.BufferPool }

var _ encoding.CodecV2 = Codec{}

// Name returns the name of gRPC's own codec, so both ends need not agree on another.
func (Codec) Name() string { return "proto" }

// Marshal returns v in a buffer that gRPC frees when it has been sent.
func (c Codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("grpccodec: %T is no proto.Message", v)
	}
	size := proto.Size(m)
	if mem.IsBelowBufferPoolingThreshold(size) { // gRPC would not put it back
		data, err := proto.Marshal(m)
		return mem.BufferSlice{mem.SliceBuffer(data)}, err
	}
	b := c.Pool.Get(size)
	if _, err := (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend((*b)[:0], m); err != nil {
		c.Pool.Put(b)
		return nil, err
	}
	return mem.BufferSlice{mem.NewBuffer(b, c.Pool)}, nil
}

// Unmarshal decodes data into v. Messages of protobuf copy their contents, so the
// memory can be put at once.
func (c Codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("grpccodec: %T is no proto.Message", v)
	}
	whole := data.MaterializeToBuffer(c.Pool)
	defer whole.Free()
	return proto.Unmarshal(whole.ReadOnlyData(), m)
}

// ServerOptions has a server use the codec and the pool.
func ServerOptions(pool mem.BufferPool) []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ForceServerCodecV2(Codec{pool}), experimental.BufferPool(pool)}
}

// DialOptions has a client use the codec and the pool.
func DialOptions(pool mem.BufferPool) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.ForceCodecV2(Codec{pool})), experimental.WithBufferPool(pool)}
}
