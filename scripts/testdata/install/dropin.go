package main

import (
	"fmt"
	"slices"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	pool "github.com/libp2p/go-buffer-pool"
	"github.com/valyala/bytebufferpool"
)

func main() {
	bytebufferpool.Put(bytebufferpool.Get())
	pool.Put(pool.Get(100))
	for _, name := range []string{"bytebufferpool", "go-buffer-pool"} {
		if !slices.ContainsFunc(basinexport.Append(nil), func(s basin.Stats) bool { return s.Name == name }) {
			fmt.Println(name, "is not on basin")
			return
		}
	}
	fmt.Println("dropin works")
}
