package corpus

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"hash"
	"io"
	"net/http"
)

// A zippedWriter has a compressor in a field.
type zippedWriter struct {
	io.Writer
	http.ResponseWriter
}

func (w zippedWriter) Write(b []byte) (int, error) {
	return w.Writer.Write(b) // want pool it by compress/gzip.(*Writer).Write; patch; 800000
}

// Zipped relies on the contract of handlers: they use no ResponseWriter after they return.
func Zipped(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		gz := gzip.NewWriter(w)
		defer func() { _ = gz.Close() }() // want pool it by compress/gzip.(*Writer).Close; patch; 4096
		fn(zippedWriter{Writer: gz, ResponseWriter: w}, r)
	}
}

type flushedWriter struct {
	gz *gzip.Writer
	http.ResponseWriter
	wrote int
}

func (w *flushedWriter) Write(b []byte) (int, error) {
	w.wrote += len(b)
	return w.gz.Write(b) // want pool it by compress/gzip.(*Writer).Write; patch; 800000
}

func (w *flushedWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *flushedWriter) Flush() {
	w.gz.Flush()
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

func (w *flushedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flushed makes one for some requests.
type Flushed struct{ Next http.Handler }

func (z *Flushed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rw := w
	if r.Method == http.MethodGet {
		gz := gzip.NewWriter(w)
		defer gz.Close()
		rw = &flushedWriter{gz: gz, ResponseWriter: w}
	}
	z.Next.ServeHTTP(rw, r)
}

// Headed is a handler that its package gives to another, so that its calls are known.
func Headed(text string) http.Handler {
	return headed(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
	})
}

func headed(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		gz := gzip.NewWriter(w) // want pool it by compress/gzip.NewWriter; patch; 800000
		defer gz.Close()
		fn(&headedWriter{gz, w}, r)
	}
}

type headedWriter struct {
	io.Writer
	http.ResponseWriter
}

func (w *headedWriter) Write(b []byte) (int, error) { return w.Writer.Write(b) }

// A summed has a hash beside a writer.
type summed struct {
	io.Writer
	h hash.Hash
}

func (s *summed) Write(b []byte) (int, error) {
	s.h.Write(b)
	return s.Writer.Write(b)
}

// Summed gives it to functions of the standard library and of the package.
func Summed(w io.Writer, r io.Reader) []byte {
	h := sha256.New() // want pool it by crypto/sha256.New; patch; 4096
	both := &summed{w, h}
	io.Copy(both, r)
	fill(both)
	return h.Sum(nil)
}

func fill(w io.Writer) { w.Write([]byte("end")) }

// A source reads from a buffer, and closes what is behind it.
type bufferedBody struct {
	*bufio.Reader
	c io.Closer
}

func (b bufferedBody) Close() error { return b.c.Close() }

func Drained(body io.ReadCloser) int64 {
	br := bufio.NewReader(body) // want pool it by bufio.NewReader; patch; 4096
	return drain(bufferedBody{br, body})
}

func drain(rc io.ReadCloser) int64 {
	defer rc.Close()
	n, _ := io.Copy(io.Discard, rc)
	return n
}

// A listed writer has its method Write called by a function that keeps it.
type listedWriter struct{ z io.Writer }

func (l listedWriter) Write(b []byte) (int, error) { return l.z.Write(b) }

var listed []io.Writer

func Listed(w io.Writer) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	list(listedWriter{gz})
	gz.Close()
}

func list(w io.Writer) { listed = append(listed, w) }

// A takenWriter gives its compressor away.
type takenWriter struct {
	gz *gzip.Writer
	http.ResponseWriter
}

func (w takenWriter) Write(b []byte) (int, error) { return w.gz.Write(b) }
func (w takenWriter) Writer() io.Writer           { return w.gz }

func Taken(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	defer gz.Close()
	next.ServeHTTP(takenWriter{gz, w}, r)
}

// A foundWriter has a field that another function reads.
type foundWriter struct {
	gz *gzip.Writer
	http.ResponseWriter
}

func (w foundWriter) Write(b []byte) (int, error) { return w.gz.Write(b) }

func Found(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	defer gz.Close()
	next.ServeHTTP(foundWriter{gz, w}, r)
}

func find(w http.ResponseWriter) { listed = append(listed, w.(foundWriter).gz) }

// A turnedWriter becomes another struct.
type turnedWriter struct {
	gz *gzip.Writer
	http.ResponseWriter
}

type otherWriter turnedWriter

func (w *turnedWriter) Write(b []byte) (int, error) { return w.gz.Write(b) }

func Turned(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	defer gz.Close()
	next.ServeHTTP(&turnedWriter{gz, w}, r)
}

func turn(w http.ResponseWriter) { listed = append(listed, (*otherWriter)(w.(*turnedWriter)).gz) }

// An OpenWriter has a field that other packages can read.
type OpenWriter struct {
	GZ *gzip.Writer
	http.ResponseWriter
}

func (w *OpenWriter) Write(b []byte) (int, error) { return w.GZ.Write(b) }

func Open(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	defer gz.Close()
	next.ServeHTTP(&OpenWriter{gz, w}, r)
}

// A keepingWriter keeps its compressor when it writes.
type keepingWriter struct {
	io.Writer
	http.ResponseWriter
}

var lastWriter io.Writer

func (w keepingWriter) Write(b []byte) (int, error) {
	lastWriter = w.Writer
	return w.Writer.Write(b)
}

func Keeping(next http.HandlerFunc, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	defer gz.Close()
	next(keepingWriter{gz, w}, r)
}

// Unknown calls a function that may keep its writer.
func Unknown(use func(io.Writer), w io.Writer) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	use(listedWriter{gz})
	gz.Close()
}

// A lazyWriter makes its own compressor.
type lazyWriter struct {
	gz *gzip.Writer
	w  io.Writer
}

func (w *lazyWriter) Write(b []byte) (int, error) {
	if w.gz == nil {
		w.gz = gzip.NewWriter(w.w)
	}
	return w.gz.Write(b) // want needs an owner by compress/gzip.(*Writer).Write; no patch; 800000
}

// A madeTwice has a compressor of one of two functions.
type madeTwice struct{ z io.Writer }

func (m madeTwice) Write(b []byte) (int, error) {
	return m.z.Write(b) // want needs an owner by compress/gzip.(*Writer).Write; no patch; 800000
}

func MadeHere(w io.Writer) {
	gz := gzip.NewWriter(w)
	fill(madeTwice{gz})
	gz.Close()
}

func MadeThere(w io.Writer) {
	gz, _ := gzip.NewWriterLevel(w, 1)
	fill(madeTwice{gz})
	gz.Close()
}

// Chosen defers the end of a compressor that one branch makes.
func Chosen(w io.Writer, text string, zip bool) {
	var out io.WriteCloser = unzipped{w}
	if zip {
		gz := gzip.NewWriter(w) // want pool it by compress/gzip.NewWriter; patch; 800000
		out = gz
	}
	defer out.Close()
	io.WriteString(out, text)
}

type unzipped struct{ io.Writer }

func (unzipped) Close() error { return nil }

// ChosenBefore defers a call before that, which comes after the Put.
func ChosenBefore(w io.Writer, zip bool) {
	var gz *gzip.Writer
	defer func() {
		if gz != nil {
			gz.Close()
		}
	}()
	if zip {
		gz = gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
		gz.Write(nil)
	}
}

type convertedWriter struct {
	gz *gzip.Writer
	http.ResponseWriter
}

type alikeWriter struct {
	gz *gzip.Writer
	http.ResponseWriter
}

var alike *alikeWriter

func (w *convertedWriter) Write(b []byte) (int, error) {
	alike = (*alikeWriter)(w)
	return w.gz.Write(b)
}

// Converted has a method that keeps its struct as one of another type.
func Converted(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	next.ServeHTTP(&convertedWriter{gz, w}, r)
	gz.Close()
}

type convertedSelf struct {
	gz *gzip.Writer
	http.ResponseWriter
}

type alikeSelf struct {
	gz *gzip.Writer
	http.ResponseWriter
}

var alikeGz *gzip.Writer

func (w *convertedSelf) Write(b []byte) (int, error) {
	alikeGz = (*alikeSelf)(w).gz
	return w.gz.Write(b)
}

// ConvertedSelf has a method that keeps the field of that.
func ConvertedSelf(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 800000
	next.ServeHTTP(&convertedSelf{gz, w}, r)
	gz.Close()
}
