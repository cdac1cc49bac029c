package basingrpc_test

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basingrpc"
)

var messages = basingrpc.BufferPool{
	Bytes: &basin.BytePool{Name: "messages", MaxIdle: 32 << 20, Adopts: true},
}

func Example() {
	// In an init function of the program: experimental.SetDefaultBufferPool(&messages)

	server := grpc.NewServer(experimental.BufferPool(&messages))
	defer server.Stop()

	client, err := grpc.NewClient("localhost:50051", experimental.WithBufferPool(&messages),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	defer client.Close()

	b := messages.Get(5000)
	fmt.Println(len(*b), messages.Bytes.Stats().Gets)
	messages.Put(b)
	// Output: 5000 1
}

// All calls together take at most 64 MiB. Further ones wait for at most 2 seconds.
func ExampleUnaryAdmission() {
	a := basingrpc.Admission{
		Limit: &basin.Limit{Name: "calls", Max: 64 << 20},
		Max:   1 << 20,
		Wait:  2 * time.Second,
	}
	server := grpc.NewServer(
		grpc.UnaryInterceptor(basingrpc.UnaryAdmission(a)),
		grpc.StreamInterceptor(basingrpc.StreamAdmission(a)),
	)
	defer server.Stop()

	// The interceptor by itself, as the server calls it:
	handle := func(ctx context.Context, req any) (any, error) {
		fmt.Println(a.Limit.Stats().Reserved, "bytes reserved")
		return req, nil
	}
	info := &grpc.UnaryServerInfo{FullMethod: "/shop.Orders/Add"}
	for _, size := range []int{1000, 2 << 20} {
		_, err := basingrpc.UnaryAdmission(a)(context.Background(), wrapperspb.Bytes(make([]byte, size)), info, handle)
		fmt.Println(status.Code(err))
	}
	// Output:
	// 1317 bytes reserved
	// OK
	// ResourceExhausted
}
