//go:build go1.25 && basin

package main

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basingrpc"
)

func init() {
	messages := &basingrpc.BufferPool{Bytes: &basin.BytePool{Name: "messages", Adopts: true}, NoClear: true}
	experimental.SetDefaultBufferPool(messages)
	options = []grpc.ServerOption{experimental.BufferPool(messages)}
}
