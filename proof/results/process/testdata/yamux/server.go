//go:build go1.25

package main

import (
	"bytes"
	"context"
	"io"
	"net"

	"github.com/libp2p/go-yamux/v5"
)

// The server echoes 500 bytes to 64 KB on streams of multiplexed connections.
func serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		session, err := yamux.Server(c, nil, nil)
		if err != nil {
			return err
		}
		go func() {
			for {
				s, err := session.Accept()
				if err != nil {
					return
				}
				go func() {
					defer s.Close()
					io.Copy(s, s)
				}()
			}
		}()
	}
}

func connect(addr string) (request, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	session, err := yamux.Client(c, nil, nil)
	if err != nil {
		return nil, err
	}
	var messages [][]byte
	for i, size := range []int{500, 8000, 64_000} {
		messages = append(messages, bytes.Repeat([]byte{byte(i)}, size))
	}
	answer := make([]byte, 64_000)
	return func(number int, w io.Writer) error {
		s, err := session.Open(context.Background())
		if err != nil {
			return err
		}
		defer s.Close()
		message := messages[number%len(messages)]
		if _, err := s.Write(message); err != nil {
			return err
		}
		n, err := io.ReadFull(s, answer[:len(message)])
		if err != nil {
			return err
		}
		_, err = w.Write(answer[:n])
		return err
	}, nil
}
