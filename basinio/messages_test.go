//go:build go1.25

package basinio_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/basin-go/basin/basinio"
)

// messageSockets returns sockets that lose the end of a message if the room is too small, each with
// the given messages in it.
func messageSockets(t *testing.T, messages ...string) map[string]net.Conn {
	t.Helper()
	sockets := map[string]net.Conn{}
	to := map[string]net.Conn{}
	if c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err == nil {
		sockets["udp"] = c
		to["udp"], _ = net.DialUDP("udp", nil, c.LocalAddr().(*net.UDPAddr))
	}
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unixgram"}
	if c, err := net.ListenUnixgram("unixgram", at); err == nil {
		sockets["unixgram"] = c
		to["unixgram"], _ = net.DialUnix("unixgram", nil, at)
	}
	if len(sockets) == 0 {
		t.Skip("no sockets for messages")
	}
	for kind, c := range sockets {
		for _, m := range messages {
			if _, err := io.WriteString(to[kind], m); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { c.Close(); to[kind].Close() })
	}
	return sockets
}

// TestCopyOfMessages: Copy and ReadFrom cut no message that io.Copy and bufio.Writer leave whole.
func TestCopyOfMessages(t *testing.T) {
	message := string(bytes.Repeat([]byte("m"), 1000))
	ways := map[string]func(dst io.Writer, src io.Reader) (int64, error){
		"Copy":     basinio.Copy,
		"ReadFrom": func(dst io.Writer, src io.Reader) (int64, error) { return basinio.NewWriter(dst).ReadFrom(src) },
		"io.Copy to a Writer": func(dst io.Writer, src io.Reader) (int64, error) {
			return io.Copy(basinio.NewWriter(dst), src)
		},
		"Copy to a Writer": func(dst io.Writer, src io.Reader) (int64, error) {
			return basinio.Copy(basinio.NewWriter(dst), src)
		},
		"Copy to a bufio.Writer": func(dst io.Writer, src io.Reader) (int64, error) {
			return basinio.Copy(bufio.NewWriter(dst), src)
		},
		"limited": func(dst io.Writer, src io.Reader) (int64, error) {
			return basinio.Copy(basinio.NewWriter(dst), io.LimitReader(src, 5000))
		},
	}
	for way, do := range ways {
		for _, to := range []string{"buffer", "file"} {
			t.Run(way+" to a "+to, func(t *testing.T) {
				t.Parallel() // each waits for its deadline
				for kind, src := range messageSockets(t, message) {
					dst := io.Writer(struct{ io.Writer }{new(bytes.Buffer)})
					if to == "file" {
						dst = tempFile(t)
					}
					src.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
					if n, err := do(dst, src); n != 1000 {
						t.Errorf("%s: %d bytes of 1000, %v", kind, n, err)
					}
				}
			})
		}
	}
}

func tempFile(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
