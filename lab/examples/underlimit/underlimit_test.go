package underlimit_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/lab/examples/underlimit"
)

const most = 100_000 // Max of the server

// stored counts the bytes that are stored, by their first one and by name.
type stored struct {
	sync.Mutex
	bytes map[string]int
}

func (s *stored) store(name string, data []byte) error {
	s.Lock()
	defer s.Unlock()
	for i := range data {
		if data[i] != data[0] {
			return fmt.Errorf("%w: byte %d is %q", underlimit.ErrStore, i, data[i])
		}
	}
	s.bytes[name] += len(data)
	return nil
}

func serve(t *testing.T, limit int64) (*httptest.Server, *basin.Limit, *stored) {
	t.Helper()
	all := &basin.Limit{Name: t.Name(), Max: limit}
	s := &stored{bytes: map[string]int{}}
	server := httptest.NewServer((&underlimit.Server{
		Bodies: &basin.BytePool{Name: t.Name(), Limit: all}, Max: most, Wait: time.Hour, Store: s.store,
	}).Handler())
	t.Cleanup(func() {
		server.Close()
		if f := all.Stats(); f.Bytes.InUse != 0 || f.Reserved != 0 || f.Beyond != 0 || f.PeakInUse.Bytes > limit || f.Lost.Items != 0 {
			t.Errorf("in the end there are %v", f)
		}
	})
	return server, all, s
}

func compressed(t testing.TB, n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(bytes.Repeat([]byte("z"), n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// form returns a multipart form of parts of n bytes, and its content type.
func form(t testing.TB, n, parts int) ([]byte, string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for range parts {
		part, err := w.CreateFormFile("file", "x")
		if err != nil {
			t.Fatal(err)
		}
		part.Write(bytes.Repeat([]byte("f"), n))
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// texts returns a JSON array of strings, of n bytes each.
func texts(n, count int) []byte {
	all := make([]string, count)
	for i := range all {
		all[i] = strings.Repeat("j", n)
	}
	b, _ := json.Marshal(all)
	return b
}

func TestForms(t *testing.T) {
	server, _, s := serve(t, 1<<20)
	parts, multipart := form(t, 30_000, 3)
	long, longMultipart := form(t, 60_000, 2)
	for _, tt := range []struct {
		name, path, kind string
		body             []byte
		status           int
		stored           string
		bytes            int
	}{
		{"nothing", "/raw", "", nil, 200, "raw", 0},
		{"a body", "/raw", "", bytes.Repeat([]byte("r"), most), 200, "raw", most},
		{"a long body", "/raw", "", bytes.Repeat([]byte("r"), most+1), 413, "raw", 0},
		{"JSON", "/json", "", texts(1000, 90), 200, "json", 90_000},
		{"no JSON", "/json", "", []byte("["), 400, "json", 0},
		{"gzip", "/gzip", "", compressed(t, most), 200, "gzip", most},
		{"a bomb", "/gzip", "", compressed(t, 50_000_000), 413, "gzip", 0},
		{"cut gzip", "/gzip", "", compressed(t, most)[:50], 400, "gzip", 0},
		{"no gzip", "/gzip", "", []byte("no gzip"), 400, "gzip", 0},
		{"parts", "/form", multipart, parts, 200, "file", 90_000},
		{"long parts", "/form", longMultipart, long, 413, "file", 0},
		{"no parts", "/form", "text/plain", []byte("x"), 400, "file", 0},
		{"it cannot be stored", "/raw", "", []byte("ab"), 502, "raw", 0},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/chunked=%v", tt.name, chunked), func(t *testing.T) {
				clear(s.bytes)
				body := io.Reader(bytes.NewReader(tt.body))
				if chunked {
					body = io.MultiReader(body)
				}
				response, err := http.Post(server.URL+tt.path, tt.kind, body)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode != tt.status {
					t.Errorf("status %d, %s", response.StatusCode, text)
				}
				if n := s.bytes[tt.stored]; n != tt.bytes && !(chunked && tt.name == "long parts" && n == 60_000) { // the first part was stored
					t.Errorf("%d bytes are stored, want %d", n, tt.bytes)
				}
			})
		}
	}
}

// TestAllAtOnce has 200 requests of all forms at once, with room for a few. All are served.
func TestAllAtOnce(t *testing.T) {
	server, all, s := serve(t, 1<<20)
	parts, multipart := form(t, 30_000, 3)
	bodies := []struct {
		path, kind string
		body       []byte
	}{{"/raw", "", bytes.Repeat([]byte("r"), most)}, {"/json", "", texts(1000, 90)}, {"/gzip", "", compressed(t, most)}, {"/form", multipart, parts}}
	var served atomic.Int32
	var clients sync.WaitGroup
	for i := range 200 {
		clients.Go(func() {
			b := bodies[i%4]
			body := io.Reader(bytes.NewReader(b.body))
			if i%8 > 3 {
				body = io.MultiReader(body) // chunked
			}
			response, err := http.Post(server.URL+b.path, b.kind, body)
			if err != nil {
				t.Error(err)
				return
			}
			text, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != 200 {
				t.Errorf("%s: status %d, %s", b.path, response.StatusCode, text)
			}
			served.Add(1)
		})
	}
	clients.Wait()
	for name, want := range map[string]int{"raw": 50 * most, "json": 50 * 90_000, "gzip": 50 * most, "file": 50 * 90_000} {
		if s.bytes[name] != want {
			t.Errorf("%d bytes of %s are stored, want %d", s.bytes[name], name, want)
		}
	}
	t.Logf("%d served, %d waited, peak %d", served.Load(), all.Stats().Waited, all.Stats().PeakInUse.Bytes)
}
