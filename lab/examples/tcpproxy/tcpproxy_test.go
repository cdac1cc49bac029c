package tcpproxy

import (
	"io"
	"net"
	"testing"
)

func TestServe(t *testing.T) {
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	backend, front := listen(), listen()
	go func() {
		c, err := backend.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		question, _ := io.ReadAll(c) // ends when the client closes its half
		c.Write(append(question, " answered"...))
	}()
	go Serve(front, backend.Addr().String())
	c, err := net.Dial("tcp", front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "question")
	c.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(c); string(got) != "question answered" {
		t.Errorf("got %q, %v", got, err)
	}
}
