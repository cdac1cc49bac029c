package advise

import "testing"

// TestReasonsOfLibrary has memory that the standard library reads, fills or extends, and some that it keeps.
func TestReasonsOfLibrary(t *testing.T) {
	const target = "makes this memory. It uses slices, maps and pointers that its target has already, and those that it makes stay there."
	judged(t, `package p

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"encoding/gob"
	"io"
	"log"
	"mime/multipart"
	"net"
	"net/netip"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

func summed(r io.Reader, n int) byte {
	b := make([]byte, n) // : pool it; The memory does not leave summed.
	h := sha256.New()
	io.Copy(h, r)
	return h.Sum(b[:0])[0]
}

func sum(r io.Reader, n int) []byte {
	b := make([]byte, n) // : needs an owner; The memory leaves sum: it is returned from p.sum.
	h := crypto.SHA256.New()
	io.Copy(h, r)
	return h.Sum(b[:0])
}

func ordered(w io.Writer, o binary.AppendByteOrder, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave ordered.
	w.Write(o.AppendUint32(b, 1))
}

func signed(k *ecdsa.PublicKey, r io.Reader, n int) bool {
	b := make([]byte, n) // : pool it; The memory does not leave signed.
	io.ReadFull(r, b)
	return ecdsa.VerifyASN1(k, b[:32], b[32:])
}

func keyed(r io.Reader, n int) []byte {
	b := make([]byte, n) // : pool it; The memory does not leave keyed.
	io.ReadFull(r, b)
	return hmac.New(sha256.New, b).Sum(nil)
}

func parsed(r io.Reader, n int) (*x509.Certificate, error) {
	b := make([]byte, n) // : needs an owner; The memory leaves parsed: it is returned from p.parsed.
	io.ReadFull(r, b)
	return x509.ParseCertificate(b)
}

func decoded(r io.Reader, n int, v any) {
	b := make([]byte, n) // : needs an owner; The memory may leave decoded: it is passed to asn1.Unmarshal, which may keep it.
	io.ReadFull(r, b)
	asn1.Unmarshal(b, v)
}

func address(b []byte, n int) netip.Addr {
	text := make([]byte, n) // : pool it; The memory does not leave address.
	copy(text, b)
	var a netip.Addr
	a.UnmarshalText(text)
	return a
}

func messages(c *net.UnixConn, n int) int {
	b := make([]byte, n) // : pool it; The memory does not leave messages.
	k, _, _, _, _ := c.ReadMsgUnix(b, nil)
	return k
}

func packets(c net.PacketConn, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave packets.
	k, a, _ := c.ReadFrom(b)
	c.WriteTo(b[:k], a)
}

func sent(c net.PacketConn, n int) {
	ip := make([]byte, n) // : needs an owner; The memory may leave sent: it is passed to method WriteTo of an interface, which may keep it.
	c.WriteTo(nil, &net.UDPAddr{IP: ip})
}

func encoded(w io.Writer, v any) {
	var b bytes.Buffer
	gob.NewEncoder(&b).Encode(v) // encoding/gob.(*Encoder).Encode, bytes.(*Buffer).Write, bytes.(*Buffer).grow: pool it; The memory does not leave encoded.
	w.Write(b.Bytes())
}

func parts(r io.Reader, boundary string, n int) error {
	b := make([]byte, n) // : pool it; The memory does not leave parts.
	io.ReadFull(r, b)
	_, err := multipart.NewReader(bytes.NewReader(b), boundary).NextPart()
	return err
}

func extra(z *zip.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves extra: it is passed to (*zip.Writer).CreateHeader, which keeps it.
	z.CreateHeader(&zip.FileHeader{Extra: b})
}

type failure struct{ b []byte }

func (f *failure) Error() string { return string(f.b) }

func failed(w *io.PipeWriter, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves failed: it is passed to (*io.PipeWriter).CloseWithError, which keeps it.
	w.CloseWithError(&failure{b})
}

type sink struct{ b []byte }

func (s *sink) Write(b []byte) (int, error) { return copy(s.b, b), nil }

func logged(l *log.Logger, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves logged: it is passed to (*log.Logger).SetOutput, which keeps it.
	l.SetOutput(&sink{b})
}

func buffered(n int) *bufio.Writer {
	b := make([]byte, n) // : needs an owner; The memory leaves buffered: it is returned from p.buffered.
	return bufio.NewWriter(&sink{b})
}

func copied(r io.Reader, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave copied.
	io.Copy(&sink{b}, r)
}

func stacks(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave stacks.
	w.Write(b[:runtime.Stack(b, true)])
}

func pauses(s *debug.GCStats) {
	debug.ReadGCStats(s) // runtime/debug.ReadGCStats: do not pool; runtime/debug.ReadGCStats, or a function that it calls, `+target+`
}

func samples(s []metrics.Sample) {
	metrics.Read(s) // runtime/metrics.Read: do not pool; runtime/metrics.Read, or a function that it calls, `+target+`
}
`, nil)
}

// TestReasonsOfBrokenContracts has methods of the program that keep memory, which those of the library only read.
func TestReasonsOfBrokenContracts(t *testing.T) {
	judged(t, `package p

import (
	"encoding"
	"encoding/binary"
	"hash"
	"net"
)

type Conn struct {
	net.PacketConn
	last []byte
	to   net.Addr
}

func (c *Conn) WriteTo(b []byte, a net.Addr) (int, error) { c.last = b; return len(b), nil }

func (c *Conn) ReadFrom(b []byte) (int, net.Addr, error) { return 0, c.to, nil }

type Digest struct {
	hash.Hash
	last []byte
}

func (d *Digest) Sum(b []byte) []byte { d.last = b; return b }

type Text struct{ all []byte }

func (t *Text) AppendText(b []byte) ([]byte, error) { t.all = b; return b, nil }

type Order struct{ binary.ByteOrder }

var last []byte

func (o Order) PutUint32(b []byte, n uint32) { last = b }

func Written(c net.PacketConn, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves Written: it may be passed to (*p.Conn).WriteTo, which keeps it.
	c.WriteTo(b, nil)
}

func Read(c net.PacketConn, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave Read.
	c.ReadFrom(b)
}

func Summed(h hash.Hash, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves Summed: it may be passed to (*p.Digest).Sum, which keeps it.
	h.Sum(b[:0])
}

func Appended(t encoding.TextAppender, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves Appended: it may be passed to (*p.Text).AppendText, which keeps it.
	t.AppendText(b[:0])
}

func Put(o binary.ByteOrder, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves Put: it may be passed to (p.Order).PutUint32, which keeps it.
	o.PutUint32(b, 1)
}
`, nil)
}

// TestReasonsOfCallsBack has functions of the program that the library calls with parts of the memory, or with elements.
func TestReasonsOfCallsBack(t *testing.T) {
	judged(t, `package p

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

type item struct {
	name []byte
	n    int
}

var last []byte

func sorted(n int) int {
	all := make([]item, n) // : pool it; The memory does not leave sorted.
	for i := range all {
		all[i].n = -i
	}
	slices.SortFunc(all, func(a, b item) int { last = a.name; return a.n - b.n })
	return all[0].n
}

func rows(n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave rows: it is passed to slices.SortFunc, where it is passed to slices.SortFunc, which may keep it.
	all := make([][]byte, 2)
	all[0] = b
	slices.SortFunc(all, func(a, b []byte) int { last = a; return 0 })
}

func target(all []int, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave target: it is passed to slices.BinarySearchFunc, where it is passed to slices.BinarySearchFunc, which may keep it.
	slices.BinarySearchFunc(all, b, func(x int, b []byte) int { last = b; return x - len(b) })
}

func words(r io.Reader, n int) (k int) {
	b := make([]byte, n) // : pool it; The memory does not leave words.
	s := bufio.NewScanner(r)
	s.Buffer(b, n)
	s.Split(bufio.ScanWords)
	for s.Scan() {
		k++
	}
	return k
}

func pieces(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func split(r io.Reader, n int) (k int) {
	b := make([]byte, n) // : pool it; The memory does not leave split.
	s := bufio.NewScanner(r)
	s.Buffer(b, n)
	s.Split(pieces)
	for s.Scan() {
		k++
	}
	return k
}

func scanned(r io.Reader) (k int) {
	s := bufio.NewScanner(r)
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) { return bufio.ScanLines(data, atEOF) })
	for s.Scan() { // bufio.(*Scanner).Scan: pool it; The memory does not leave scanned.
		k++
	}
	return k
}

func kept(r io.Reader) (k int) {
	s := bufio.NewScanner(r)
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		last = data
		return bufio.ScanLines(data, atEOF)
	})
	for s.Scan() { // bufio.(*Scanner).Scan: needs an owner; The memory leaves kept: it is passed to a function literal in p.kept, where it is stored in the variable last of the package.
		k++
	}
	return k
}

func given(r io.Reader, f bufio.SplitFunc) (k int) {
	s := bufio.NewScanner(r)
	s.Split(f)
	for s.Scan() { // bufio.(*Scanner).Scan: needs an owner; The memory may leave given: it is passed to a SplitFunc, which may keep it.
		k++
	}
	return k
}
`, nil)
}
