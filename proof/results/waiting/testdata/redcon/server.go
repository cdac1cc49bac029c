//go:build go1.25

package main

import (
	"fmt"
	"io"
	"net"

	"github.com/tidwall/redcon"
)

// The server answers PING.
func serve(l net.Listener) error {
	return redcon.NewServer("", func(conn redcon.Conn, cmd redcon.Command) {
		conn.WriteString("PONG")
	}, func(redcon.Conn) bool { return true }, nil).Serve(l)
}

func connect(addr string) (func() error, error) {
	c, err := net.Dial("tcp", addr)
	answer := make([]byte, 7)
	return func() error {
		if _, err := io.WriteString(c, "*1\r\n$4\r\nPING\r\n"); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, answer); err != nil || string(answer) != "+PONG\r\n" {
			return fmt.Errorf("answer %q, %w", answer, err)
		}
		return nil
	}, err
}
