package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfAsked has values whose methods the standard library looks for, and calls whose errors or handlers have an argument.
func TestReasonsOfAsked(t *testing.T) {
	const owner = " Its last user would have to put it back.$"
	judgedMaking(t, `package p

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"log/slog"
	"net"
	"strings"
	"unsafe"
)

var kept [][]byte

type asked struct{ b []byte }

func (a *asked) Read(p []byte) (int, error) { return 0, io.EOF }

func (a *asked) Write(p []byte) (int, error) { return len(p), nil }

func (a *asked) WriteTo(w io.Writer) (int64, error) {
	kept = append(kept, a.b)
	return 0, nil
}

func (a *asked) ReadFrom(r io.Reader) (int64, error) {
	kept = append(kept, a.b)
	return 0, nil
}

type plain struct{ b []byte }

func (a *plain) Read(p []byte) (int, error) { return copy(p, a.b), io.EOF }

func (a *plain) Keep() { kept = append(kept, a.b) }

func reads(c *net.TCPConn, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves reads: it is stored in the variable kept of the package.`+owner+`
	c.ReadFrom(&asked{b})
}

func writes(r io.Reader, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves writes: it is stored in the variable kept of the package.`+owner+`
	io.Copy(&asked{b}, r)
}

func reader(c *net.TCPConn, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave reader.$
	c.ReadFrom(&plain{b})
}

type inner struct{ b []byte }

func (i inner) MarshalJSON() ([]byte, error) { kept = append(kept, i.b); return []byte("1"), nil }

type calm struct{ b []byte }

func (c calm) MarshalJSON() ([]byte, error) { return c.b, nil }

func marshals(w io.Writer, n int) error {
	b := make([]byte, n) // : needs an owner; The memory may leave marshals: it is in a value whose method (p.inner).MarshalJSON may keep it.`+owner+`
	return json.NewEncoder(w).Encode(struct{ I inner }{inner{b}})
}

func marshalsCalm(w io.Writer, n int) error {
	b := make([]byte, n) // : pool it; The memory does not leave marshalsCalm.$
	return json.NewEncoder(w).Encode(struct{ C calm }{calm{b}})
}

func address(c *net.UDPConn, n int) error {
	b := make([]byte, n) // : needs an owner; The memory may leave address: it is passed to (*net.UDPConn).WriteTo, whose error may have it. Its last user would have to put it back. The call is at p.go:74, with the memory as argument addr.$
	_, err := c.WriteTo([]byte("x"), &net.UDPAddr{IP: b})
	return err
}

func data(c *net.UDPConn, a *net.UDPAddr, n int) error {
	b := make([]byte, n) // : pool it; The memory does not leave data.$
	_, err := c.WriteTo(b, a)
	return err
}

func logs(l *slog.Logger, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave logs: it is passed to (*slog.Logger).Info, whose handler may keep it. Its last user would have to put it back. The call is at p.go:86, with the memory as argument args.$
	l.Info("x", slog.Any("b", b))
}

func logsList(l *slog.Logger, n int) {
	b := make([]any, n) // : pool it; The memory does not leave logsList.$
	l.Info("x", b...)
}

type conn struct{ net.PacketConn }

func (c conn) ReadFrom(p []byte) (int, net.Addr, error) {
	kept = append(kept, p)
	return c.PacketConn.ReadFrom(p)
}

type around struct{ net.PacketConn }

func receives(c net.PacketConn, n int) error {
	b := make([]byte, n) // : needs an owner; The memory leaves receives: it may be passed to (p.conn).ReadFrom, which keeps it.`+owner+`
	c = around{conn{c}}
	_, _, err := c.ReadFrom(b)
	return err
}

type sums struct{ buf []byte }

func (h *sums) Write(p []byte) (int, error) { h.buf = append(h.buf, p...); return len(p), nil }

func (h *sums) Sum(b []byte) []byte {
	if b == nil {
		return h.buf
	}
	return append(b, h.buf...)
}

func (h *sums) Reset() { h.buf = h.buf[:0] }

func (h *sums) Size() int { return len(h.buf) }

func (h *sums) BlockSize() int { return 1 }

func sum(h hash.Hash) []byte { return h.Sum(nil) }

func own(n int) []byte {
	b := make([]byte, n) // : needs an owner; The memory leaves own: it is returned from p.own.`+owner+`
	return sum(&sums{b})
}

type keeps struct{ hash.Hash }

func (k keeps) Write(p []byte) (int, error) { kept = append(kept, p); return k.Hash.Write(p) }

func keyed(n int) []byte {
	b := make([]byte, n) // : needs an owner; The memory leaves keyed: it may be passed to (p.keeps).Write, which keeps it.`+owner+`
	return hmac.New(func() hash.Hash { return keeps{sha256.New()} }, b).Sum(nil)
}

func known(n int) int {
	b := make([]byte, n) // : pool it; The memory does not leave known.$
	return strings.Count(unsafe.String(unsafe.SliceData(b), len(b)), "x")
}
`)
}

// judgedMaking judges lines that make 64 KiB or more, which no stack has.
func judgedMaking(t *testing.T, code string) {
	t.Helper()
	judged(t, code, func(_ int, s *synthetic) { s.bytes *= 25 })
}

// TestStringsBehindTheLength has strings by package unsafe that end behind the length of a slice. Their memory must be zeros.
func TestStringsBehindTheLength(t *testing.T) {
	needGo(t)
	const code = `package p

import (
	"strings"
	"unsafe"
)

func Behind(n int) int {
	b := make([]byte, 0, n) // : x
	b = append(b, 'x')
	return strings.Count(unsafe.String(unsafe.SliceData(b), n), "\x00")
}

func Within(n int) int {
	b := make([]byte, 0, n) // : x
	b = append(b, 'x')
	return strings.Count(unsafe.String(unsafe.SliceData(b), len(b)), "\x00")
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	sites, _ := marked("a.example/p", "/src/a.example/p/p.go", code)
	for i := range sites {
		sites[i].bytes *= 25
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-diff")
	if status != 0 || strings.Count(stdout, "+\tb := basin.GetZeroed(n)") != 1 || strings.Count(stdout, "+\tb := basin.Get(n)") != 1 {
		t.Errorf("exit status %d, %s%s", status, stderr, stdout)
	}
}

// TestExtraFields has a header of an archive to whose extra fields package zip appends. Their slice has no room that others see.
func TestExtraFields(t *testing.T) {
	needGo(t)
	const code = `package p

import (
	"archive/zip"
	"io"
	"time"
)

func Two(w io.Writer, n int) {
	b := make([]byte, n) // : x
	z := zip.NewWriter(w)
	for i := range 2 {
		z.CreateHeader(&zip.FileHeader{Name: "x", Extra: b, Modified: time.Unix(1e9+int64(i), 0)})
	}
	z.Close()
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	sites, _ := marked("a.example/p", "/src/a.example/p/p.go", code)
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-diff")
	if status != 0 || !strings.Contains(stdout, "+\tb = b[:n:n]\n") {
		t.Errorf("exit status %d, %s%s", status, stderr, stdout)
	}
}
