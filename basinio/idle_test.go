//go:build go1.25

package basinio_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// tcpPair returns the two ends of a connection.
func tcpPair(t testing.TB) (a, b net.Conn) {
	t.Helper()
	return pair(t, "tcp", "127.0.0.1:0")
}

func pair(t testing.TB, network, address string) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	a, err = net.Dial(l.Addr().Network(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// memory returns the bytes of the heap that are live, and those of all stacks.
func memory() (heap, stacks int64) {
	runtime.GC()
	runtime.GC()
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()), int64(s[1].Value.Uint64())
}

// TestIdleConnections measures the memory of connections that wait for their next line, beside
// goroutines that wait in the Read of the connection.
func TestIdleConnections(t *testing.T) {
	if testenv.Race || testing.Short() || pooltest.FullChecks {
		t.Skip("measures memory")
	}
	n := testenv.Int(t, "BASIN_TEST_CONNECTIONS", 500)
	margin := int64(256<<10) / int64(n) // stacks come in spans of 32 KiB, some of which are partly used
	serve := map[string]func(net.Conn) (func() error, func(string) error){
		"none": func(c net.Conn) (func() error, func(string) error) {
			p := make([]byte, 8)
			return func() error { _, err := c.Read(p); return err },
				func(s string) error { _, err := c.Write([]byte(s)); return err }
		},
		"bufio": func(c net.Conn) (func() error, func(string) error) {
			r, w := bufio.NewReader(c), bufio.NewWriter(c)
			return func() error { _, err := r.ReadSlice('\n'); return err },
				func(s string) error { w.WriteString(s); return w.Flush() }
		},
		"basinio": func(c net.Conn) (func() error, func(string) error) {
			r, w := basinio.NewReader(c), basinio.NewWriter(c)
			return func() error { _, err := r.ReadSlice('\n'); return err },
				func(s string) error { w.WriteString(s); return w.Flush() }
		},
	}
	for _, over := range []string{"TCP", "TLS"} {
		each := map[string]int64{}
		for _, kind := range []string{"none", "none", "bufio", "basinio"} { // the first time is for memory of the runtime
			var servers []net.Conn
			var all sync.WaitGroup
			var clients []net.Conn
			for range n {
				c, s := tcpPair(t)
				if over == "TLS" {
					s = tls.Server(s, tlsConfig(t))
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
					all.Go(func() { s.(*tls.Conn).Handshake() })
					if err := c.(*tls.Conn).Handshake(); err != nil {
						t.Fatal(err)
					}
				}
				servers = append(servers, s)
				clients = append(clients, c)
			}
			all.Wait()
			heap, stacks := memory()
			for _, s := range servers {
				all.Go(func() {
					read, write := serve[kind](s)
					for read() == nil && write("answer\n") == nil {
					}
				})
			}
			answer := make([]byte, 100)
			line := []byte(strings.Repeat("x", 20) + "\n")
			for range 3 {
				for _, c := range clients {
					c.Write(line)
				}
				for _, c := range clients {
					io.ReadFull(c, answer[:7])
				}
			}
			time.Sleep(50 * time.Millisecond)
			h, s := memory()
			t.Logf("%s %s: heap %d, stacks %d bytes for each connection", over, kind, (h-heap)/int64(n), (s-stacks)/int64(n))
			each[kind] = (h - heap + s - stacks) / int64(n)
			for i := range clients {
				clients[i].Close()
				servers[i].Close()
			}
			all.Wait()
			runtime.KeepAlive(servers)
		}
		if got := each["basinio"] - each["none"]; got > 300+margin {
			t.Errorf("%s: a Reader and a Writer take %d bytes while they wait, more than 300", over, got)
		}
	}
}
