package basingrpc_test

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"

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
