package main

import (
	"fmt"
	"io"

	"github.com/basin-go/basin/basinpprof"
)

func main() {
	if err := basinpprof.Write(io.Discard); err != nil {
		panic(err)
	}
	fmt.Println("basinpprof works")
}
