package main

import (
	"fmt"

	"github.com/basin-go/basin/adapters/basingrpc"
)

func main() {
	var p basingrpc.BufferPool
	p.Put(p.Get(1000))
	fmt.Println("basingrpc works")
}
