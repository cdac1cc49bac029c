//go:build go1.25

package basinio_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A counting is a connection of the program, which may do more in its Read than the system's.
type counting struct {
	*net.TCPConn
	reads int
}

func (c *counting) Read(p []byte) (int, error) { c.reads++; return c.TCPConn.Read(p) }

// links returns pairs of a writer and a reader of all kinds.
func links(t *testing.T) map[string]func() (io.WriteCloser, io.ReadCloser) {
	return map[string]func() (io.WriteCloser, io.ReadCloser){
		"TCP": func() (io.WriteCloser, io.ReadCloser) { a, b := tcpPair(t); return a, b },
		"Unix": func() (io.WriteCloser, io.ReadCloser) {
			a, b := pair(t, "unix", filepath.Join(t.TempDir(), "s"))
			return a, b
		},
		"pipe": func() (io.WriteCloser, io.ReadCloser) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			return w, r
		},
		"TLS": func() (io.WriteCloser, io.ReadCloser) {
			a, b := tcpPair(t)
			c := tls.Client(a, &tls.Config{InsecureSkipVerify: true})
			s := tls.Server(b, tlsConfig(t))
			go s.Handshake()
			if err := c.Handshake(); err != nil {
				t.Fatal(err)
			}
			return c, s
		},
		"net.Pipe": func() (io.WriteCloser, io.ReadCloser) { a, b := net.Pipe(); return a, b },
		"own": func() (io.WriteCloser, io.ReadCloser) {
			a, b := tcpPair(t)
			return a, &counting{TCPConn: b.(*net.TCPConn)}
		},
	}
}

// outstanding returns the number of buffers of p in use, without those in spares.
func outstanding(p *basin.BytePool) int64 {
	basinio.PutSpares()
	return p.Stats().Items.InUse
}

// until waits until done returns true.
func until(done func() bool) {
	for !done() {
		time.Sleep(time.Millisecond)
	}
}

// TestHoldsNothingWhileWaiting sends messages of many lengths to goroutines that read them in
// different ways, and looks at the pool while these wait for the next one.
func TestHoldsNothingWhileWaiting(t *testing.T) {
	ways := map[string]func(r *basinio.Reader, n int) (string, error){
		"Read": func(r *basinio.Reader, n int) (string, error) {
			p := make([]byte, n)
			_, err := io.ReadFull(r, p)
			return string(p), err
		},
		"small Reads": func(r *basinio.Reader, n int) (string, error) {
			p := make([]byte, n)
			for i := 0; i < n; i += min(7, n-i) {
				if _, err := io.ReadFull(r, p[i:i+min(7, n-i)]); err != nil {
					return "", err
				}
			}
			return string(p), nil
		},
		"ReadByte": func(r *basinio.Reader, n int) (string, error) {
			p := make([]byte, n)
			for i := range p {
				var err error
				if p[i], err = r.ReadByte(); err != nil {
					return "", err
				}
			}
			return string(p), nil
		},
		"ReadSlice":  func(r *basinio.Reader, n int) (string, error) { p, err := r.ReadSlice('\n'); return string(p), err },
		"ReadString": func(r *basinio.Reader, n int) (string, error) { return r.ReadString('\n') },
		"ReadLine": func(r *basinio.Reader, n int) (string, error) {
			p, _, err := r.ReadLine()
			return string(p) + "\n", err
		},
		"Peek": func(r *basinio.Reader, n int) (string, error) {
			p, err := r.Peek(n)
			s := string(p)
			if err == nil {
				_, err = r.Discard(n)
			}
			return s, err
		},
	}
	for link, connect := range links(t) {
		for way, read := range ways {
			t.Run(link+"/"+way, func(t *testing.T) {
				pool := &basin.BytePool{Name: t.Name()}
				w, src := connect()
				defer w.Close()
				r := &basinio.Reader{Pool: pool}
				r.Reset(src)
				defer r.Reset(nil)
				if want := link != "TLS" && link != "net.Pipe" && link != "own" && runtime.GOOS != "windows"; r.Raw() != want && runtime.GOOS != "js" {
					t.Errorf("reads from a connection of the system: %v", r.Raw())
				}
				want, got := make(chan int), make(chan string)
				go func() {
					for n := range want {
						s, err := read(r, n)
						if err != nil {
							s = err.Error()
						}
						got <- s
					}
				}()
				defer close(want)
				for _, n := range []int{1, 10, 44, 46, 47, 61, 500, 4000, 10} {
					want <- n
					until(func() bool { return outstanding(pool) == 0 }) // the test ends only if it holds nothing
					message := strings.Repeat("m", n-1) + "\n"
					if n > 1 { // in two parts
						io.WriteString(w, message[:n/2])
						time.Sleep(time.Millisecond)
					}
					io.WriteString(w, message[n/2*min(1, n-1):])
					if s := <-got; s != message {
						t.Fatalf("got %q, want %q", s, message)
					}
				}
			})
		}
	}
}

// TestErrorsOfConnections compares the errors of a Reader with those of the connection itself.
func TestErrorsOfConnections(t *testing.T) {
	networks := map[string]func() (w, r io.ReadWriteCloser){
		"tcp":  func() (w, r io.ReadWriteCloser) { return pair(t, "tcp", "127.0.0.1:0") },
		"tcp4": func() (w, r io.ReadWriteCloser) { return flip(pair4(t)) },
		"unix": func() (w, r io.ReadWriteCloser) { return pair(t, "unix", filepath.Join(t.TempDir(), "s")) },
		"pipe": func() (io.ReadWriteCloser, io.ReadWriteCloser) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			return w, r
		},
	}
	type deadliner interface{ SetReadDeadline(time.Time) error }
	events := map[string]func(w, r io.ReadWriteCloser){
		"closed before":       func(w, r io.ReadWriteCloser) { r.Close() },
		"closed at the end":   func(w, r io.ReadWriteCloser) { w.Close() },
		"deadline has passed": func(w, r io.ReadWriteCloser) { r.(deadliner).SetReadDeadline(time.Now().Add(-time.Second)) },
		"deadline passes": func(w, r io.ReadWriteCloser) {
			r.(deadliner).SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		},
		"closed while waiting": func(w, r io.ReadWriteCloser) { time.AfterFunc(5*time.Millisecond, func() { r.Close() }) },
		"reset": func(w, r io.ReadWriteCloser) {
			if c, ok := w.(*net.TCPConn); ok {
				c.SetLinger(0)
				c.Close()
				time.Sleep(5 * time.Millisecond)
			} else {
				w.Close()
			}
		},
		"reset while waiting": func(w, r io.ReadWriteCloser) {
			if c, ok := w.(*net.TCPConn); ok {
				c.SetLinger(0)
			}
			time.AfterFunc(5*time.Millisecond, func() { w.Close() })
		},
	}
	for network, connect := range networks {
		for event, happen := range events {
			t.Run(network+"/"+event, func(t *testing.T) {
				var want, got error
				for i, err := range []*error{&want, &got} {
					w, r := connect()
					var rd io.Reader = r
					if i == 1 {
						b := basinio.NewReader(r)
						rd = b
						defer func() {
							if b.Holds() {
								t.Error("holds memory after the error")
							}
						}()
					}
					happen(w, r)
					p := make([]byte, 10)
					_, *err = rd.Read(p)
				}
				if describe(got) != describe(want) {
					t.Errorf("error %s, want %s", describe(got), describe(want))
				}
			})
		}
	}
}

// describe returns everything about an error but its addresses, which differ between connections.
func describe(err error) string {
	var text string
	for e := err; e != nil; e = errors.Unwrap(e) {
		text += fmt.Sprintf("%T", e)
		switch e := e.(type) {
		case *net.OpError:
			text += fmt.Sprintf(" %s %s %T %T; ", e.Op, e.Net, e.Source, e.Addr)
		case *os.PathError:
			text += fmt.Sprintf(" %s %s; ", e.Op, e.Path)
		case *os.SyscallError:
			text += fmt.Sprintf(" %s; ", e.Syscall)
		default:
			text += fmt.Sprintf(" %v", e)
		}
	}
	var timeout net.Error
	return text + fmt.Sprint(errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrClosed), errors.Is(err, syscall.ECONNRESET))
}

// pair4 returns the ends of a connection whose first end has the network tcp4.
func pair4(t *testing.T) (a, b net.Conn) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	a, err = net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func flip(a, b net.Conn) (c, d net.Conn) { return b, a }

// TestGoesOnAfterDeadline reads the rest of a message after a deadline has passed within it.
func TestGoesOnAfterDeadline(t *testing.T) {
	for _, n := range []int{5, 100} { // a part that fits into the Reader, and one that does not
		w, c := tcpPair(t)
		r := basinio.NewReader(c)
		message := strings.Repeat("x", n)
		io.WriteString(w, message)
		c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if p, err := r.Peek(n + 1); string(p) != message || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("peeked %q, %v", p, err)
		}
		if r.Holds() != (n > 44) {
			t.Errorf("waits with %d bytes: holds memory: %v", n, r.Holds())
		}
		c.SetReadDeadline(time.Time{})
		io.WriteString(w, "\n")
		if s, err := r.ReadString('\n'); s != message+"\n" || err != nil {
			t.Errorf("read %q, %v", s, err)
		}
		r.Reset(nil)
	}
}

// TestDatagrams: nothing read is not the end, and no message is cut.
func TestDatagrams(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	c, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := basinio.NewReader(c)
	p := make([]byte, 1000)
	for _, n := range []int{10, 0, 1000} {
		l.WriteTo(p[:n], c.LocalAddr())
		if m, err := r.Read(p); m != n || err != nil {
			t.Errorf("read %d, %v of %d bytes", m, err, n)
		}
	}
}

// A liar returns n and err in each Read.
type liar struct {
	n   func(p []byte) int
	err error
}

func (l liar) Read(p []byte) (int, error) { return l.n(p), l.err }

// TestBadSources reads from sources that break the rules.
func TestBadSources(t *testing.T) {
	pool := &basin.BytePool{Name: t.Name()}
	for name, src := range map[string]io.Reader{
		"negative":  liar{n: func([]byte) int { return -1 }},
		"too large": liar{n: func(p []byte) int { return len(p) + 1 }},
		"far":       liar{n: func(p []byte) int { return math.MaxInt }},
		"panic":     liar{n: func(p []byte) int { panic("at once") }},
		"nil":       nil,
	} {
		for _, size := range []int{1, 100, 10000} {
			r := &basinio.Reader{Pool: pool}
			for range 2 { // also with memory of the pool
				r.Reset(src)
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s: no panic", name)
						}
					}()
					r.Read(make([]byte, size))
				}()
				r.Reset(strings.NewReader(strings.Repeat("x", 200)))
				r.Peek(100)
			}
			r.Reset(nil)
		}
	}
	r := &basinio.Reader{Pool: pool}
	r.Reset(liar{n: func([]byte) int { return 0 }})
	if _, err := r.ReadByte(); err != io.ErrNoProgress {
		t.Errorf("no progress: %v", err)
	}
	if n, err := r.WriteTo(&sink{limit: -1}); n != 0 || err != io.ErrNoProgress {
		t.Errorf("WriteTo without progress: %d, %v", n, err)
	}
	r.Reset(liar{n: func(p []byte) int { return len(p) }, err: errMidway})
	if n, err := r.Read(make([]byte, 100)); n != 100 || err != errMidway {
		t.Errorf("read %d, %v", n, err)
	}
	r.Reset(nil)
	if n := outstanding(pool); n != 0 {
		t.Errorf("%d buffers outstanding", n)
	}
}

func TestSizes(t *testing.T) {
	for size, want := range map[int][2]int{math.MinInt: {16, 4096}, 0: {16, 4096}, 1: {16, 1}, 16: {16, 16}, 5000: {5000, 5000}} {
		r, w := basinio.NewReaderSize(strings.NewReader("x"), size), basinio.NewWriterSize(io.Discard, size)
		if got := [2]int{r.Size(), w.Size()}; got != want {
			t.Errorf("size %d: %v, want %v", size, got, want)
		}
	}
	var r basinio.Reader
	var w basinio.Writer
	if r.Size() != 4096 || w.Size() != 4096 {
		t.Errorf("zero values: %d, %d", r.Size(), w.Size())
	}
	r.Reset(strings.NewReader("line\n"))
	var out strings.Builder
	w.Reset(&out)
	if s, err := r.ReadString('\n'); s != "line\n" || err != nil {
		t.Errorf("zero Reader: %q, %v", s, err)
	}
	w.WriteString("line")
	if w.Flush(); out.String() != "line" {
		t.Errorf("zero Writer: %q", out.String())
	}
}

// TestResetWithBytesLeft gives memory back, and keeps none of the bytes.
func TestResetWithBytesLeft(t *testing.T) {
	pool := &basin.BytePool{Name: t.Name()}
	r, w := &basinio.Reader{Pool: pool}, &basinio.Writer{Pool: pool}
	for range 3 {
		r.Reset(strings.NewReader(strings.Repeat("x", 1000)))
		r.Peek(100)
		w.Reset(io.Discard)
		w.WriteString("x")
		if !r.Holds() || !w.Holds() {
			t.Error("holds nothing")
		}
		if r.Reset(r); r.Buffered() == 0 {
			t.Error("a Reset to itself did something")
		}
		if w.Reset(w); w.Buffered() == 0 {
			t.Error("a Reset to itself did something")
		}
	}
	r.Reset(nil)
	w.Reset(nil)
	if n := outstanding(pool); n != 0 {
		t.Errorf("%d buffers outstanding", n)
	}
}

// TestAllocations: a message costs none.
func TestAllocations(t *testing.T) {
	pooltest.Reuses(t)
	for _, m := range []maker{std, ours} {
		for _, size := range []int{64, 1000, 16 << 10} {
			a, b := tcpPair(t)
			e := newEcho(m, a, b, size, 1)
			e.run(10)
			if n := pooltest.Allocs(200, func() { e.run(1) }); n != 0 {
				t.Errorf("%d bytes: %v allocations", size, n)
			}
		}
	}
}

// TestBadPool panics in the caller, with the name of the field.
func TestBadPool(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "MinSize") {
			t.Errorf("panic %v", r)
		}
	}()
	r := &basinio.Reader{Pool: &basin.BytePool{MinSize: -1}}
	r.Reset(strings.NewReader(strings.Repeat("x", 1000)))
	r.Peek(500)
}

// TestZeroPool passes no bytes of one user to the next.
func TestZeroPool(t *testing.T) {
	pool := &basin.BytePool{Name: t.Name(), Zero: true}
	r := &basinio.Reader{Pool: pool}
	r.Reset(strings.NewReader(strings.Repeat("secret", 1000)))
	r.Peek(100)
	r.Reset(nil)
	if b := pool.Get(4096); bytes.Contains(b[:cap(b)], []byte("secret")) {
		t.Error("the next user sees the bytes")
	}
}

func TestFullChecks(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	w, c := tcpPair(t)
	r := basinio.NewReader(c)
	io.WriteString(w, strings.Repeat("x", 100)+"\n")
	line, err := r.ReadSlice('\n')
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, "\n")
	if _, err := r.ReadByte(); err != nil { // gives the memory back
		t.Fatal(err)
	}
	line[0] = 'y'
	basincheck.Verify()
	if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.WriteAfterPut {
		t.Errorf("reported %v", got)
	}

	if testenv.Race {
		return // it would find the next misuse first
	}
	waiting := make(chan any)
	go func() {
		defer func() { waiting <- recover() }()
		r.ReadByte()
	}()
	until(func() bool { return blocked() })
	func() {
		defer func() {
			if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "two goroutines") {
				t.Errorf("two goroutines: panic %v", p)
			}
		}()
		r.ReadByte()
	}()
	w.Close()
	if p := <-waiting; p != nil {
		t.Errorf("panic %v", p)
	}
}

// blocked reports whether a goroutine of this package waits for a connection in a Reader.
func blocked() bool {
	buf := make([]byte, 1<<20)
	for g := range bytes.SplitSeq(buf[:runtime.Stack(buf, true)], []byte("\n\n")) {
		if bytes.Contains(g, []byte("IO wait")) && bytes.Contains(g, []byte("basinio.(*Reader)")) {
			return true
		}
	}
	return false
}

// TestReaderOfReader: a Reader that is large enough is its own Reader.
func TestReaderOfReader(t *testing.T) {
	r := basinio.NewReader(strings.NewReader("x"))
	if basinio.NewReaderSize(r, 100) != r || basinio.NewReaderSize(r, 10000) == r {
		t.Error("not as in bufio")
	}
	w := basinio.NewWriter(io.Discard)
	if basinio.NewWriterSize(w, 100) != w || basinio.NewWriterSize(w, 10000) == w {
		t.Error("not as in bufio")
	}
}

// TestSharesPoolWithProgram: buffers of a Reader are ordinary memory of the pool.
func TestSharesPoolWithProgram(t *testing.T) {
	pool := &basin.BytePool{Name: t.Name()}
	r := &basinio.Reader{Pool: pool}
	r.Reset(strings.NewReader(strings.Repeat("x", 5000)))
	r.Peek(1000)
	if s := pool.Stats(); s.Items.InUse != 1 || s.Bytes.InUse != 4096 {
		t.Errorf("in use: %d, %d bytes", s.Items.InUse, s.Bytes.InUse)
	}
	r.Reset(nil)
	if _, err := pool.GetContext(context.Background(), 10); err != nil {
		t.Error(err)
	}
	testenv.CollectUntil(func() bool { return pool.Stats().Items.InUse == 1 }) // a collection puts spares
}

// TestSlowSender reads a message that arrives byte by byte.
func TestSlowSender(t *testing.T) {
	message := strings.Repeat("slow ", 30) + "\n"
	for link, connect := range links(t) {
		w, src := connect()
		go func() {
			for i := range len(message) {
				io.WriteString(w, message[i:i+1])
			}
			w.Close()
		}()
		r := basinio.NewReader(src)
		got, err := r.ReadString('\n')
		if got != message || err != nil {
			t.Errorf("%s: read %q, %v", link, got, err)
		}
		if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("%s: at the end: %v", link, err)
		}
		src.Close()
	}
}

// TestPeekAgain: while a Peek waits for more, the result of the one before stays what it was, as with
// bufio, and belongs to nobody else. A method that reads lets go of it.
func TestPeekAgain(t *testing.T) {
	for link, connect := range links(t) {
		for _, n := range []int{4, 100} {
			t.Run(fmt.Sprint(link, " ", n), func(t *testing.T) {
				pool := &basin.BytePool{Name: t.Name()}
				w, src := connect()
				defer w.Close()
				r := &basinio.Reader{Pool: pool}
				r.Reset(src)
				defer r.Reset(nil)
				message := strings.Repeat("m", n)
				go io.WriteString(w, message)
				header, err := r.Peek(n)
				if err != nil {
					t.Fatal(err)
				}
				held := r.Holds() // or the Reader has so few bytes in its own memory
				waiting := func(f func() error) (end func()) {
					done := make(chan error)
					go func() { done <- f() }()
					time.Sleep(5 * time.Millisecond)
					return func() {
						io.WriteString(w, "more")
						if err := <-done; err != nil {
							t.Error(err)
						}
					}
				}
				end := waiting(func() error { _, err := r.Peek(n + 4); return err })
				basinio.PutSpares()
				other := pool.Get(4096)
				copy(other, strings.Repeat("secret", 100))
				if string(header) != message {
					t.Errorf("while another Peek waits: %q, want %q", header, message)
				}
				pool.Put(other)
				if got := outstanding(pool); held && got != 1 {
					t.Errorf("%d buffers in use while another Peek waits", got)
				}
				end()
				if string(header) != message {
					t.Errorf("after another Peek: %q, want %q", header, message)
				}
				r.Discard(n)
				end = waiting(func() error { _, err := r.Peek(8); return err })
				if got := outstanding(pool); got != 0 {
					t.Errorf("%d buffers in use while a Peek waits after Discard", got)
				}
				end()
			})
		}
	}
}

// TestFieldsChange: memory goes back to the pool that it is from, with the size that it has.
func TestFieldsChange(t *testing.T) {
	a, b := &basin.BytePool{Name: t.Name() + " a"}, &basin.BytePool{Name: t.Name() + " b"}
	basin.SetDefault(a)
	defer basin.SetDefault(nil)
	for _, size := range []int{1, 100, 16 << 10} {
		r, w := basinio.NewReader(strings.NewReader(strings.Repeat("x", 200))), basinio.NewWriter(io.Discard)
		r.Peek(100)
		w.WriteString("x")
		r.Pool, w.Pool = b, b
		r.BufferSize, w.BufferSize = size, size
		r.Reset(strings.NewReader(strings.Repeat("y", 20_000)))
		w.Reset(io.Discard)
		if n, m := outstanding(a), outstanding(b); n != 0 || m != 0 {
			t.Errorf("size %d: %d and %d buffers in use after Reset", size, n, m)
		}
		if p, err := r.Peek(r.Size()); len(p) != max(size, 16) || err != nil {
			t.Errorf("size %d: peeked %d bytes, %v", size, len(p), err)
		}
		w.Write(make([]byte, size))
		if n := w.Buffered(); n != size {
			t.Errorf("size %d: %d bytes buffered", size, n)
		}
		r.Reset(nil)
		w.Reset(nil)
		drops := a.Stats().Drops
		if n, m := drops.Total()-drops.Checked, outstanding(b); n != 0 || m != 0 {
			t.Errorf("size %d: %d drops, and %d buffers in use at the end", size, n, m)
		}
	}

	r := basinio.NewReader(strings.NewReader(strings.Repeat("x", 200)))
	r.Peek(100)
	basin.SetDefault(b)
	io.Copy(struct{ io.Writer }{io.Discard}, r)
	if n, m := outstanding(a), outstanding(b); n != 0 || m != 0 {
		t.Errorf("%d and %d buffers in use after another pool became the default", n, m)
	}
}

// TestFailedWriterHoldsNothing: after a failed Flush, the number of bytes left is there, but no buffer.
func TestFailedWriterHoldsNothing(t *testing.T) {
	if testenv.Race || pooltest.FullChecks {
		t.Skip("measures memory")
	}
	var w [2000]basinio.Writer
	before, _ := memory()
	for i := range w {
		w[i].Reset(&sink{limit: 3})
		w[i].WriteString("hello")
		if err := w[i].Flush(); err != errMidway || w[i].Buffered() != 2 {
			t.Fatal(err, w[i].Buffered())
		}
	}
	after, _ := memory()
	if each := (after - before) / int64(len(w)); each > 1000 {
		t.Errorf("a Writer holds %d bytes after an error", each)
	}
	runtime.KeepAlive(&w)
}

// TestNoProgressHoldsNothing reads a full buffer, and then nothing, into a Writer.
func TestNoProgressHoldsNothing(t *testing.T) {
	pool := &basin.BytePool{Name: t.Name()}
	w := &basinio.Writer{Pool: pool}
	w.Reset(&sink{limit: -1})
	left := 4096
	n, err := w.ReadFrom(liar{n: func(p []byte) int { n := min(len(p), left); left -= n; return n }})
	if n != 4096 || err != io.ErrNoProgress || outstanding(pool) != 0 {
		t.Errorf("read %d, %v, %d buffers in use", n, err, outstanding(pool))
	}
}
