//go:build go1.25

package basinio_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
)

// messageSockets returns sockets that lose the end of a message if the room is too small, each with
// the given messages on their way.
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
		go func() {
			for _, m := range messages {
				for { // an empty message does not wait for room
					if _, err := io.WriteString(to[kind], m); !errors.Is(err, syscall.EAGAIN) {
						break
					}
					time.Sleep(time.Millisecond)
				}
			}
		}()
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
					src.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
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

// TestCopyOfEmptyMessages: Copy goes on after many empty datagrams, as io.Copy does.
func TestCopyOfEmptyMessages(t *testing.T) {
	messages := append(make([]string, 120), "hello")
	for _, limit := range []int64{0, 100, 5000} {
		for kind, src := range messageSockets(t, messages...) {
			var from io.Reader = src
			if limit > 0 {
				from = io.LimitReader(src, limit)
			}
			src.SetReadDeadline(time.Now().Add(time.Minute))
			got := lastWriter{src: src, end: len("hello")}
			if _, err := basinio.Copy(&got, from); string(got.read) != "hello" {
				t.Errorf("%s, limit %d: copied %q, %v", kind, limit, got.read, err)
			}
		}
	}
}

// A lastWriter is a Writer that ends the reads of src when it has end bytes. On a busy machine, a deadline could end them
// before.
type lastWriter struct {
	src  net.Conn
	end  int
	read []byte
}

func (w *lastWriter) Write(b []byte) (int, error) {
	if w.read = append(w.read, b...); len(w.read) >= w.end {
		w.src.SetReadDeadline(time.Now())
	}
	return len(b), nil
}

// TestMessagesOfWrappers: with Messages, a Reader leaves no room too small.
func TestMessagesOfWrappers(t *testing.T) {
	message := strings.Repeat("m", 999) + "\n"
	for kind, socket := range messageSockets(t, message, message) {
		r := &basinio.Reader{Messages: true}
		r.Reset(io.TeeReader(socket, io.Discard))
		if s, err := r.ReadString('\n'); s != message || err != nil {
			t.Errorf("%s: read %d bytes of 1000, %v", kind, len(s), err)
		}
		var got bytes.Buffer
		socket.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		w := basinio.NewWriter(&got)
		r.WriteTo(w)
		if w.Flush(); got.String() != message {
			t.Errorf("%s: WriteTo wrote %d bytes of 1000", kind, got.Len())
		}
		r.Reset(nil)
	}
	r := &basinio.Reader{Messages: true}
	r.Reset(&strict{message})
	if s, err := r.ReadString('\n'); s != message || err != nil {
		t.Errorf("a source that refuses short slices: read %d bytes of 1000, %v", len(s), err)
	}
	r.Reset(nil)
}

// A strict source refuses a slice that its message does not fit into.
type strict struct{ message string }

func (s *strict) Read(p []byte) (int, error) {
	if len(p) < len(s.message) {
		return 0, io.ErrShortBuffer
	}
	n := copy(p, s.message)
	s.message = ""
	return n, nil
}

// TestFakeConnections: a net.Conn of the program is asked for nothing but its Read. Its address may be
// missing, or that of the datagrams below a stream.
func TestFakeConnections(t *testing.T) {
	for name, f := range map[string]func(net.Conn) error{
		"NewReader": func(c net.Conn) error { _, err := basinio.NewReader(c).ReadString('\n'); return err },
		"Copy":      func(c net.Conn) error { _, err := basinio.Copy(struct{ io.Writer }{io.Discard}, c); return err },
		"ReadFrom":  func(c net.Conn) error { _, err := basinio.NewWriter(io.Discard).ReadFrom(c); return err },
	} {
		if err := f(fakeConn{r: strings.NewReader("line\n")}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	pool := &basin.BytePool{Name: t.Name()}
	r := &basinio.Reader{Pool: pool}
	r.Reset(overUDP{b})
	line := make(chan string)
	go func() {
		s, _ := r.ReadString('\n')
		line <- s
	}()
	io.WriteString(a, "begin ") // the Reader waits for more after that
	if n := outstanding(pool); n != 0 {
		t.Errorf("a Reader of a stream over UDP holds %d buffers while it waits", n)
	}
	io.WriteString(a, "end\n")
	if s := <-line; s != "begin end\n" {
		t.Errorf("read %q", s)
	}
}

// A fakeConn is a connection of a test, which has only a Read.
type fakeConn struct {
	net.Conn
	r io.Reader
}

func (c fakeConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// An overUDP is a stream over datagrams.
type overUDP struct{ net.Conn }

func (overUDP) LocalAddr() net.Addr { return &net.UDPAddr{Port: 1} }
