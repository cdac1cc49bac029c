package advise

import (
	"strings"
	"testing"
)

// carriers are structs with a compressor in a field, and a handler of HTTP requests.
const carriers = `package p

import (
	"compress/flate"
	"compress/gzip"
	"io"
	"net/http"
)

type zipped struct {
	io.Writer
	http.ResponseWriter
}

func (z *zipped) Write(b []byte) (int, error) { return z.Writer.Write(b) }

func handled(next http.Handler, w http.ResponseWriter, r *http.Request) {
	gz := gzip.NewWriter(w) // compress/gzip.NewWriter: `

// TestReasonsOfCarriers has compressors in fields of structs, of which functions that are not known get some. A handler must
// not use its ResponseWriter after it returns, but one of the program may do so.
func TestReasonsOfCarriers(t *testing.T) {
	const rest = `
	defer gz.Close()
	next.ServeHTTP(&zipped{gz, w}, r)
}

`
	judged(t, carriers+`pool it; The memory does not leave handled.`+rest+`type plain struct{ z io.Writer }

func (p plain) Write(b []byte) (int, error) { return p.z.Write(b) }

func used(w io.Writer, use func(io.Writer)) {
	gz := gzip.NewWriter(w) // compress/gzip.NewWriter: needs an owner; The memory may leave used: it is passed to a function value, which may keep it. used, which makes it, also closes it: put it back there, after Close, if nothing keeps the plain.
	use(plain{gz})
	gz.Close()
}

func alone(w io.Writer, use func(io.Writer)) {
	gz := gzip.NewWriter(w) // compress/gzip.NewWriter: needs an owner; The memory may leave alone: it is passed to a function value, which may keep it. alone, which makes it, also closes it: put it back there, after Close, if nothing keeps it.
	use(gz)
	gz.Close()
}

type chosen struct {
	z io.Writer
	n int
}

func (c *chosen) Write(b []byte) (int, error) {
	c.n += len(b)
	return c.z.Write(b) // compress/gzip.(*Writer).Write: needs an owner; The memory may leave either: it is passed to a function value, which may keep it. either, which makes it, also closes it: put it back there, after Close, if nothing keeps the chosen.
}

func either(w io.Writer, zip bool, use func(io.Writer)) {
	var out io.WriteCloser
	if zip {
		out = gzip.NewWriter(w)
	} else {
		out, _ = flate.NewWriter(w, 1)
	}
	defer out.Close()
	use(&chosen{z: out})
}

func open(w io.Writer, use func(io.Writer)) {
	gz := gzip.NewWriter(w) // compress/gzip.NewWriter: needs an owner; The memory may leave open: it is passed to a function value, which may keep it. Its last user would have to put it back.
	use(gz)
}

func maker(w io.Writer) (*gzip.Writer, error) {
	gz := gzip.NewWriter(w) // compress/gzip.NewWriter: needs an owner; The memory leaves maker: it is returned from p.maker. Its last user would have to put it back.
	if _, err := gz.Write(nil); err != nil {
		gz.Close()
		return nil, err
	}
	return gz, nil
}
`, nil)
	carriers := strings.Replace(carriers, "\t\"compress/flate\"\n", "", 1)
	judged(t, carriers+`needs an owner; The memory leaves handled: it is passed to a handler, which may be p.stream, which keeps it. handled, which makes it, also closes it: put it back there, after Close, if nothing keeps the zipped.`+rest+`func stream(w http.ResponseWriter, r *http.Request) {
	go io.WriteString(w, "x")
}
`, nil)
	judged(t, carriers+`needs an owner; The memory leaves handled: it is passed to a handler, which may be (p.list).ServeHTTP, which keeps it.`+rest+`type list map[string]http.ResponseWriter

func (l list) ServeHTTP(w http.ResponseWriter, r *http.Request) { l[r.Host] = w }
`, nil)
}
