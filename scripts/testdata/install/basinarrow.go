package main

import (
	"fmt"

	"github.com/basin-go/basin/adapters/basinarrow"
)

func main() {
	var a basinarrow.Allocator
	a.Free(a.Reallocate(1000, a.Allocate(100)))
	fmt.Println("basinarrow works")
}
