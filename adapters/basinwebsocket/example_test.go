package basinwebsocket_test

import (
	"fmt"

	"github.com/gorilla/websocket"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinwebsocket"
)

var upgrader = websocket.Upgrader{
	WriteBufferSize: 4096,
	WriteBufferPool: &basin.Pool[any]{Name: "websocket", Size: basinwebsocket.Size, MaxIdle: 4 << 20},
}

func Example() {
	fmt.Println(upgrader.WriteBufferPool.Get()) // then a connection makes its own buffer
	// Output: <nil>
}
