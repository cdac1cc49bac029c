//go:build go1.25

package basinhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// admitted serves next under a, until the test ends. It then checks that the limit has nothing in use or reserved.
func admitted(t *testing.T, a basinhttp.Admission, next http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(basinhttp.Admit(next, a))
	server.EnableHTTP2 = true
	// Bodies of waiting requests must not take the window of the connection from bodies that are read.
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 250, MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 250 * 64 << 10}
	t.Cleanup(func() { empty(t, a.Limit) })
	t.Cleanup(server.Close)
	return server
}

func empty(t *testing.T, limit *basin.Limit) {
	t.Helper()
	if s := limit.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 || s.Waiting != 0 || s.Lost.Items != 0 {
		t.Errorf("in the end there are %v", s)
	}
}

// answer reads an answer to its end.
func answer(t *testing.T, r *http.Response, err error) (status int, body string) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return r.StatusCode, string(b)
}

// chunked hides the length of a reader.
func chunked(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

// echo answers with the length of the body, which it reads into a pool.
func echo(bodies *basin.BytePool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			fmt.Fprint(w, 0)
			return
		}
		pool := basin.ReservationOf(r.Context()).Pool(bodies)
		body, err := pool.ReadAllSize(r.Body, r.ContentLength)
		if err != nil {
			if !basinhttp.Refuse(w, err) {
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
			return
		}
		defer pool.Put(body)
		fmt.Fprint(w, len(body))
	}
}

// TestRoom: with a reservation of Room, ReadAllSize needs no more.
func TestRoom(t *testing.T) {
	sizes := []int64{1, 63, 64, 65, 100, 129, 257, 1000, 1025, 5000, 128 << 10, 128<<10 + 1, 130_000, 1 << 20, 3_000_000, 3 << 20, 3<<20 + 1, 4 << 20, 4<<20 + 1, 5_000_000, 20_000_000}
	for n := int64(70); n < 1<<20; n = n*21/20 + 1 {
		sizes = append(sizes, n)
	}
	for _, maxSize := range []int{0, 64 << 20, 1 << 10} {
		for _, n := range sizes {
			limit := &basin.Limit{Max: basinhttp.Room(n)}
			p := &basin.BytePool{Limit: limit, MaxSize: maxSize, MaxIdle: 64 << 20}
			r, err := limit.Acquire(t.Context(), basinhttp.Room(n))
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Pool(p).ReadAllSize(chunked(strings.Repeat("x", int(n))), n)
			if err != nil || int64(len(b)) != n {
				t.Errorf("MaxSize %d: %d of %d bytes, %v", maxSize, len(b), n, err)
			}
			p.Put(b)
			r.Release()
			empty(t, limit)
		}
	}
	if basinhttp.Room(0) != 0 || basinhttp.Room(-1) != 0 || basinhttp.Room(math.MaxInt64) < math.MaxInt64/2 {
		t.Error(basinhttp.Room(0), basinhttp.Room(-1), basinhttp.Room(math.MaxInt64))
	}
}

func TestAdmissionOutOfRange(t *testing.T) {
	limit := &basin.Limit{}
	for field, a := range map[string]basinhttp.Admission{
		"Limit":      {},
		"Max":        {Limit: limit, Max: -1},
		"Unknown":    {Limit: limit, Unknown: -1},
		"Wait":       {Limit: limit, Wait: -1},
		"RetryAfter": {Limit: limit, RetryAfter: -1},
	} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, "Admission."+field+" ") {
					t.Errorf("%s: %s", field, p)
				}
			}()
			basinhttp.Admit(http.NotFoundHandler(), a)
		}()
	}
}

// TestAdmit has each answer that Admit gives, over HTTP/1 and HTTP/2.
func TestAdmit(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2=%v", tls), func(t *testing.T) {
			limit := &basin.Limit{Name: t.Name(), Max: 1 << 20}
			bodies := &basin.BytePool{Name: t.Name(), Limit: limit}
			// A slow machine may take longer than a short wait only to ask for room that there is.
			patient := basinhttp.Admission{Limit: limit, Max: 100_000, RetryAfter: 1500 * time.Millisecond}
			impatient := patient
			impatient.Wait = time.Millisecond
			server, hasty := admitted(t, patient, echo(bodies)), admitted(t, impatient, echo(bodies))
			for _, s := range []*httptest.Server{server, hasty} {
				if tls {
					s.StartTLS()
				} else {
					s.Start()
				}
			}
			postTo := func(s *httptest.Server, body io.Reader) (int, string, http.Header) {
				response, err := s.Client().Post(s.URL, "", body)
				status, text := answer(t, response, err)
				if response == nil {
					return status, text, nil
				}
				if want := map[bool]int{false: 1, true: 2}[tls]; response.ProtoMajor != want {
					t.Errorf("it is %s", response.Proto)
				}
				return status, text, response.Header
			}
			post := func(body io.Reader) (int, string, http.Header) { return postTo(server, body) }
			for _, n := range []int{0, 1, 1000, 100_000} {
				for _, chunk := range []bool{false, true} {
					body := io.Reader(strings.NewReader(strings.Repeat("x", n)))
					if chunk {
						body = chunked(strings.Repeat("x", n))
					}
					if status, text, _ := post(body); status != 200 || text != fmt.Sprint(n) {
						t.Errorf("%d bytes, chunked %v: %d %s", n, chunk, status, text)
					}
					if all, err := limit.Acquire(t.Context(), 1<<20); err != nil { // waits for the handler, which may not have returned
						t.Fatal(err)
					} else {
						all.Release()
					}
				}
			}
			refused := limit.Stats().Refused
			for name, body := range map[string]io.Reader{"declared": strings.NewReader(strings.Repeat("x", 100_001)), "chunked": chunked(strings.Repeat("x", 100_001))} {
				if status, text, _ := post(body); status != 413 || !strings.Contains(text, "100000") {
					t.Errorf("too large, %s: %d %s", name, status, text)
				}
			}
			if n := limit.Stats().Refused - refused; n != 0 {
				t.Errorf("the limit has refused %d bodies beyond Max", n)
			}
			all, err := limit.Acquire(t.Context(), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			status, text, header := postTo(hasty, strings.NewReader("x"))
			if status != 503 || header.Get("Retry-After") != "2" {
				t.Errorf("no room: %d %s %v", status, text, header)
			}
			if status, text, _ := post(nil); status != 200 || text != "0" { // needs no memory
				t.Errorf("no body: %d %s", status, text)
			}
			all.Release()
			limit.SetMax(1000)
			if status, text, _ := post(strings.NewReader(strings.Repeat("x", 50_000))); status != 413 {
				t.Errorf("larger than the limit: %d %s", status, text)
			}
		})
	}
}

// TestAdmitInMemory: the handler's memory comes from its reservation, whose rest stays reserved.
func TestAdmitInMemory(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 1 << 20}
	bodies := &basin.BytePool{Name: t.Name(), Limit: limit}
	handler := basinhttp.Admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reservation := basin.ReservationOf(r.Context())
		b := reservation.Pool(bodies).Get(1024)
		if s := limit.Stats(); s.Bytes.InUse != 1024 || s.Reserved != 5000-1024 {
			t.Errorf("%d in use, %d reserved", s.Bytes.InUse, s.Reserved)
		}
		bodies.Put(b)
		if _, err := limit.Acquire(r.Context(), 1<<20); !errors.Is(err, basin.ErrLimit) {
			t.Errorf("a second reservation: %v", err)
		}
	}), basinhttp.Admission{Limit: limit, Reserve: func(*http.Request) int64 { return 5000 }})
	r := httptest.NewRequest("POST", "/", strings.NewReader("x"))
	body := r.Body
	handler.ServeHTTP(httptest.NewRecorder(), r)
	if r.Body != body || basin.ReservationOf(r.Context()) != nil {
		t.Error("the caller's request has changed")
	}
	// Admit within Admit: it does not wait for itself.
	twice := basinhttp.Admit(handler, basinhttp.Admission{Limit: limit, Wait: time.Hour, Reserve: func(*http.Request) int64 { return 1 << 20 }})
	w := httptest.NewRecorder()
	twice.ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != 503 {
		t.Errorf("within a reservation of all: %d", w.Code)
	}
	negative := basinhttp.Admit(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if basin.ReservationOf(r.Context()) != nil {
			t.Error("there is a reservation of less than nothing")
		}
	}), basinhttp.Admission{Limit: limit, Reserve: func(*http.Request) int64 { return -1 }})
	w = httptest.NewRecorder()
	negative.ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != 200 {
		t.Errorf("a negative reservation: %d", w.Code)
	}
	empty(t, limit)
}

// TestAdmitKeepsTheWriter: next gets the ResponseWriter itself, with all that it can do.
func TestAdmitKeepsTheWriter(t *testing.T) {
	w := httptest.NewRecorder()
	basinhttp.Admit(http.HandlerFunc(func(got http.ResponseWriter, _ *http.Request) {
		if got != http.ResponseWriter(w) {
			t.Errorf("it is a %T", got)
		}
	}), basinhttp.Admission{Limit: new(basin.Limit), Max: 1}).ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader("x")))
}

// TestAdmitPanics: the reservation ends when the handler panics or ends its goroutine.
func TestAdmitPanics(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 100_000}
	bodies := &basin.BytePool{Name: t.Name(), Limit: limit}
	server := admitted(t, basinhttp.Admission{Limit: limit, Reserve: func(*http.Request) int64 { return 60_000 }}, func(w http.ResponseWriter, r *http.Request) {
		pool := basin.ReservationOf(r.Context()).Pool(bodies)
		b := pool.Get(1000)
		defer pool.Put(b)
		if r.URL.Path == "/goexit" {
			runtime.Goexit()
		}
		panic(http.ErrAbortHandler)
	})
	server.Start()
	for range 50 { // one at a time fits
		for _, path := range []string{"/panic", "/goexit"} {
			if r, err := server.Client().Post(server.URL+path, "", strings.NewReader("x")); err == nil && r.StatusCode == 503 {
				t.Fatal("the room is still taken")
			} else if err == nil {
				r.Body.Close()
			}
		}
	}
}

// TestAdmitHijack: the reservation of a hijacked connection ends when the handler returns.
func TestAdmitHijack(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 100_000}
	returned, conns := make(chan struct{}), make(chan net.Conn, 1)
	handler := basinhttp.Admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if s := limit.Stats(); s.Reserved != 60_000 {
			t.Errorf("reserved: %d", s.Reserved)
		}
		conns <- conn
	}), basinhttp.Admission{Limit: limit, Reserve: func(*http.Request) int64 { return 60_000 }})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(returned)
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	client, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	conn := <-conns
	defer conn.Close()
	<-returned
	empty(t, limit)
	fmt.Fprint(conn, "still open\n")
	if line, err := bufio.NewReader(client).ReadString('\n'); err != nil || line != "still open\n" {
		t.Errorf("%q, %v", line, err)
	}
}

// TestAdmitCancelled: a client that goes while its request waits leaves the queue.
func TestAdmitCancelled(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 1000}
	var calls atomic.Int32
	server := admitted(t, basinhttp.Admission{Limit: limit, Wait: time.Hour, Reserve: func(*http.Request) int64 { return 1000 }}, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	server.Start()
	all, err := limit.Acquire(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			r, err := http.NewRequestWithContext(ctx, "POST", server.URL, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if response, err := server.Client().Do(r); err == nil {
				response.Body.Close()
				t.Errorf("it was served: %d", response.StatusCode)
			}
		})
	}
	for limit.Stats().Waiting < 20 {
		runtime.Gosched()
	}
	cancel()
	clients.Wait()
	for limit.Stats().Waiting > 0 {
		runtime.Gosched()
	}
	all.Release()
	response, err := server.Client().Post(server.URL, "", nil)
	if status, _ := answer(t, response, err); status != 200 || calls.Load() != 1 {
		t.Errorf("status %d, %d calls", status, calls.Load())
	}
}

// TestAdmitUploads sends 200 uploads at once, declared and chunked, over HTTP/1 and HTTP/2, with room for a few of them.
// All are served, with every byte right, or refused by name; and used and reserved stay below the maximum.
func TestAdmitUploads(t *testing.T) {
	const size, most = 300_000, 4 << 20
	for _, tls := range []bool{false, true} {
		for _, unknown := range []int64{0, 1 << 20} {
			t.Run(fmt.Sprintf("HTTP/2=%v/Unknown=%d", tls, unknown), func(t *testing.T) {
				limit := &basin.Limit{Name: t.Name(), Max: most}
				bodies := &basin.BytePool{Name: t.Name(), Limit: limit}
				server := admitted(t, basinhttp.Admission{Limit: limit, Max: 1 << 20, Unknown: unknown, Wait: time.Hour}, func(w http.ResponseWriter, r *http.Request) {
					pool := basin.ReservationOf(r.Context()).Pool(bodies)
					body, err := pool.ReadAllSize(r.Body, r.ContentLength)
					if s := limit.Stats(); s.Bytes.InUse+s.Reserved > most {
						t.Errorf("%d in use and %d reserved", s.Bytes.InUse, s.Reserved)
					}
					if err != nil {
						if !basinhttp.Refuse(w, err) {
							t.Error(err)
						}
						return
					}
					w.Write(body)
					pool.Put(body)
				})
				if tls {
					server.StartTLS()
				} else {
					server.Start()
				}
				server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 200
				var served, refused atomic.Int32
				var clients sync.WaitGroup
				for i := range 200 {
					clients.Go(func() {
						sent := strings.Repeat(string(rune('a'+i%26)), size)
						var body io.Reader = strings.NewReader(sent)
						if i%2 > 0 {
							body = chunked(sent)
						}
						response, err := server.Client().Post(server.URL, "", body)
						switch status, text := answer(t, response, err); {
						case status == 200 && text == sent:
							served.Add(1)
						case status == 503 && i%2 > 0 && response.Header.Get("Retry-After") != "":
							refused.Add(1)
						default:
							t.Errorf("upload %d: status %d, %d bytes", i, status, len(text))
						}
					})
				}
				clients.Wait()
				if n := served.Load(); n < 100 || unknown > 0 && n < 200 {
					t.Errorf("%d are served", n)
				}
				s := limit.Stats()
				if s.PeakInUse.Bytes > most || s.Beyond > 0 {
					t.Errorf("the peak is %d, %d went beyond", s.PeakInUse.Bytes, s.Beyond)
				}
				t.Logf("%d served, %d refused, %d waited", served.Load(), refused.Load(), s.Waited)
			})
		}
	}
}

// TestRefuse has errors that are its own, and others.
func TestRefuse(t *testing.T) {
	limit := &basin.Limit{Max: 100}
	_, full := (&basin.BytePool{Limit: limit}).ReadAll(bytes.NewReader(make([]byte, 1000)))
	for _, tt := range []struct {
		err    error
		status int
	}{
		{full, 503},
		{fmt.Errorf("reading: %w", &http.MaxBytesError{Limit: 7}), 413},
		{io.ErrUnexpectedEOF, 0},
		{nil, 0},
	} {
		w := httptest.NewRecorder()
		w.Code = 0
		if ok := basinhttp.Refuse(w, tt.err); w.Code != tt.status || ok != (tt.status > 0) || (w.Code == 503) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%v: %v, status %d, header %v", tt.err, ok, w.Code, w.Header())
		}
	}
}
