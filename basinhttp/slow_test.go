//go:build go1.25

package basinhttp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// A watchedWriter says when the handler begins to write.
type watchedWriter struct {
	http.ResponseWriter
	writes func()
}

func (w watchedWriter) Write(b []byte) (int, error) {
	w.writes()
	return w.ResponseWriter.Write(b)
}

func (w watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSlowReaders has two hundred clients ask for the figures of two thousand pools, and not
// read the answers.
func TestSlowReaders(t *testing.T) {
	const readers, most = 200, 64 << 20
	pools := make([]*basin.BytePool, 2000)
	for i := range pools {
		pools[i] = &basin.BytePool{Name: strings.Repeat("x", 4000)}
		pools[i].Put(pools[i].Get(64))
	}
	defer runtime.KeepAlive(pools)

	h := basinhttp.Handler()
	var answering, answered sync.WaitGroup
	answering.Add(readers)
	answered.Add(readers)
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > readers {
			h.ServeHTTP(w, r)
			return
		}
		defer answered.Done()
		h.ServeHTTP(watchedWriter{w, sync.OnceFunc(answering.Done)}, r)
	}))
	defer s.Close()
	before := liveHeap()
	conns := make([]net.Conn, readers)
	for i := range conns {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.(*net.TCPConn).SetReadBuffer(4 << 10)
		fmt.Fprintf(c, "GET /?format=json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		conns[i] = c
	}
	answering.Wait() // each is being sent something
	if grown := liveHeap() - before; grown > most {
		t.Errorf("the heap has grown by %d MiB, want at most %d", grown>>20, most>>20)
	}

	statuses := map[int]int{}
	for _, c := range conns {
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		statuses[resp.StatusCode]++
		if got := resp.Header.Get("Retry-After"); resp.StatusCode == http.StatusServiceUnavailable && got != "1" {
			t.Errorf("Retry-After is %q", got)
		}
		c.Close()
	}
	if statuses[200] == 0 || statuses[200]+statuses[503] != readers {
		t.Errorf("the answers are %v", statuses)
	}
	answered.Wait()
	for range 3 {
		resp, err := http.Get(s.URL + "/?format=json")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); resp.StatusCode != http.StatusOK || n < 2000*4000 || err != nil {
			t.Errorf("once all have left, the answer is %d, %d bytes, %v", resp.StatusCode, n, err)
		}
		resp.Body.Close()
	}
}
