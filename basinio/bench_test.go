//go:build go1.25

package basinio_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
)

type flusher interface {
	io.Writer
	Flush() error
}

type maker struct {
	reader func(io.Reader) io.Reader
	writer func(io.Writer) flusher
}

var (
	std  = maker{func(r io.Reader) io.Reader { return bufio.NewReader(r) }, func(w io.Writer) flusher { return bufio.NewWriter(w) }}
	ours = maker{func(r io.Reader) io.Reader { return basinio.NewReader(r) }, func(w io.Writer) flusher { return basinio.NewWriter(w) }}
)

// An echo sends messages to a server that sends them back. Both ends have a reader and a writer.
type echo struct {
	size, window int // messages of that size, and how many are under way
	r            io.Reader
	w            flusher
	buf          []byte
}

func newEcho(m maker, a, b net.Conn, size, window int) *echo {
	go func() {
		r, w := m.reader(b), m.writer(b)
		p := make([]byte, size)
		for {
			for range window {
				if _, err := io.ReadFull(r, p); err != nil {
					return
				}
				w.Write(p)
			}
			if w.Flush() != nil {
				return
			}
		}
	}()
	return &echo{size, window, m.reader(a), m.writer(a), make([]byte, size)}
}

// run sends n messages and reads the answers.
func (e *echo) run(n int) {
	for range (n + e.window - 1) / e.window {
		for range e.window {
			e.w.Write(e.buf)
		}
		e.w.Flush()
		for range e.window {
			if _, err := io.ReadFull(e.r, e.buf); err != nil {
				panic(err)
			}
		}
	}
}

// BenchmarkEcho compares the processor time of a message with that of package bufio.
func BenchmarkEcho(b *testing.B) {
	for _, over := range []string{"TCP", "TLS"} {
		for _, size := range []int{64, 16 << 10} {
			for _, window := range []int{1, 64} {
				if size > 64 && window > 8 {
					window = 8 // more would not fit into the sockets' buffers
				}
				b.Run(fmt.Sprintf("%s/%d/%d", over, size, window), func(b *testing.B) {
					connect := func() (x, y net.Conn) {
						x, y = tcpPair(b)
						if over == "TLS" {
							x, y = tls.Client(x, &tls.Config{InsecureSkipVerify: true}), tls.Server(y, tlsConfig(b))
						}
						return x, y
					}
					x, y := connect()
					theirs := newEcho(std, x, y, size, window)
					x, y = connect()
					mine := newEcho(ours, x, y, size, window)
					n := 4000
					if size > 64 {
						n = 1500
					}
					if window > 1 {
						n *= 4
					}
					pooltest.Compare(b, n, theirs.run, mine.run)
				})
			}
		}
	}
}
