package demo

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestForget starts a second gateway at the address of an earlier one.
func TestForget(t *testing.T) {
	l := &Load{
		concurrency: 2,
		targets:     []target{{"file", []byte("GET / HTTP/1.1\r\nHost: gateway\r\n\r\n"), []byte("content")}},
		conns:       map[string][]*loadConn{},
	}
	addr := "127.0.0.1:0"
	for range 2 {
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		addr = listener.Addr().String()
		if err := l.Forget(addr, nil); err != nil {
			t.Fatal(err)
		}
		gateway := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "content") })}
		go gateway.Serve(listener)
		for range 2 {
			var reply RoundReply
			if err := l.Round(RoundArgs{Addr: addr, Count: 10, Limit: time.Minute}, &reply); err != nil || reply.Requests != 10 {
				t.Fatalf("%d requests, error %v", reply.Requests, err)
			}
		}
		gateway.Close()
	}
}

func TestFetch(t *testing.T) {
	const want = "0123456789"
	ok := func(body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nDate: today\r\n\r\n%s", len(body), body)
	}
	for _, test := range []struct{ name, response, err string }{
		{"right", ok(want), ""},
		{"wrong first", ok("x123456789"), "wrong byte at offset 0 of the response: got 0x78, want 0x30"},
		{"wrong last", ok("012345678x"), "wrong byte at offset 9 of the response: got 0x78, want 0x39"},
		{"short", ok("01234"), "response ends at offset 5 of 10"},
		{"empty", ok(""), "response ends at offset 0 of 10"},
		{"short and wrong", ok("01x"), "wrong byte at offset 2"},
		{"long", ok(want + want), "response goes on at offset 10, where it should end"},
		{"cut off", ok(want)[:len(ok(want))-1], io.EOF.Error()},
		{"no length", "HTTP/1.1 200 OK\r\n\r\n", "no Content-Length"},
		{"refused", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\noops\n", "HTTP/1.1 502 Bad Gateway: oops"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, server := net.Pipe()
			defer client.Close()
			go func() {
				io.ReadFull(server, make([]byte, len("request")))
				io.WriteString(server, test.response)
				server.Close()
			}()
			c := &loadConn{Conn: client, r: bufio.NewReader(client)}
			err := c.fetch([]byte("request"), []byte(want))
			if test.err == "" && err != nil {
				t.Error(err)
			}
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error is %v, want %q", err, test.err)
			}
		})
	}
}
