//go:build go1.25

package basinhttp

import (
	"bufio"
	"io"
	"maps"
	"net"
	"net/http"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/guard"
)

// Catch returns a handler that calls next under [basincheck.Catch]. If next touches guarded
// memory after its Put, or beyond its capacity, that is reported, and only this request fails:
// with status 500, or if next has written something, with an aborted connection, as by
// [http.ErrAbortHandler]. Goroutines that next starts are not covered.
//
// Middleware that recovers from panics must be outside, or it gets the fault. If no level of
// checks had guarded memory yet, Catch only calls next.
func Catch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !guard.On() {
			next.ServeHTTP(w, r)
			return
		}
		t, before := &tried{ResponseWriter: w}, w.Header().Clone()
		if basincheck.Catch(func() { next.ServeHTTP(t.writer(), r) }) == nil {
			return
		}
		if t.conn != nil { // which net/http leaves open
			t.conn.Close()
		}
		if t.written {
			panic(http.ErrAbortHandler)
		}
		header := w.Header()
		clear(header) // next has set the others for the answer that has failed
		maps.Copy(header, before)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	})
}

// tried is a ResponseWriter that knows whether something was written.
type tried struct {
	http.ResponseWriter
	written bool
	conn    net.Conn // of Hijack
}

func (t *tried) WriteHeader(status int) {
	// The others with one hundred may be followed by the real one.
	t.written = t.written || status >= 200 || status == http.StatusSwitchingProtocols
	t.ResponseWriter.WriteHeader(status)
}

func (t *tried) Write(b []byte) (int, error) {
	t.written = true
	return t.ResponseWriter.Write(b)
}

func (t *tried) WriteString(s string) (int, error) {
	t.written = true
	return io.WriteString(t.ResponseWriter, s)
}

// ReadFrom keeps the way to copy of the writer beneath, such as sendfile.
func (t *tried) ReadFrom(r io.Reader) (int64, error) {
	t.written = true
	return io.Copy(t.ResponseWriter, r)
}

// FlushError is for [http.ResponseController].
func (t *tried) FlushError() error {
	t.written = true
	return http.NewResponseController(t.ResponseWriter).Flush()
}

// Unwrap is for the other methods of [http.ResponseController].
func (t *tried) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// writer returns t with those optional methods that the writer beneath has.
func (t *tried) writer() http.ResponseWriter {
	_, flushes := t.ResponseWriter.(http.Flusher)
	_, hijacks := t.ResponseWriter.(http.Hijacker)
	pusher, pushes := t.ResponseWriter.(http.Pusher)
	switch {
	case flushes && hijacks:
		return struct {
			*tried
			flusher
			hijacker
		}{t, flusher{t}, hijacker{t}}
	case flushes && pushes:
		return struct {
			*tried
			flusher
			http.Pusher
		}{t, flusher{t}, pusher}
	case flushes:
		return struct {
			*tried
			flusher
		}{t, flusher{t}}
	case hijacks:
		return struct {
			*tried
			hijacker
		}{t, hijacker{t}}
	}
	return t
}

type flusher struct{ t *tried }

func (f flusher) Flush() { f.t.FlushError() }

type hijacker struct{ t *tried }

func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := h.t.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		h.t.written, h.t.conn = true, c
	}
	return c, rw, err
}
