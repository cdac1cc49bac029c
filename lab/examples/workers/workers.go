// Package workers handles packets on several goroutines, in a number of buffers that
// is known beforehand.
package workers

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/basin-go/basin"
)

const (
	maxPacket = 1500 // bytes
	backlog   = 8    // packets that wait, for each worker
)

// Serve calls handle for each packet that conn receives, on as many goroutines as
// there are workers, until ctx is done or reading fails. handle must not keep packet.
func Serve(ctx context.Context, conn net.PacketConn, workers int, handle func(packet []byte)) error {
	packets := &basin.FixedPool{Name: "packets", Count: workers * (1 + backlog), Size: maxPacket}
	// The queue has room for all buffers, so sending never blocks: reading waits only
	// while no buffer is idle.
	queue := make(chan []byte, packets.Count)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for packet := range queue {
				handle(packet)
				packets.Put(packet) // who receives a buffer puts it
			}
		})
	}
	defer working.Wait()
	defer close(queue)
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Now()) })
	defer stop()
	for {
		b, err := packets.GetContext(ctx)
		if err != nil {
			return err
		}
		n, _, err := conn.ReadFrom(b)
		if err != nil {
			packets.Put(b)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		queue <- b[:n]
	}
}
