package workers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/lab/examples/workers"
)

// A source is a net.PacketConn that has a number of packets to read.
type source struct {
	net.PacketConn
	packets int
	next    int
}

func (s *source) ReadFrom(p []byte) (int, net.Addr, error) {
	if s.next == s.packets {
		return 0, nil, io.EOF
	}
	s.next++
	return copy(p, fmt.Sprint("packet ", s.next)), nil, nil
}

func (s *source) SetReadDeadline(time.Time) error { return nil }

func TestServe(t *testing.T) {
	basintest.Check(t)
	const n = 10_000
	var mu sync.Mutex
	handled := map[string]int{}
	err := workers.Serve(t.Context(), &source{packets: n}, 4, func(packet []byte) {
		mu.Lock()
		defer mu.Unlock()
		handled[string(packet)]++
	})
	if err != io.EOF {
		t.Errorf("Serve ended with %v, want io.EOF", err)
	}
	if len(handled) != n {
		t.Errorf("%d different packets, want %d", len(handled), n)
	}
	for packet, times := range handled {
		if times != 1 {
			t.Errorf("%q was handled %d times", packet, times)
		}
	}
}

// TestServeCancel: Serve ends while it waits for a packet and while it waits for a
// buffer.
func TestServeCancel(t *testing.T) {
	t.Run("no packet", func(t *testing.T) {
		basintest.Check(t)
		conn, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Skip(err)
		}
		defer conn.Close()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if err := workers.Serve(ctx, conn, 2, func([]byte) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want it canceled", err)
		}
	})
	t.Run("no buffer", func(t *testing.T) {
		basintest.Check(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		err := workers.Serve(ctx, &source{packets: 1000}, 1, func([]byte) { <-ctx.Done() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want it canceled", err)
		}
	})
}
