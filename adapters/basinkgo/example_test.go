package basinkgo_test

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinkgo"
)

var fetches = basinkgo.Pool{
	Bytes: &basin.BytePool{Name: "fetches", MaxIdle: 32 << 20, Adopts: true},
}

func Example() {
	client, err := kgo.NewClient(kgo.SeedBrokers("localhost:9092"), kgo.ConsumeTopics("orders"), kgo.WithPools(&fetches))
	if err != nil {
		panic(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // there is no broker here
	client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
		fmt.Printf("%s: %s\n", r.Key, r.Value)
		r.Recycle()
	})
	// Output:
}
