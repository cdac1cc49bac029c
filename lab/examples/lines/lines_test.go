package lines

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
)

func TestServe(t *testing.T) {
	client, server := net.Pipe()
	ended := make(chan error)
	go func() { ended <- Serve(server) }()
	go io.WriteString(client, "echo a\necho b c\r\n")
	got := make([]byte, 6)
	if _, err := io.ReadFull(client, got); string(got) != "a\nb c\n" {
		t.Errorf("answers %q, %v", got, err)
	}
	client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}

	client, server = net.Pipe()
	go func() { ended <- Serve(server) }()
	go io.WriteString(client, "unknown\n")
	if err := <-ended; err == nil {
		t.Error("no error")
	}
}

// TestServeUnderCeiling has more clients than the ceiling has buffers.
func TestServeUnderCeiling(t *testing.T) {
	defer func(p *basin.BytePool) { commands = p }(commands)
	commands = &basin.BytePool{Name: t.Name(), MaxInUse: 8 << 10}
	var clients sync.WaitGroup
	for range 16 {
		client, server := net.Pipe()
		client.SetDeadline(time.Now().Add(20 * time.Second))
		go Serve(server)
		clients.Go(func() {
			defer client.Close()
			argument := strings.Repeat("x", 100) + "\n"
			got := make([]byte, len(argument))
			for range 50 {
				io.WriteString(client, "echo "+argument)
				if _, err := io.ReadFull(client, got); string(got) != argument {
					t.Errorf("answer %q, %v", got, err)
					return
				}
			}
		})
	}
	clients.Wait()
}
