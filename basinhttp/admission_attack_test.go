//go:build go1.25

package basinhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// Room is the memory that ReadAllSize of a view takes at most.
func TestAttackRoom(t *testing.T) {
	for _, p := range []*basin.BytePool{{}, {MaxSize: 64 << 10}} {
		bad := 0
		for n := int64(1); n < 3<<20; n += n/37 + 1 {
			l := &basin.Limit{Max: basinhttp.Room(n)}
			q := &basin.BytePool{MinSize: p.MinSize, MaxSize: p.MaxSize, Limit: l}
			r, err := l.Acquire(context.Background(), basinhttp.Room(n))
			if err != nil {
				t.Fatal(err)
			}
			if b, err := r.Pool(q).ReadAllSize(io.LimitReader(strings.NewReader(strings.Repeat("x", int(n))), n), n); err != nil {
				if bad++; bad < 3 {
					t.Errorf("MinSize %d MaxSize %d, %d bytes: %v", p.MinSize, p.MaxSize, n, err)
				}
			} else {
				q.Put(b)
			}
			r.Release()
			if s := l.Stats(); s.Bytes.InUse != 0 {
				t.Fatal(s.Bytes)
			}
		}
	}
}

// Everything that clients and handlers do; nothing is reserved at the end.
func TestAttackAdmitStorm(t *testing.T) {
	l := &basin.Limit{Max: 1 << 20}
	pool := &basin.BytePool{Limit: l}
	h := basinhttp.Admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			panic(http.ErrAbortHandler)
		case "/hijack":
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				c.Close()
			}
			return
		}
		view := basin.ReservationOf(r.Context()).Pool(pool)
		b, err := view.ReadAllSize(r.Body, r.ContentLength)
		if err != nil {
			basinhttp.Refuse(w, err)
			return
		}
		if r.URL.Path != "/lose" {
			view.Put(b)
		}
		fmt.Fprint(w, len(b))
	}), basinhttp.Admission{Limit: l, Max: 300 << 10, Wait: 50 * time.Millisecond})
	srv := httptest.NewUnstartedServer(h)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	c := srv.Client()
	plain := httptest.NewServer(h)
	defer plain.Close()
	var wg sync.WaitGroup
	codes := map[int]int{}
	var mu sync.Mutex
	for i := range 300 {
		wg.Go(func() {
			path := []string{"/", "/panic", "/hijack", "/lose", "/"}[i%5]
			base := []string{srv.URL, plain.URL}[i/5%2]
			var body io.Reader = bytes.NewReader(make([]byte, i*1500))
			if i%3 == 0 {
				body = io.MultiReader(body)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i%7 == 0 {
				time.AfterFunc(time.Duration(i)*time.Millisecond/10, cancel)
			}
			req, _ := http.NewRequestWithContext(ctx, "POST", base+path, body)
			resp, err := c.Do(req)
			if err != nil {
				return
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			mu.Lock()
			codes[resp.StatusCode]++
			mu.Unlock()
		})
	}
	// slow ones that go away
	for range 10 {
		wg.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(plain.URL, "http://"))
			if err != nil {
				return
			}
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
			time.Sleep(200 * time.Millisecond)
			conn.Close()
		})
		wg.Go(func() { // lies
			conn, err := net.Dial("tcp", strings.TrimPrefix(plain.URL, "http://"))
			if err != nil {
				return
			}
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775807\r\n\r\nabc")
			r, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || r.StatusCode != 413 {
				t.Error(r, err)
			}
			conn.Close()
		})
	}
	wg.Wait()
	t.Log(codes)
	var s basin.Stats
	for range 100 {
		if s = l.Stats(); s.Reserved == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if s.Reserved != 0 || s.Waiting != 0 {
		t.Errorf("reserved %d waiting %d in use %d", s.Reserved, s.Waiting, s.Bytes.InUse)
	}
}

// A reservation whose Reserve returns less than the body: what a client claims must not take the room of others.
func TestAttackClaim(t *testing.T) {
	l := &basin.Limit{Max: 64 << 20}
	pool := &basin.BytePool{Limit: l}
	reading := make(chan struct{})
	h := basinhttp.Admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		view := basin.ReservationOf(r.Context()).Pool(pool)
		_, err := view.ReadAllSize(io.MultiReader(readerFunc(func([]byte) (int, error) { close(reading); return 0, io.EOF }), r.Body), r.ContentLength)
		basinhttp.Refuse(w, err)
	}), basinhttp.Admission{Limit: l, Reserve: func(*http.Request) int64 { return 4096 }})
	srv := httptest.NewServer(h)
	defer srv.Close()
	conn, _ := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n")
	<-reading
	if s := l.Stats(); s.Bytes.InUse > 1<<20 {
		t.Errorf("a client that sent nothing has %d bytes, 4096 were reserved", s.Bytes.InUse)
	}
	conn.Close()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
