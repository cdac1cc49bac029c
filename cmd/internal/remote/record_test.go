package remote_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/trace"
)

// A usingWriter uses a pool when the handler asks for the header, which it does once it
// records.
type usingWriter struct {
	http.ResponseWriter
	use func()
}

func (w usingWriter) Header() http.Header {
	w.use()
	return w.ResponseWriter.Header()
}

func (w usingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestRecord(t *testing.T) {
	h := basinhttp.Handler(basinhttp.AllowRecord())
	p := &basin.BytePool{Name: t.Name()}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(usingWriter{w, func() { p.Put(p.Get(77)) }}, r)
	}))
	defer s.Close()
	var file bytes.Buffer
	got, err := patient(t, s.URL).Record(t.Context(), time.Millisecond, 1, &file)
	if err != nil || !got.Complete || len(got.Acquisitions) == 0 || got.Acquisitions[0].Size != 77 {
		t.Fatalf("%+v, error %v", got, err)
	}
	z, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := trace.Read(z); err != nil || len(again.Acquisitions) != len(got.Acquisitions) {
		t.Errorf("the file has another trace: %+v, error %v", again, err)
	}
}

// TestRecordHostile has servers whose answers are not traces.
func TestRecordHostile(t *testing.T) {
	const begin = "basin trace 1\nH\x01\x01P\x01\x00\x00"
	answers := func(kind, data, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, data)
			for chunk := strings.Repeat(more, 10_000); more != ""; {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"not there", http.NotFound, "404 Not Found"},
		{"not allowed", basinhttp.Handler().ServeHTTP, "does not allow recording"},
		{"a long refusal", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "\x1b[2J"+strings.Repeat("x", 1<<20), http.StatusForbidden)
		}, "403 Forbidden"},
		{"a page", answers("text/html", "<html>", ""), "not with a trace"},
		{"not a trace", answers(trace.MediaType, "hello", ""), "not a trace"},
		{"acquisitions without end", answers(trace.MediaType, begin, "b\x01\x01\x01\x00"), "more than"},
		{"blanks without end", answers(trace.MediaType, "", " "), "not a trace"},
		{"zipped", zipped(answers(trace.MediaType, begin, "")), "compresses its answer"},
		{"an end within a record", answers(trace.MediaType, begin+"a\x01", ""), "breaks off"},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			answers(trace.MediaType, begin, "")(w, r)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "has not ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !pooltest.Long() && tt.name == "acquisitions without end" {
				t.Skip("it takes seconds to read as many as are read")
			}
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			defer s.CloseClientConnections()
			source, err := remote.NewSource(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "no end" {
				source.SetTimeout(50 * time.Millisecond)
			} else {
				source.SetTimeout(time.Hour)
			}
			_, err = source.Record(t.Context(), time.Millisecond, 1, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
			if strings.ContainsRune(err.Error(), 0x1b) || len(err.Error()) > 2000 {
				t.Errorf("the error is not fit to print: %q", err)
			}
		})
	}
}
