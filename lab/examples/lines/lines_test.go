package lines

import (
	"io"
	"net"
	"testing"
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
