package grpccodec_test

import (
	"bytes"
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basingrpc"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/lab/examples/grpccodec"
)

var echo = grpc.ServiceDesc{
	ServiceName: "basin.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var in wrapperspb.BytesValue
			return &in, decode(&in)
		},
	}},
}

func TestEcho(t *testing.T) {
	basintest.Check(t)
	pool := &basingrpc.BufferPool{Bytes: &basin.BytePool{Name: "grpc"}}

	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(grpccodec.ServerOptions(pool)...)
	server.RegisterService(&echo, nil)
	go server.Serve(listener)
	defer server.Stop()

	client, err := grpc.NewClient("passthrough:///echo", append(grpccodec.DialOptions(pool),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	for _, size := range []int{0, 1, 100, 5_000, 300_000, 3_000_000} {
		in, out := wrapperspb.Bytes(bytes.Repeat([]byte{byte(size)}, size)), new(wrapperspb.BytesValue)
		if err := client.Invoke(t.Context(), "/basin.Echo/Echo", in, out); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if !bytes.Equal(out.Value, in.Value) {
			t.Errorf("%d bytes came back as %d", len(in.Value), len(out.Value))
		}
	}
	client.Close()
	server.Stop()
	if s := pool.Bytes.Stats(); s.Gets == 0 {
		t.Error("gRPC did not use the pool")
	}
}

func TestNoMessage(t *testing.T) {
	basintest.Check(t)
	codec := grpccodec.Codec{Pool: &basingrpc.BufferPool{Bytes: &basin.BytePool{}}}
	if _, err := codec.Marshal("text"); err == nil {
		t.Error("Marshal took a string")
	}
	if err := codec.Unmarshal(mem.BufferSlice{}, "text"); err == nil {
		t.Error("Unmarshal took a string")
	}
}

func TestBuffersDoNotAllocate(t *testing.T) {
	pool := &basingrpc.BufferPool{Bytes: &basin.BytePool{}}
	pool.Put(pool.Get(5000))
	if n := pooltest.Allocs(100, func() { pool.Put(pool.Get(5000)) }); n != 0 {
		t.Errorf("%v allocations per Get and Put", n)
	}
}
