//go:build go1.25

package basinio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// oneBuffer returns a pool with room for one buffer.
func oneBuffer(t *testing.T) *basin.BytePool {
	return &basin.BytePool{Name: t.Name(), MinSize: 4096, MaxInUse: 4096}
}

// waits returns the number of requests that wait for room.
func waits(p *basin.BytePool) int { return p.Stats().Waiting }

// TestLimitMakesReadersWait: under a limit, a Reader takes its buffer before it reads.
func TestLimitMakesReadersWait(t *testing.T) {
	pool := oneBuffer(t)
	first := &basinio.Reader{Pool: pool}
	first.Reset(strings.NewReader(strings.Repeat("x", 4096)))
	first.Peek(100)
	w, c := tcpPair(t)
	second := &basinio.Reader{Pool: pool}
	second.Reset(c)
	got := make(chan string)
	go func() {
		s, _ := second.ReadString('\n')
		got <- s
	}()
	io.WriteString(w, "line\n")
	until(func() bool { return waits(pool) == 1 })
	select {
	case s := <-got:
		t.Errorf("read %q without room", s)
	default:
	}
	first.Reset(nil)
	if s := <-got; s != "line\n" {
		t.Errorf("read %q", s)
	}
	second.Reset(nil)
	if n := outstanding(pool); n != 0 {
		t.Errorf("%d buffers outstanding", n)
	}
}

// TestSourceEndsWaitForRoom: while a Reader waits for room, Close and deadlines do as while it waits for
// bytes. After a deadline, it goes on where it was.
func TestSourceEndsWaitForRoom(t *testing.T) {
	type deadliner interface{ SetReadDeadline(time.Time) error }
	events := map[string]struct {
		soon bool // before the Reader waits
		do   func(r io.ReadCloser)
	}{
		"deadline passes":         {true, func(r io.ReadCloser) { r.(deadliner).SetReadDeadline(time.Now().Add(20 * time.Millisecond)) }},
		"deadline has passed":     {true, func(r io.ReadCloser) { r.(deadliner).SetReadDeadline(time.Now().Add(-time.Second)) }},
		"deadline set meanwhile":  {false, func(r io.ReadCloser) { r.(deadliner).SetReadDeadline(time.Now()) }},
		"closed while it waits":   {false, func(r io.ReadCloser) { r.Close() }},
		"closed before it begins": {true, func(r io.ReadCloser) { r.Close() }},
	}
	for link, connect := range links(t) {
		for event, happens := range events {
			t.Run(link+"/"+event, func(t *testing.T) {
				if link == "net.Pipe" {
					t.Skip("is not a connection of the system: nothing ends the wait but room")
				}
				if runtime.GOOS == "windows" && !strings.HasPrefix(event, "closed") {
					t.Skip("RawConn knows no deadlines")
				}
				closed := strings.HasPrefix(event, "closed")
				w, src := connect()
				message := strings.Repeat("m", 200) + "\n" // more than the bytes that a Reader has itself
				go io.WriteString(w, message)
				pool := oneBuffer(t)
				held := pool.Get(4096)
				r := &basinio.Reader{Pool: pool}
				r.Reset(src)
				defer r.Reset(nil)
				begin := ""
				if !r.Raw() { // it has read a part before it needs memory
					p := make([]byte, 45)
					if _, err := io.ReadFull(src, p); err != nil {
						t.Fatal(err)
					}
					begin = string(p)
					r.Reset(io.MultiReader())
					r = &basinio.Reader{Pool: pool, Messages: true}
					r.Reset(src)
				}
				if happens.soon {
					happens.do(src)
				}
				type result struct {
					s   string
					err error
				}
				got := make(chan result)
				read := func() { s, err := r.ReadString('\n'); got <- result{s, err} }
				go read()
				if !happens.soon {
					until(func() bool { return waits(pool) == 1 })
					happens.do(src)
				}
				first := <-got
				_, want := src.Read(make([]byte, 1))
				if closed {
					if !errors.Is(first.err, net.ErrClosed) && !errors.Is(first.err, os.ErrClosed) {
						t.Errorf("error %v", first.err)
					}
				} else if !errors.Is(first.err, os.ErrDeadlineExceeded) {
					t.Errorf("error %v", first.err)
				}
				if d := describe(want); link != "TLS" && describe(first.err) != d {
					t.Errorf("error %s, want %s", describe(first.err), d)
				}
				if n := waits(pool); n != 0 {
					t.Errorf("%d requests wait after the error", n)
				}
				if s := pool.Stats(); s.Items.InUse != 1 {
					t.Errorf("%d buffers in use", s.Items.InUse)
				}
				if closed || link == "TLS" { // a tls.Conn does not survive a deadline
					pool.Put(held)
					return
				}
				src.(deadliner).SetReadDeadline(time.Time{})
				go read()
				until(func() bool { return waits(pool) == 1 })
				pool.Put(held)
				if second := <-got; begin+first.s+second.s != message || second.err != nil {
					t.Errorf("after the deadline: %q, %v", first.s+second.s, second.err)
				}
			})
		}
	}
}

// TestOneBufferForMany: fifty connections share a buffer, for their Readers and their Writers.
func TestOneBufferForMany(t *testing.T) {
	pool := oneBuffer(t)
	messages := 40
	if testing.Short() {
		messages = 10
	}
	var all sync.WaitGroup
	for i := range 50 {
		a, b := tcpPair(t)
		var src io.Reader = b
		if i%3 == 1 {
			src = &counting{TCPConn: b.(*net.TCPConn)}
		}
		all.Go(func() { // the server
			defer b.Close()
			r, w := &basinio.Reader{Pool: pool}, &basinio.Writer{Pool: pool}
			r.Reset(src)
			w.Reset(b)
			defer r.Reset(nil)
			defer w.Reset(nil)
			for {
				line, err := r.ReadSlice('\n') // the Reader may hold the buffer, and the Writer needs one
				if err != nil {
					return
				}
				w.Write(line[:len(line)/2])
				w.WriteString(string(line[len(line)/2 : len(line)-1]))
				w.WriteByte('\n')
				if w.Flush() != nil {
					return
				}
			}
		})
		all.Go(func() {
			defer a.Close()
			for n := range messages {
				message := strings.Repeat(string(rune('a'+i%26)), 1+(n*397+i)%4000) + "\n"
				go func() {
					io.WriteString(a, message[:len(message)/2])
					io.WriteString(a, message[len(message)/2:])
				}()
				got := make([]byte, len(message))
				if _, err := io.ReadFull(a, got); err != nil || string(got) != message {
					t.Errorf("connection %d: %q, %v", i, got, err)
					return
				}
			}
		})
	}
	all.Wait()
	s := pool.Stats()
	if n := outstanding(pool); n != 0 || s.Bytes.MaxInUse > 4096 {
		t.Errorf("%d buffers outstanding, at most %d bytes in use", n, s.Bytes.MaxInUse)
	}
	t.Logf("%d requests waited, %d refused", s.Waited, s.Refused)
}

// TestManyEndsOfWaits closes fifty connections that wait for room, some of which get it at that time.
func TestManyEndsOfWaits(t *testing.T) {
	pool := oneBuffer(t)
	for range 5 {
		held := pool.Get(4096)
		var all sync.WaitGroup
		var conns []net.Conn
		for i := range 50 {
			a, b := tcpPair(t)
			conns = append(conns, b)
			io.WriteString(a, "line\n")
			all.Go(func() {
				r := &basinio.Reader{Pool: pool}
				r.Reset(b)
				defer r.Reset(nil)
				if s, err := r.ReadString('\n'); s != "line\n" && !errors.Is(err, net.ErrClosed) {
					t.Errorf("connection %d: %q, %v", i, s, err)
				}
			})
		}
		until(func() bool { return waits(pool) == 50 })
		all.Go(func() { pool.Put(held) })
		for _, c := range conns {
			c.Close()
		}
		all.Wait()
		if s := pool.Stats(); s.Items.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%d buffers in use, %d requests wait", s.Items.InUse, s.Waiting)
		}
	}
}

// TestWriterWithoutRoom: a Writer that gets no buffer writes at once, the same bytes.
func TestWriterWithoutRoom(t *testing.T) {
	pool := oneBuffer(t)
	held := pool.Get(4096)
	random := rand.New(rand.NewPCG(1, 2))
	for try := range 300 {
		var got, want bytes.Buffer
		dst := io.Writer(&got)
		if try%2 == 0 {
			dst = struct{ io.Writer }{&got} // no WriteString and no ReadFrom
		}
		w := &basinio.Writer{Pool: pool, BufferSize: []int{0, 16, 100}[try%3]}
		w.Reset(dst)
		for range 20 {
			text := strings.Repeat("é0", random.IntN(200))
			switch random.IntN(7) {
			case 0:
				w.Write([]byte(text))
				want.WriteString(text)
			case 1:
				w.WriteString(text)
				want.WriteString(text)
			case 2:
				w.WriteByte('b')
				want.WriteByte('b')
			case 3:
				w.WriteRune('é')
				want.WriteRune('é')
			case 4:
				w.Write(append(w.AvailableBuffer(), text...))
				want.WriteString(text)
			case 5:
				if n, err := w.ReadFrom(struct{ io.Reader }{strings.NewReader(text)}); n != int64(len(text)) || err != nil {
					t.Errorf("read %d of %d, %v", n, len(text), err)
				}
				want.WriteString(text)
			case 6:
				pool.Put(held) // there is room for a while
				w.WriteString(text)
				want.WriteString(text)
				w.Flush()
				held = pool.Get(4096)
			}
		}
		if err := w.Flush(); err != nil || got.String() != want.String() {
			t.Fatalf("wrote %q, want %q, %v", &got, &want, err)
		}
	}
	for name, dst := range map[string]io.Writer{"fails": &sink{limit: 3}, "short": shortWriter{}} {
		w := &basinio.Writer{Pool: pool}
		w.Reset(dst)
		n, err := w.WriteString("hello")
		if want := map[string]error{"fails": errMidway, "short": io.ErrShortWrite}[name]; n != 3 || err != want || w.Flush() != want || w.Buffered() != 0 {
			t.Errorf("%s: wrote %d, %v; Flush: %v; %d buffered", name, n, err, w.Flush(), w.Buffered())
		}
	}
	if s := pool.Stats(); s.Items.InUse != 1 || s.Waited != 0 || s.Refused == 0 {
		t.Errorf("in use %d, waited %d, refused %d", s.Items.InUse, s.Waited, s.Refused)
	}
}

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return min(3, len(p)), nil }

// TestTooLargeForLimit: a Reader whose buffer can never fit says so, instead of waiting for ever.
func TestTooLargeForLimit(t *testing.T) {
	pool := oneBuffer(t)
	for link, connect := range links(t) {
		w, src := connect()
		r := &basinio.Reader{Pool: pool, BufferSize: 10_000}
		r.Reset(src)
		go io.WriteString(w, strings.Repeat("x", 9000)+"\n")
		if line, err := r.ReadString('\n'); len(line) > 45 || !errors.Is(err, basin.ErrLimit) {
			t.Errorf("%s: read %d bytes, %v", link, len(line), err)
		}
		r.Reset(nil)
	}
}

// TestNoAllocationUnderLimit: a request that finds room allocates nothing.
func TestNoAllocationUnderLimit(t *testing.T) {
	pooltest.Reuses(t)
	if testenv.Race {
		t.Skip("a sync.Pool forgets some values")
	}
	pool := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20}
	m := maker{
		func(src io.Reader) io.Reader { r := &basinio.Reader{Pool: pool}; r.Reset(src); return r },
		func(dst io.Writer) flusher { w := &basinio.Writer{Pool: pool}; w.Reset(dst); return w },
	}
	a, b := tcpPair(t)
	e := newEcho(m, a, b, 1000, 1)
	e.run(10)
	if n := pooltest.Allocs(200, func() { e.run(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A strange is a connection that is below itself, or has none below it.
type strange struct {
	io.Reader
	below net.Conn
}

func (s *strange) NetConn() net.Conn {
	if s.below == nil {
		return nil
	}
	return strangeConn{s.below, s}
}

type strangeConn struct {
	net.Conn
	s *strange
}

func (s strangeConn) NetConn() net.Conn { return s }

// TestStrangeSourcesUnderLimit waits for room with sources that nobody can ask.
func TestStrangeSourcesUnderLimit(t *testing.T) {
	a, _ := net.Pipe()
	text := strings.Repeat("x", 200)
	for name, src := range map[string]func() io.Reader{
		"below itself":  func() io.Reader { return &strange{strings.NewReader(text), a} },
		"nothing below": func() io.Reader { return &strange{strings.NewReader(text), nil} },
		"limited":       func() io.Reader { return io.LimitReader(strings.NewReader(text), 200) },
		"no connection": func() io.Reader { return strings.NewReader(text) },
	} {
		pool := oneBuffer(t)
		held := pool.Get(4096)
		r := &basinio.Reader{Pool: pool}
		r.Reset(src())
		got := make(chan string)
		go func() {
			s, err := r.ReadString('\n')
			got <- fmt.Sprint(s, err)
		}()
		until(func() bool { return waits(pool) == 1 })
		pool.Put(held)
		if s := <-got; s != text+"EOF" {
			t.Errorf("%s: %q", name, s)
		}
		r.Reset(nil)
	}
}
