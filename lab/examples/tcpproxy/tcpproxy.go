// Package tcpproxy passes connections on, and holds no memory for those that wait.
package tcpproxy

import (
	"net"

	"github.com/basin-go/basin/basinio"
)

// Pass copies between two connections, in both directions, until both have ended.
func Pass(a, b net.Conn) error {
	defer a.Close()
	defer b.Close()
	back := make(chan error, 1)
	go func() { back <- oneWay(a, b) }()
	err := oneWay(b, a)
	if other := <-back; err == nil {
		err = other
	}
	return err
}

// oneWay copies from src to dst. After the end of src, dst is told so, but may still answer.
func oneWay(dst, src net.Conn) error {
	_, err := basinio.Copy(dst, src) // by splice, if both are TCP connections on Linux
	if half, ok := dst.(interface{ CloseWrite() error }); ok && err == nil {
		return half.CloseWrite()
	}
	dst.Close()
	return err
}

// Serve passes each connection that l accepts on to the address backend.
func Serve(l net.Listener, backend string) error {
	for {
		client, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			server, err := net.Dial("tcp", backend)
			if err != nil {
				client.Close()
				return
			}
			Pass(client, server)
		}()
	}
}
