//go:build go1.25

package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

// The server is a broker. A client publishes to a topic that nobody has subscribed to.
func serve(l net.Listener) error {
	s := mqtt.New(&mqtt.Options{Logger: slog.New(slog.DiscardHandler)})
	if err := s.AddHook(new(auth.AllowHook), nil); err != nil {
		return err
	}
	if err := s.AddListener(listeners.NewNet("tcp", l)); err != nil {
		return err
	}
	if err := s.Serve(); err != nil {
		return err
	}
	select {}
}

var clients = 0

func connect(addr string) (func() error, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	clients++
	id := fmt.Sprintf("%08d", clients)
	connect := append([]byte{0x10, 20, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 8}, id...)
	if _, err := c.Write(connect); err != nil {
		return nil, err
	}
	ack := make([]byte, 4)
	if _, err := io.ReadFull(c, ack); err != nil {
		return nil, err
	}
	publish := append([]byte{0x32, 105, 0, 1, 't', 0, 1}, make([]byte, 100)...) // with quality of service 1
	return func() error {
		if _, err := c.Write(publish); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, ack); err != nil || ack[0] != 0x40 {
			return fmt.Errorf("answer %x, %w", ack, err)
		}
		return nil
	}, nil
}
