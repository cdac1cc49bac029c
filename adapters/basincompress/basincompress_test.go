package basincompress_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzhttp/writer/gzkp"
	"github.com/klauspost/compress/gzhttp/writer/zstdkp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/basin-go/basin/adapters/basincompress"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
)

func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "word%d ", r.IntN(500))
	}
	return b.Bytes()[:n]
}

// A kind is a kind of writer with its levels, and the matching reader.
type kind struct {
	name     string
	min, max int
	open     func(io.Writer, int) writer.ZstdWriter // or a GzipWriter, which has the same methods
	read     func(io.Reader) ([]byte, error)
}

func kinds(w *basincompress.Writers) []kind {
	g, z := w.Gzip(), w.Zstd()
	gmin, gmax := g.Levels()
	zmin, zmax := z.Levels()
	return []kind{
		{"gzip", gmin, gmax, func(dst io.Writer, level int) writer.ZstdWriter { return g.New(dst, level) },
			func(r io.Reader) ([]byte, error) {
				d, err := gzip.NewReader(r)
				if err != nil {
					return nil, err
				}
				return io.ReadAll(d)
			}},
		{"zstd", zmin, zmax, z.New,
			func(r io.Reader) ([]byte, error) {
				d, err := zstd.NewReader(r)
				if err != nil {
					return nil, err
				}
				defer d.Close()
				return io.ReadAll(d)
			}},
	}
}

func TestLevels(t *testing.T) {
	basintest.Check(t)
	for _, k := range kinds(new(basincompress.Writers)) {
		for level := k.min; level <= k.max; level++ {
			t.Run(fmt.Sprint(k.name, level), func(t *testing.T) {
				for _, size := range []int{0, 1, 100_000} {
					data := text(size)
					var dst bytes.Buffer
					w := k.open(&dst, level)
					if size > 1 {
						w.Write(data[:size/2])
						if err := w.Flush(); err != nil {
							t.Error(err)
						}
						data = append([]byte{}, data...)
						w.Write(data[size/2:])
					} else {
						w.Write(data)
					}
					if err := errors.Join(w.Close(), w.Close()); err != nil {
						t.Error(err)
					}
					length := dst.Len()
					if _, err := w.Write(data); err == nil || w.Flush() == nil || dst.Len() != length {
						t.Error("it writes after Close")
					}
					got, err := k.read(&dst)
					if err != nil || !bytes.Equal(got, data) {
						t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
					}
				}
			})
		}
	}
}

func TestHeader(t *testing.T) {
	factory := new(basincompress.Writers).Gzip()
	for _, name := range []string{"a", ""} { // the second response must not contain the first one's name
		var dst bytes.Buffer
		w := factory.New(&dst, gzip.BestSpeed)
		if name != "" {
			w.(writer.GzipWriterExt).SetHeader(writer.Header{Name: name, Comment: "c", Extra: []byte("e"), OS: 3})
		}
		w.Close()
		r, err := gzip.NewReader(&dst)
		if err != nil || r.Name != name || (r.Comment == "") != (name == "") {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestHeaderAfterClose sets a header when the compressor may already have another user.
func TestHeaderAfterClose(t *testing.T) {
	factory := new(basincompress.Writers).Gzip()
	closed := factory.New(io.Discard, gzip.BestSpeed)
	closed.Close()
	var dst bytes.Buffer
	next := factory.New(&dst, gzip.BestSpeed)
	closed.(writer.GzipWriterExt).SetHeader(writer.Header{Name: "stolen"})
	next.Close()
	if r, err := gzip.NewReader(&dst); err != nil || r.Name != "" {
		t.Errorf("the header of another: %+v, %v", r, err)
	}
}

// TestBound: of many writers that are closed at once, at most MaxItems are kept.
func TestBound(t *testing.T) {
	if pooltest.SomeChecks {
		t.Skip("checks hold back values that are put")
	}
	const level = gzip.BestSpeed
	writers := &basincompress.Writers{MaxItems: 2}
	factory := writers.Gzip()
	var open []writer.GzipWriter
	for range 5 {
		open = append(open, factory.New(io.Discard, level))
	}
	for _, w := range open {
		w.Close()
	}
	for _, s := range basinexport.Append(nil) {
		if s.Name == fmt.Sprint("gzip level ", level) && s.Items.MaxIdle == 2 {
			if s.Items.Idle != 2 || s.Drops.Full != 3 {
				t.Errorf("%+v", s)
			}
			return
		}
	}
	t.Error("the pool is not in statistics")
}

func serve(t testing.TB, body []byte, wrapper func() (func(http.Handler) http.HandlerFunc, error)) http.Handler {
	wrap, err := wrapper()
	if err != nil {
		t.Fatal(err)
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(body)
	}))
}

func ours(w *basincompress.Writers) func() (func(http.Handler) http.HandlerFunc, error) {
	return func() (func(http.Handler) http.HandlerFunc, error) {
		return gzhttp.NewWrapper(gzhttp.Implementation(w.Gzip()), gzhttp.ZstdImplementation(w.Zstd()))
	}
}

func theirs() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(
		gzhttp.Implementation(writer.GzipWriterFactory{Levels: gzkp.Levels, New: gzkp.NewWriter}),
		gzhttp.ZstdImplementation(writer.ZstdWriterFactory{Levels: zstdkp.Levels, New: zstdkp.NewWriter}))
}

// TestSame: responses equal those of unmodified gzhttp byte for byte.
func TestSame(t *testing.T) {
	basintest.Check(t)
	body := text(50_000)
	a, b := serve(t, body, theirs), serve(t, body, ours(new(basincompress.Writers)))
	for _, encoding := range []string{"gzip", "zstd", "gzip, zstd", "identity"} {
		for range 3 {
			var got [2]*httptest.ResponseRecorder
			for i, h := range []http.Handler{a, b} {
				got[i] = httptest.NewRecorder()
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Accept-Encoding", encoding)
				h.ServeHTTP(got[i], r)
			}
			if !bytes.Equal(got[0].Body.Bytes(), got[1].Body.Bytes()) || fmt.Sprint(got[0].Header()) != fmt.Sprint(got[1].Header()) {
				t.Errorf("%s: %v, %v", encoding, got[0].Header(), got[1].Header())
			}
		}
	}
}

// TestTheirs runs the tests of gzhttp with Writers in place of its own pools.
func TestTheirs(t *testing.T) {
	file := func(name, method string) string {
		return "package " + name + `

import "github.com/basin-go/basin/adapters/basincompress"

var (
	writers   basincompress.Writers
	factory   = writers.` + method + `()
	NewWriter = factory.New
	Levels    = factory.Levels
)
`
	}
	pooltest.RunTheirs(t, "github.com/klauspost/compress", map[string]string{
		"gzhttp/writer/gzkp/gzkp.go":     file("gzkp", "Gzip"),
		"gzhttp/writer/zstdkp/zstdkp.go": file("zstdkp", "Zstd"),
	}, "-short", "./gzhttp")
}

func BenchmarkServe(b *testing.B) {
	for _, encoding := range []string{"gzip", "zstd"} {
		for _, size := range []int{2_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", encoding, size), func(b *testing.B) {
				body := text(size)
				run := func(h http.Handler) func(int) {
					r := httptest.NewRequest("GET", "/", nil)
					r.Header.Set("Accept-Encoding", encoding)
					return func(n int) {
						for range n {
							h.ServeHTTP(httptest.NewRecorder(), r)
						}
					}
				}
				pooltest.Compare(b, 2_000_000/(size+10_000), run(serve(b, body, theirs)), run(serve(b, body, ours(new(basincompress.Writers)))))
			})
		}
	}
}
