package main

import (
	"fmt"

	"github.com/basin-go/basin/adapters/basinkgo"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	if err := kgo.ValidateOpts(kgo.WithPools(new(basinkgo.Pool))); err != nil {
		panic(err)
	}
	fmt.Println("basinkgo works")
}
