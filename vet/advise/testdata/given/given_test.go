package corpus

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const text = "first\nsecond\nthird\n"

// TestReaders reads from plain readers, and from a bufio.Reader, which may have the rest afterwards.
func TestReaders(t *testing.T) {
	for name, f := range map[string]func(io.Reader) (string, error){"First": First, "FirstOf": FirstOf, "Within": Within,
		"Twice":      func(r io.Reader) (string, error) { return Twice(r, r) },
		"FirstSized": func(r io.Reader) (string, error) { return FirstSized(r, 50) }, "FirstHere": FirstHere, "Any": Any[io.Reader],
		"OfBody": func(r io.Reader) (string, error) { return OfBody(&http.Response{Body: io.NopCloser(r)}) },
		"OfCall": func(r io.Reader) (string, error) { return OfCall(func() io.Reader { return r }) },
	} {
		for range 3 {
			want, err := f(strings.NewReader(text))
			if !strings.HasPrefix(want, "first\n") || err != nil && name != "Twice" {
				t.Error(name, want, err)
			}
		}
	}
	for range 3 {
		large := bufio.NewReader(strings.NewReader(text))
		for _, want := range []string{"first\n", "second\n", "third\n"} {
			if s, err := First(large); s != want || err != nil {
				t.Errorf("First of a bufio.Reader: %q, %v", s, err)
			}
		}
		large.Reset(strings.NewReader(text))
		if s, err := Twice(large, large); s != "first\nsecond\n" || err != nil { // the second reader has twice the size
			t.Errorf("Twice of a bufio.Reader: %q, %v", s, err)
		}
		little := bufio.NewReaderSize(strings.NewReader(text), 16)
		if s, err := FirstOf(little); s != "first\n" || err != nil {
			t.Errorf("FirstOf of a small one: %q, %v", s, err)
		}
		if s, err := FirstOf(little); s != "" && s != "second\n" {
			t.Errorf("FirstOf again: %q, %v", s, err)
		}
		exact := bufio.NewReaderSize(strings.NewReader(text), small)
		for _, want := range []string{"first\n", "second\n"} {
			if s, err := FirstOf(exact); s != want || err != nil {
				t.Errorf("FirstOf of its size: %q, %v", s, err)
			}
		}
	}
}

// TestWritten writes to a plain writer, and to a bufio.Writer, which it does not flush.
func TestWritten(t *testing.T) {
	for range 3 {
		var out bytes.Buffer
		if err := Written(&out, text); err != nil || out.String() != text {
			t.Errorf("%q, %v", out.String(), err)
		}
		out.Reset()
		b := bufio.NewWriter(&out)
		if err := Written(b, text); err != nil || out.Len() > 0 || b.Buffered() != len(text) {
			t.Errorf("a bufio.Writer: %q, %v", out.String(), err)
		}
		small := bufio.NewWriterSize(&out, 16)
		if err := Written(small, text); err != nil || small.Flush() != nil || out.String() != text {
			t.Errorf("a small one: %q, %v", out.String(), err)
		}
	}
}

// TestDecoders has decoders of plain readers, and of readers of bytes, which they leave at the end of a value.
func TestDecoders(t *testing.T) {
	for range 3 {
		if n, err := Fields(strings.NewReader("a,b\nc\n")); n != 2 || err != nil {
			t.Error(n, err)
		}
		if n, err := FieldsOfBody(&http.Response{Body: io.NopCloser(strings.NewReader("a,b\n"))}); n != 2 || err != nil {
			t.Error(n, err)
		}
		b := bufio.NewReader(strings.NewReader("a,b\nc,d,e\nf\n"))
		for _, want := range []int{2, 3, 1} {
			if n, err := Fields(b); n != want || err != nil {
				t.Error("of a bufio.Reader:", n, err)
			}
		}
		var out bytes.Buffer
		for n := range 3 {
			fmt.Fprintf(&out, "<int>%d</int>", n+5)
		}
		if n, err := Number(struct{ io.Reader }{bytes.NewReader(out.Bytes())}); n != 5 || err != nil {
			t.Error(n, err)
		}
		for want := range 3 {
			if n, err := Number(&out); n != want+5 || err != nil {
				t.Error("of a reader of bytes:", n, err)
			}
		}
	}
}

// TestPictures encodes images of several sizes, which are the same each time.
func TestPictures(t *testing.T) {
	var first string
	for range 3 {
		var out bytes.Buffer
		for _, size := range []int{90, 7, 33} {
			m := image.NewRGBA(image.Rect(0, 0, size, size))
			for i := range m.Pix {
				m.Pix[i] = byte(i * size)
			}
			if err := Picture(&out, m); err != nil {
				t.Error(err)
			}
			if err := Pictures(&out, []image.Image{m, image.NewGray(m.Rect)}); err != nil {
				t.Error(err)
			}
			if err := Simple(&out, m); err != nil {
				t.Error(err)
			}
			if err := Picture(failing{}, m); err == nil {
				t.Error("a failing writer")
			}
		}
		if first == "" {
			first = out.String()
		} else if out.String() != first {
			t.Error("the images differ")
		}
	}
}

type failing struct{}

func (failing) Write(p []byte) (int, error) { return 0, io.ErrShortWrite }

// TestSameCarried has compressors and the like in fields of structs do what they did before the patch.
func TestSameCarried(t *testing.T) {
	unzipped := func(b []byte) string {
		t.Helper()
		zr, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(zr)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, text := range []string{"a text", "another", ""} {
		serve := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
		for name, h := range map[string]http.Handler{"Zipped": Zipped(serve), "Flushed": &Flushed{http.HandlerFunc(serve)}, "Headed": Headed(text)} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
			if got := unzipped(w.Body.Bytes()); got != text {
				t.Errorf("%s: %q, want %q", name, got, text)
			}
		}
		var out bytes.Buffer
		sum := Summed(&out, strings.NewReader(text))
		if want := sha256.Sum256([]byte(text + "end")); !bytes.Equal(sum, want[:]) || out.String() != text+"end" {
			t.Errorf("Summed: %x, want %x, and %q", sum, want, &out)
		}
		out.Reset()
		Chosen(&out, text, true)
		if got := unzipped(out.Bytes()); got != text {
			t.Errorf("Chosen: %q, want %q", got, text)
		}
		if n := Drained(io.NopCloser(strings.NewReader(text))); n != int64(len(text)) {
			t.Errorf("Drained: %d", n)
		}
	}
}
