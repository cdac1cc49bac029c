//go:build go1.25

package main

import (
	"bytes"
	"context"
	"io"
	"net"

	"github.com/libp2p/go-yamux/v5"
)

// The server echoes on streams of multiplexed connections.
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
	message, answer := bytes.Repeat([]byte{1}, 8000), make([]byte, 8000)
	return func(_ int, to io.Writer) error {
		s, err := session.Open(context.Background())
		if err != nil {
			return err
		}
		defer s.Close()
		if _, err := s.Write(message); err != nil {
			return err
		}
		if _, err := io.ReadFull(s, answer); err != nil {
			return err
		}
		_, err = to.Write(answer)
		return err
	}, nil
}
