//go:build go1.25

package basinhttp

import (
	"bufio"
	"errors"
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
	err := http.NewResponseController(t.ResponseWriter).Flush()
	t.written = t.written || !errors.Is(err, http.ErrNotSupported)
	return err
}

// Unwrap is for the other methods of [http.ResponseController].
func (t *tried) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Hijack and Flush are methods of types of their own, because writer hides them.

type hijacker struct{ *tried }

func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err == nil {
		h.written, h.conn = true, c
	}
	return c, rw, err
}

type flusher struct{ *tried }

func (f flusher) Flush() { f.FlushError() }

// writer returns t with those optional methods that the writer beneath has. It also has Hijack if Unwrap leads
// to one, because that one must not be called without t.
func (t *tried) writer() http.ResponseWriter {
	type (
		writer interface { // as ResponseWriter, with the further methods of t
			http.ResponseWriter
			io.StringWriter
			io.ReaderFrom
			FlushError() error
			Unwrap() http.ResponseWriter
		}
		flush    interface{ Flush() }
		notifier interface{ CloseNotify() <-chan bool } // as the deprecated CloseNotifier
		hijack   interface {
			Hijack() (net.Conn, *bufio.ReadWriter, error)
		}
	)
	w := writer(t)
	f, h := flush(flusher{t}), hijack(hijacker{t})
	_, flushes := t.ResponseWriter.(http.Flusher)
	hijacks := leadsToHijack(t.ResponseWriter)
	push, pushes := t.ResponseWriter.(http.Pusher)
	notify, notifies := t.ResponseWriter.(notifier)
	switch [...]bool{flushes, hijacks, pushes, notifies} {
	case [...]bool{false, false, false, true}:
		return struct {
			writer
			notifier
		}{w, notify}
	case [...]bool{false, false, true, false}:
		return struct {
			writer
			http.Pusher
		}{w, push}
	case [...]bool{false, false, true, true}:
		return struct {
			writer
			http.Pusher
			notifier
		}{w, push, notify}
	case [...]bool{false, true, false, false}:
		return struct {
			writer
			hijack
		}{w, h}
	case [...]bool{false, true, false, true}:
		return struct {
			writer
			hijack
			notifier
		}{w, h, notify}
	case [...]bool{false, true, true, false}:
		return struct {
			writer
			hijack
			http.Pusher
		}{w, h, push}
	case [...]bool{false, true, true, true}:
		return struct {
			writer
			hijack
			http.Pusher
			notifier
		}{w, h, push, notify}
	case [...]bool{true, false, false, false}:
		return struct {
			writer
			flush
		}{w, f}
	case [...]bool{true, false, false, true}:
		return struct {
			writer
			flush
			notifier
		}{w, f, notify}
	case [...]bool{true, false, true, false}:
		return struct {
			writer
			flush
			http.Pusher
		}{w, f, push}
	case [...]bool{true, false, true, true}:
		return struct {
			writer
			flush
			http.Pusher
			notifier
		}{w, f, push, notify}
	case [...]bool{true, true, false, false}:
		return struct {
			writer
			flush
			hijack
		}{w, f, h}
	case [...]bool{true, true, false, true}:
		return struct {
			writer
			flush
			hijack
			notifier
		}{w, f, h, notify}
	case [...]bool{true, true, true, false}:
		return struct {
			writer
			flush
			hijack
			http.Pusher
		}{w, f, h, push}
	case [...]bool{true, true, true, true}:
		return struct {
			writer
			flush
			hijack
			http.Pusher
			notifier
		}{w, f, h, push, notify}
	}
	return t
}

// leadsToHijack reports whether an http.ResponseController of w finds a Hijacker.
func leadsToHijack(w http.ResponseWriter) bool {
	for {
		if _, ok := w.(http.Hijacker); ok {
			return true
		}
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return false
		}
		w = u.Unwrap()
	}
}
