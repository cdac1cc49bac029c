// Package adopting keeps changed WebSocket messages in the memory of earlier ones.
package adopting

import (
	"github.com/basin-go/basin"
	"github.com/gorilla/websocket"
)

// Collect passes the messages of conn to keep, in upper case, until conn fails.
func Collect(conn *websocket.Conn, pool *basin.BytePool, keep func([]byte)) error {
	for {
		_, message, err := conn.ReadMessage() // makes a slice
		if err != nil {
			return err
		}
		kept := pool.Append(nil, message...)
		for i, b := range kept {
			if 'a' <= b && b <= 'z' {
				kept[i] = b - 'a' + 'A'
			}
		}
		pool.Forget(kept) // keep owns it, and nobody puts it
		keep(kept)
		pool.Adopt(message) // nobody else has it: a later message is kept in it
	}
}
