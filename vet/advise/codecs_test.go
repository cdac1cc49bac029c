package advise

import (
	"slices"
	"strings"
	"testing"
)

// TestReasonsOfCodecs has compressors of other modules, which Reset makes like new. An interface may hold them, and io.CopyN
// may have them allocate.
func TestReasonsOfCodecs(t *testing.T) {
	const (
		s2     = "github.com/klauspost/compress/s2."
		brotli = "github.com/andybalholm/brotli."
		snappy = "github.com/golang/snappy."
		lz4    = "github.com/pierrec/lz4/v4."
	)
	writer := func(pkg, more string) string {
		return "package " + pkg + `

import "io"

type Writer struct{ w io.Writer }

func (z *Writer) Write(b []byte) (int, error) { return z.w.Write(b) }

func (z *Writer) Close() error { return nil }

func (z *Writer) Reset(w io.Writer) { z.w = w }

type Reader struct{ r io.Reader }

func (z *Reader) Read(b []byte) (int, error) { return z.r.Read(b) }

func NewReader(r io.Reader) *Reader { return &Reader{r} }
` + more
	}
	plain := "\nfunc NewWriter(w io.Writer) *Writer { return &Writer{w} }\n"
	again := "\nfunc (z *Reader) Reset(r io.Reader) { z.r = r }\n"
	r := judgedWith(t, map[string]string{
		"go.mod": goMod(t, "a.example") + `
require (
	github.com/andybalholm/brotli v1.0.0
	github.com/golang/snappy v1.0.0
	github.com/klauspost/compress v1.0.0
	github.com/pierrec/lz4/v4 v4.0.0
)

replace (
	github.com/andybalholm/brotli => ./brotli
	github.com/golang/snappy => ./snappy
	github.com/klauspost/compress => ./compress
	github.com/pierrec/lz4/v4 => ./lz4
)
`,
		"brotli/go.mod":   "module github.com/andybalholm/brotli\n\ngo 1.25.0\n",
		"snappy/go.mod":   "module github.com/golang/snappy\n\ngo 1.25.0\n",
		"compress/go.mod": "module github.com/klauspost/compress\n\ngo 1.25.0\n",
		"lz4/go.mod":      "module github.com/pierrec/lz4/v4\n\ngo 1.25.0\n",
		"brotli/a.go": writer("brotli", plain+`
func NewWriterLevel(w io.Writer, level int) *Writer { return &Writer{w} }

func (z *Reader) Reset(r io.Reader) error { z.r = r; return nil }
`),
		"snappy/a.go": writer("snappy", again+"\nfunc NewBufferedWriter(w io.Writer) *Writer { return &Writer{w} }\n"),
		"compress/s2/a.go": writer("s2", again+`
type WriterOption func(*Writer) error

func WriterConcurrency(n int) WriterOption { return nil }

func WriterBetterCompression() WriterOption { return nil }

func NewWriter(w io.Writer, opts ...WriterOption) *Writer { return &Writer{w} }

func (z *Writer) EncodeBuffer(b []byte) error { return nil }
`),
		"lz4/a.go": writer("lz4", plain+again+`
type Option func(any) error

func (z *Writer) Apply(options ...Option) error { return nil }
`),
	}, `package p

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"
)

func copied(b []byte, fast bool) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	switch fast {
	case true:
		w = s2.NewWriter(&out)
	default:
		return nil, errors.New("slow")
	}
	_, err := io.CopyN(w, bytes.NewReader(b), int64(len(b))) // io.CopyN, io.copyBuffer, `+s2+`(*Writer).ReadFrom: pool it; The memory does not leave copied.$
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

func options(out io.Writer, b []byte) error {
	w := s2.NewWriter(out, s2.WriterBetterCompression(), s2.WriterConcurrency(1)) // `+s2+`NewWriter: pool it; The memory does not leave options.$
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

func unknown(out io.Writer, b []byte, n int) error {
	w := s2.NewWriter(out, s2.WriterConcurrency(n)) // `+s2+`NewWriter: pool it; The memory does not leave unknown. There is no patch: its settings are no constants.
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

func later(w *s2.Writer, n int) error {
	b := make([]byte, n) // : needs an owner; The memory leaves later: it is passed to (*s2.Writer).EncodeBuffer, which keeps it.
	return w.EncodeBuffer(b)
}

func read(in io.Reader, out io.Writer) error {
	_, err := io.Copy(out, s2.NewReader(in)) // `+s2+`NewReader: pool it; The memory does not leave read.$
	return err
}

func level(out io.Writer, b []byte) error {
	w := brotli.NewWriterLevel(out, brotli11) // `+brotli+`NewWriterLevel: pool it; The memory does not leave level.$
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

const brotli11 = 11

func unbrotli(in io.Reader, out io.Writer) error {
	r := brotli.NewReader(in) // `+brotli+`NewReader: pool it; The memory does not leave unbrotli.$
	_, err := io.Copy(out, r)
	return err
}

func buffered(out io.Writer, b []byte) error {
	w := snappy.NewBufferedWriter(out) // `+snappy+`NewBufferedWriter: pool it; The memory does not leave buffered.$
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

func applied(out io.Writer, b []byte, options ...lz4.Option) error {
	w := lz4.NewWriter(out) // `+lz4+`NewWriter: needs an owner; The memory may leave applied: it is passed to (*lz4.Writer).Apply
	if err := w.Apply(options...); err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

func framed(out io.Writer, b []byte) error {
	w := lz4.NewWriter(out) // `+lz4+`NewWriter: pool it; The memory does not leave framed.$
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}
`, nil)
	for function, want := range map[string]string{
		"copied":   "wWriter := copiedW.Get()",
		"options":  "New: func() *s2.Writer { return s2.NewWriter(nil, s2.WriterBetterCompression(), s2.WriterConcurrency(1)) }",
		"read":     "readReader.Get()",
		"level":    "return brotli.NewWriterLevel(nil, brotli11) }",
		"unbrotli": "return new(brotli.Reader) }",
		"buffered": "return snappy.NewBufferedWriter(nil) }",
		"framed":   "return lz4.NewWriter(nil) }",
	} {
		if !slices.ContainsFunc(r.Sites, func(s *Site) bool { return s.short() == function && strings.Contains(s.Diff, want) }) {
			t.Errorf("%s lacks the patch %s", function, want)
			for _, s := range r.Sites {
				if s.short() == function {
					t.Log(s.Diff)
				}
			}
		}
	}
}

// TestReasonsOfLZW has compressors of compress/lzw, which are of types with Reset, and memory that has no line of its own.
func TestReasonsOfLZW(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"bytes"
	"compress/lzw"
	"image/color"
	"io"
)

func compress(b []byte) ([]byte, error) {
	var buf bytes.Buffer
	w := lzw.NewWriter(&buf, lzw.LSB, 8) // compress/lzw.NewWriter: pool it; The memory does not leave compress.$
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func decompress(b []byte, out io.Writer) error {
	r := lzw.NewReader(bytes.NewReader(b), lzw.LSB, 8) // compress/lzw.NewReader: pool it; The memory does not leave decompress.$
	defer r.Close()
	_, err := io.Copy(out, r)
	return err
}

func pixels(list []color.Color, b byte) {
	list[0] = color.RGBA{b, b, b, b} // : not judged; This is an interface value, which is no buffer to reuse.$
}

func literals(out chan func() int, n int) {
	out <- func() int { return n } // : not judged; This is a function literal, which is no buffer to reuse.$
}

func array(r io.Reader) (n int) {
	var b [4096]byte // : pool it; The memory does not leave array. There is no patch: it is an array: make a slice of its size instead.
	n, _ = r.Read(b[:])
	return n
}
`, nil)
	for function, want := range map[string]string{
		"compress":   "+\tdefer compressW.Put(w)\n+\tw.(*lzw.Writer).Reset(&buf, lzw.LSB, 8)\n",
		"decompress": "r.(*lzw.Reader).Reset(bytes.NewReader(b), lzw.LSB, 8)\n",
	} {
		if !slices.ContainsFunc(r.Sites, func(s *Site) bool { return s.short() == function && strings.Contains(s.Diff, want) }) {
			t.Errorf("%s lacks the patch %s", function, want)
			for _, s := range r.Sites {
				if s.short() == function {
					t.Log(s.Diff)
				}
			}
		}
	}
}
