// Package hijacking takes connections over from net/http, as WebSocket servers do.
package hijacking

import (
	"bytes"
	"io"
	"net"
	"net/http"

	"github.com/basin-go/basin/basinio"
)

// Upgrade ends HTTP on a connection, and returns it with a Reader and a Writer that hold nothing while
// they wait. The buffers of net/http, of 8 KiB, are garbage then.
func Upgrade(w http.ResponseWriter, protocol string) (net.Conn, *basinio.Reader, *basinio.Writer, error) {
	conn, old, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, nil, err
	}
	var src io.Reader = conn
	if n := old.Reader.Buffered(); n > 0 { // the client did not wait for the answer
		early, _ := old.Reader.Peek(n)
		src = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	out := basinio.NewWriter(conn)
	out.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + protocol + "\r\n\r\n")
	if err := out.Flush(); err != nil {
		conn.Close()
		return nil, nil, nil, err
	}
	return conn, basinio.NewReader(src), out, nil
}
