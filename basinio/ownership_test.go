//go:build go1.25

package basinio_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestOwnership has many connections send and read at once, while collections put spares. Each writes
// bytes of its own, and would see those of others if a buffer had two owners.
func TestOwnership(t *testing.T) {
	messages := 300
	if testing.Short() {
		messages = 60
	}
	if pooltest.Long() {
		messages = 5000
	}
	pools := []*basin.BytePool{nil, {Name: t.Name()}, {Name: t.Name() + ", zeroing", Zero: true}}
	var all sync.WaitGroup
	for i := range 24 {
		a, b := tcpPair(t)
		if i%4 == 3 {
			a, b = net.Pipe()
		}
		pool, size := pools[i%len(pools)], []int{0, 100, 4096}[i/3%3]
		fill := byte(i + 1)
		all.Go(func() {
			defer a.Close()
			w := &basinio.Writer{Pool: pool, BufferSize: size}
			w.Reset(a)
			for n := range messages {
				length := 1 + (n*37+i)%3000
				fmt.Fprintf(w, "%d\n", length)
				w.Write(bytes.Repeat([]byte{fill}, length))
				if n%3 == 0 && w.Flush() != nil {
					return
				}
			}
			w.Flush()
		})
		all.Go(func() {
			defer b.Close()
			r := &basinio.Reader{Pool: pool, BufferSize: size}
			r.Reset(b)
			defer r.Reset(nil)
			p := make([]byte, 3000)
			for n := range messages {
				line, err := r.ReadSlice('\n')
				if want := fmt.Sprintf("%d\n", 1+(n*37+i)%3000); err != nil || string(line) != want {
					t.Errorf("connection %d, message %d: line %q, %v, want %q", i, n, line, err, want)
					return
				}
				p := p[:1+(n*37+i)%3000]
				if _, err := io.ReadFull(r, p); err != nil || bytes.Count(p, []byte{fill}) != len(p) {
					t.Errorf("connection %d, message %d: bytes of another, or %v", i, n, err)
					return
				}
				if n%20 == 0 {
					runtime.GC()
				}
			}
		})
	}
	all.Wait()
	for _, p := range pools[1:] {
		if n := outstanding(p); n != 0 {
			t.Errorf("%s: %d buffers outstanding", p.Name, n)
		}
	}
}
