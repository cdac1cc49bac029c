//go:build go1.25

package basinhttp_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/internal/pooltest"
)

// wrapped is a ResponseWriter of middleware that has no optional methods but Unwrap.
type wrapped struct {
	http.ResponseWriter
	beneath http.ResponseWriter
}

func (w wrapped) Unwrap() http.ResponseWriter { return w.beneath }

// late touches memory after its Put.
func late(p *basin.BytePool) {
	b := p.Get(100)
	p.Put(b)
	b[0]++
}

// TestCatch: a request whose handler touches put memory fails, and no other request. If something was
// written before, the connection is aborted.
func TestCatch(t *testing.T) {
	told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	p := &basin.BytePool{Name: "requests"}
	handlers := map[string]http.HandlerFunc{
		"/good":    func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "good") },
		"/early":   func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "4"); late(p) },
		"/hint":    func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusEarlyHints); late(p) },
		"/written": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "some"); late(p) },
		"/string":  func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "some"); late(p) },
		"/copied":  func(w http.ResponseWriter, r *http.Request) { io.Copy(w, strings.NewReader("some")); late(p) },
		"/status":  func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent); late(p) },
		"/flushed": func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); late(p) },
		"/control": func(w http.ResponseWriter, r *http.Request) { http.NewResponseController(w).Flush(); late(p) },
		"/hijacked": func(w http.ResponseWriter, r *http.Request) {
			_, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
			}
			rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			rw.Flush()
			late(p)
		},
		"/unwrapped": func(w http.ResponseWriter, r *http.Request) {
			_, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
			}
			rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			rw.Flush()
			late(p)
		},
		"/abort":   func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
		"/nil":     func(w http.ResponseWriter, r *http.Request) { var n *int; *n = 1 },
		"/recover": func(w http.ResponseWriter, r *http.Request) { defer func() { recover() }(); late(p) },
	}
	mux := http.NewServeMux()
	for path, h := range handlers {
		mux.Handle(path, h)
	}
	for _, http2 := range []bool{false, true} {
		caught := basinhttp.Catch(mux)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/unwrapped" { // below middleware
				w = wrapped{w, w}
			}
			caught.ServeHTTP(w, r)
		}))
		server.EnableHTTP2 = http2
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		for _, tt := range []struct {
			path    string
			status  int // 0 for an aborted connection
			reports int
		}{
			{"/good", 200, 0},
			{"/early", 500, 1},
			{"/hint", 500, 1},
			{"/written", 0, 1},
			{"/string", 0, 1},
			{"/copied", 0, 1},
			{"/status", 0, 1},
			{"/flushed", 0, 1},
			{"/control", 0, 1},
			{"/hijacked", 0, 1},
			{"/unwrapped", 0, 1},
			{"/abort", 0, 0},
			{"/nil", 0, 0},
			{"/recover", 200, 0},
			{"/good", 200, 0},
		} {
			if http2 && (tt.path == "/hijacked" || tt.path == "/unwrapped") {
				continue
			}
			status := 0
			r, err := server.Client().Post(server.URL+tt.path, "", nil) // a client may repeat a Get
			if err == nil {
				if _, err = io.Copy(io.Discard, r.Body); err == nil {
					status = r.StatusCode
				}
				r.Body.Close()
			}
			if status != tt.status {
				t.Errorf("HTTP/2 %v: %s: status %d, want %d (%v)", http2, tt.path, status, tt.status, err)
			}
			got := told.Take()
			if len(got) != tt.reports {
				t.Errorf("HTTP/2 %v: %s: %d reports, want %d: %v", http2, tt.path, len(got), tt.reports, got)
			}
			for _, r := range got {
				f := r.Here.Frames()[0]
				if r.Kind != basincheck.UseAfterPut || r.Offset != 0 || !strings.HasSuffix(f.Function, ".late") || !pooltest.InCaller(r.FirstPut) || !pooltest.InCaller(r.Acquired) {
					t.Errorf("%s: %v", tt.path, r)
				}
			}
		}
	}
}

// TestCatchWriter: handlers find the optional methods of the writer beneath, and no others.
func TestCatchWriter(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	type notifier interface{ CloseNotify() <-chan bool }
	rec := httptest.NewRecorder()
	for _, w := range []http.ResponseWriter{
		struct {
			http.ResponseWriter
		}{rec},
		struct {
			http.ResponseWriter
			notifier
		}{rec, nil},
		struct {
			http.ResponseWriter
			http.Pusher
		}{rec, nil},
		struct {
			http.ResponseWriter
			http.Pusher
			notifier
		}{rec, nil, nil},
		struct {
			http.ResponseWriter
			http.Hijacker
		}{rec, nil},
		struct {
			http.ResponseWriter
			http.Hijacker
			notifier
		}{rec, nil, nil},
		struct {
			http.ResponseWriter
			http.Hijacker
			http.Pusher
		}{rec, nil, nil},
		struct {
			http.ResponseWriter
			http.Hijacker
			http.Pusher
			notifier
		}{rec, nil, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
		}{rec, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			notifier
		}{rec, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			http.Pusher
		}{rec, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			http.Pusher
			notifier
		}{rec, nil, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
		}{rec, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			notifier
		}{rec, nil, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			http.Pusher
		}{rec, nil, nil, nil},
		struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			http.Pusher
			notifier
		}{rec, nil, nil, nil, nil},
	} {
		basinhttp.Catch(http.HandlerFunc(func(inner http.ResponseWriter, r *http.Request) {
			methods := func(w http.ResponseWriter) (all [4]bool) {
				_, all[0] = w.(http.Flusher)
				_, all[1] = w.(http.Hijacker)
				_, all[2] = w.(http.Pusher)
				_, all[3] = w.(notifier)
				return all
			}
			if got, want := methods(inner), methods(w); got != want {
				t.Errorf("%T: %v, want %v", w, got, want)
			}
			if u, ok := inner.(interface{ Unwrap() http.ResponseWriter }); !ok || u.Unwrap() != w {
				t.Errorf("%T: Unwrap does not lead to it", w)
			}
		})).ServeHTTP(w, nil)
	}
}

// TestCatchHeader: an answer that has failed has no header of the handler.
func TestCatchHeader(t *testing.T) {
	told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	w := httptest.NewRecorder()
	w.Header().Set("X-Outside", "1")
	basinhttp.Catch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Cache-Control", "max-age=3600")
		b := basin.Get(100)
		basin.Put(b)
		b[0]++ //basin:ok on purpose
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 || w.Header().Get("Content-Encoding") != "" || w.Header().Get("Cache-Control") != "" || w.Header().Get("X-Outside") != "1" || len(told.Take()) != 1 {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
}

// TestCatchFlush: a flush that is not supported sends nothing, so the request fails with status 500.
func TestCatchFlush(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	w := httptest.NewRecorder()
	basinhttp.Catch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("flush: %v", err)
		}
		late(&basin.BytePool{})
	})).ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 {
		t.Errorf("status %d", w.Code)
	}
}
