package main

import (
	"fmt"

	"github.com/basin-go/basin/adapters/basinwebsocket"
)

func main() {
	if basinwebsocket.Size(struct{ b []byte }{make([]byte, 100)}) != 100 {
		panic("not the size")
	}
	fmt.Println("basinwebsocket works")
}
