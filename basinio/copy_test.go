//go:build go1.25

package basinio_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestCopyIsCopy compares Copy with io.Copy: bytes, count and error.
func TestCopyIsCopy(t *testing.T) {
	text := strings.Repeat("0123456789", 10_000)
	for link, connect := range links(t) {
		for _, limit := range []int64{-1, 0, 1, 512, 513, 50_000, 1 << 40} {
			for _, broken := range []bool{false, true} {
				var results [2]string
				for i, copying := range []func(io.Writer, io.Reader) (int64, error){io.Copy, basinio.Copy} {
					w, src := connect()
					go func() {
						io.WriteString(w, text)
						w.Close()
					}()
					var dst bytes.Buffer
					to := struct{ io.Writer }{&dst}
					if broken {
						to.Writer = &sink{limit: 40_000}
					}
					var from io.Reader = src
					left := int64(0)
					if limit >= 0 {
						l := &io.LimitedReader{R: src, N: limit}
						from = l
						defer func() { left = l.N }()
					}
					n, err := copying(to, from)
					for errors.Unwrap(err) != nil {
						err = errors.Unwrap(err) // net adds to errors of the writer
					}
					if broken {
						results[i] = fmt.Sprint(n, err)
					} else {
						results[i] = fmt.Sprint(n, err, left, dst.String() == text[:n])
					}
					src.Close()
				}
				if results[0] != results[1] {
					t.Errorf("%s, limit %d, broken %v: %s, want %s", link, limit, broken, results[1], results[0])
				}
			}
		}
	}
}

// TestCopyOfEmptyReads copies from an io.Pipe, which hands on each empty Write.
func TestCopyOfEmptyReads(t *testing.T) {
	for _, limit := range []int64{1 << 40, 600, 100} {
		r, w := io.Pipe()
		go func() {
			for range 1_000 {
				w.Write(nil)
			}
			io.WriteString(w, strings.Repeat("x", 1_000))
			w.Close()
		}()
		var dst bytes.Buffer
		n, err := basinio.Copy(struct{ io.Writer }{&dst}, io.LimitReader(r, limit))
		if want := min(limit, 1_000); n != want || err != nil || int64(dst.Len()) != want {
			t.Errorf("limit %d: copied %d, %v", limit, n, err)
		}
		r.Close()
	}
	r, w := io.Pipe()
	go func() {
		for range 1_000 {
			w.Write(nil)
		}
		w.CloseWithError(io.ErrUnexpectedEOF)
	}()
	if n, err := basinio.Copy(struct{ io.Writer }{io.Discard}, r); n != 0 || err != io.ErrUnexpectedEOF {
		t.Errorf("copied %d, %v", n, err)
	}
}

// failsOnce gives an error with the bytes of one Read, and goes on after that.
type failsOnce struct {
	src  io.Reader
	left int // Reads until then
}

func (r *failsOnce) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	if r.left--; r.left == 0 {
		err = errors.New("failed once")
	}
	return n, err
}

// TestErrorWithBytes: no copy reads on after an error, so that the bytes that the error stands for are missed.
func TestErrorWithBytes(t *testing.T) {
	text := strings.Repeat("0123456789", 20_000)
	for way, do := range map[string]func(dst io.Writer, src io.Reader) (int64, error){
		"Copy": basinio.Copy,
		"Copy limited": func(dst io.Writer, src io.Reader) (int64, error) {
			return basinio.Copy(dst, io.LimitReader(src, 1<<20))
		},
		"WriteTo": func(dst io.Writer, src io.Reader) (int64, error) { return basinio.NewReader(src).WriteTo(dst) },
		"WriteTo after Peek": func(dst io.Writer, src io.Reader) (int64, error) {
			r := basinio.NewReader(src)
			if b, err := r.Peek(4000); err != nil {
				n, _ := dst.Write(b)
				return int64(n), err
			}
			return r.WriteTo(dst)
		},
		"ReadFrom": func(dst io.Writer, src io.Reader) (int64, error) {
			w := basinio.NewWriter(dst)
			n, err := w.ReadFrom(src)
			w.Flush()
			return n, err
		},
		"Discard after a byte": func(dst io.Writer, src io.Reader) (int64, error) {
			r := basinio.NewReader(src)
			for range 40 {
				r.ReadByte()
			}
			n, err := r.Discard(len(text))
			io.WriteString(dst, text[:40+n])
			return int64(40 + n), err
		},
	} {
		for read := 1; read < 6; read++ {
			var dst bytes.Buffer
			src := &failsOnce{strings.NewReader(text), read}
			n, err := do(struct{ io.Writer }{&dst}, src)
			given := int64(len(text) - src.src.(*strings.Reader).Len())
			if err == nil || err.Error() != "failed once" || src.left != 0 || n != given || dst.String() != text[:n] {
				t.Errorf("%s, read %d: %d of %d bytes, after %d further reads, %v", way, read, n, given, -src.left, err)
			}
		}
	}
}

// A counted source counts its Reads.
type counted struct {
	io.Reader
	reads int
}

func (r *counted) Read(b []byte) (int, error) {
	r.reads++
	return r.Reader.Read(b)
}

// TestCopyReadsThroughBuffers: from a source that reads from a bufio.Reader, such as the body of an HTTP request, a copy
// reads about as often as io.Copy.
func TestCopyReadsThroughBuffers(t *testing.T) {
	const size = 4 << 20
	for _, before := range []int{0, 1, 300, 4000} { // bytes that the header took from the buffer
		for _, limited := range []bool{false, true} {
			var reads [2]int
			for i, do := range []func(io.Writer, io.Reader) (int64, error){io.Copy, basinio.Copy} {
				src := &counted{Reader: bytes.NewReader(make([]byte, before+size))}
				buffered := bufio.NewReader(src)
				buffered.Discard(before)
				body := io.Reader(struct{ io.Reader }{buffered})
				if limited {
					body = io.LimitReader(body, size)
				}
				if n, err := do(struct{ io.Writer }{io.Discard}, body); n != size || err != nil {
					t.Fatal(n, err)
				}
				reads[i] = src.reads
			}
			if reads[1] > reads[0]+8 {
				t.Errorf("%d bytes before, limited %v: %d reads, io.Copy has %d", before, limited, reads[1], reads[0])
			}
		}
	}
}

// TestCopyHoldsNothing copies messages between connections of all kinds.
func TestCopyHoldsNothing(t *testing.T) {
	pool := &basin.BytePool{Name: t.Name()}
	basin.SetDefault(pool)
	defer basin.SetDefault(nil)
	for from, connectFrom := range links(t) {
		for to, connectTo := range links(t) {
			w, src := connectFrom()
			dst, r := connectTo()
			done := make(chan error)
			go func() {
				_, err := basinio.Copy(dst, src)
				done <- err
			}()
			p, q := make([]byte, 40_000), make([]byte, 40_000)
			for _, n := range []int{100, 40_000, 511, 1} {
				until(func() bool { return outstanding(pool) == 0 })
				go w.Write(p[:n])
				if _, err := io.ReadFull(r, q[:n]); err != nil {
					t.Fatal(err)
				}
			}
			until(func() bool { return outstanding(pool) == 0 })
			w.Close()
			if err := <-done; err != nil {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
}

// TestCopySplices: where io.Copy has the kernel move the bytes, Copy does, too, and reads none.
func TestCopySplices(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.Write(make([]byte, 4<<20))
	for name, c := range map[string]struct{ from, to string }{
		"TCP to TCP": {"TCP", "TCP"}, "TCP to Unix": {"TCP", "Unix"}, "Unix to TCP": {"Unix", "TCP"}, "file to TCP": {"", "TCP"}, "file to Unix": {"", "Unix"},
	} {
		for _, limited := range []bool{false, true} {
			if limited && c.to == "Unix" {
				continue // not in io.Copy either
			}
			dst, r := links(t)[c.to]()
			var src io.Reader = file
			file.Seek(0, io.SeekStart)
			if c.from != "" {
				w, s := links(t)[c.from]()
				go func() { w.Write(make([]byte, 4<<20)); w.Close() }()
				src = s
			}
			if limited {
				src = io.LimitReader(src, 4<<20)
			}
			// The other end reads in the kernel, too.
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan int64)
			go func() {
				n, _ := io.Copy(null, r)
				ended <- n
			}()
			before := readChars(t)
			n, err := basinio.Copy(dst, src)
			if read := readChars(t) - before; n != 4<<20 || err != nil || read > 1<<20 && spliced(r) && c.from != "" { // sendfile counts, too
				t.Errorf("%s: copied %d, %v; the program read %d bytes", name, n, err, read)
			}
			dst.Close()
			<-ended
			null.Close()
		}
	}
}

// TestWriterSplices: io.Copy to a Writer moves bytes in the kernel where it does with a bufio.Writer, and
// Copy where io.Copy does, to a writer that passes them on.
func TestWriterSplices(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	const size = 4 << 20
	file := tempFile(t)
	file.Write(make([]byte, size))
	for name, do := range map[string]func(dst io.Writer, src io.Reader) (int64, error){
		"io.Copy to a Writer": func(dst io.Writer, src io.Reader) (int64, error) { return io.Copy(basinio.NewWriter(dst), src) },
		"Copy to a Writer":    func(dst io.Writer, src io.Reader) (int64, error) { return basinio.Copy(basinio.NewWriter(dst), src) },
		"Copy to a ReaderFrom": func(dst io.Writer, src io.Reader) (int64, error) {
			return basinio.Copy(passing{dst.(*net.TCPConn)}, src)
		},
	} {
		for _, from := range []string{"file", "TCP"} {
			dst, r := tcpPair(t)
			var src io.Reader = file
			file.Seek(0, io.SeekStart)
			if from == "TCP" {
				w, s := tcpPair(t)
				go func() { w.Write(make([]byte, size)); w.Close() }()
				src = s
			}
			ended := make(chan bool)
			go func() {
				null, _ := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
				io.Copy(null, r)
				null.Close()
				ended <- true
			}()
			before := procIO(t, "syscw") // each copies in at least 128 writes of 32 KiB, or in none
			n, err := do(dst, src)
			if writes := procIO(t, "syscw") - before; n != size || err != nil || writes > 64 {
				t.Errorf("%s from %s: copied %d, %v, with %d writes", name, from, n, err, writes)
			} else {
				t.Logf("%s from %s: %d writes", name, from, writes)
			}
			dst.Close()
			<-ended
		}
	}
}

// A wrapped is a connection of the system with a type of its own.
type wrapped struct{ *net.TCPConn }

// A response is a ResponseWriter that may have a buffer of 32 KiB made.
type response struct {
	http.ResponseWriter
	got  bytes.Buffer
	from []io.Reader // the arguments of ReadFrom
}

func (r *response) WriteHeader(int)             {}
func (r *response) Write(b []byte) (int, error) { return r.got.Write(b) }

func (r *response) ReadFrom(src io.Reader) (int64, error) {
	r.from = append(r.from, src)
	return r.got.ReadFrom(src)
}

// TestCopyToResponse: a ResponseWriter reads from files, which the kernel sends, and from nothing else.
func TestCopyToResponse(t *testing.T) {
	file := tempFile(t)
	file.WriteString("0123456789")
	for name, c := range map[string]struct {
		src   func() io.Reader
		reads bool
	}{
		"a reader":          {func() io.Reader { return iotest.OneByteReader(strings.NewReader("0123456789")) }, false},
		"a part of one":     {func() io.Reader { return io.LimitReader(iotest.HalfReader(strings.NewReader("0123456789x")), 10) }, false},
		"a file":            {func() io.Reader { file.Seek(0, io.SeekStart); return file }, true},
		"a part of a file":  {func() io.Reader { file.Seek(0, io.SeekStart); return io.LimitReader(file, 10) }, true},
		"a reader, copying": {func() io.Reader { return basinio.NewReader(iotest.OneByteReader(strings.NewReader("0123456789"))) }, false},
	} {
		r := &response{}
		if n, err := basinio.Copy(r, c.src()); n != 10 || err != nil || r.got.String() != "0123456789" {
			t.Errorf("%s: copied %d, %v: %q", name, n, err, r.got.String())
		}
		if (len(r.from) > 0) != c.reads {
			t.Errorf("%s: ReadFrom was called %d times", name, len(r.from))
		}
	}
}

// TestCopyMakesNoBuffer: neither net/http, whose response has a length, nor a type around a connection makes 32 KiB for
// each Copy.
func TestCopyMakesNoBuffer(t *testing.T) {
	pooltest.Reuses(t)
	const size, n = 100_000, 50
	body := func() io.Reader { return struct{ io.Reader }{bytes.NewReader(make([]byte, size))} }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		if got, err := basinio.Copy(w, body()); got != size || err != nil {
			t.Errorf("copied %d, %v", got, err)
		}
	}))
	defer server.Close()
	for name, copyOnce := range map[string]func(){
		"net/http": func() {
			r, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if got, err := io.Copy(struct{ io.Writer }{io.Discard}, r.Body); got != size || err != nil {
				t.Errorf("received %d, %v", got, err)
			}
		},
		"to a type around a connection": func() {
			dst, r := tcpPair(t)
			go basinio.Copy(io.Discard, r)
			if got, err := basinio.Copy(wrapped{dst.(*net.TCPConn)}, body()); got != size || err != nil {
				t.Errorf("copied %d, %v", got, err)
			}
			dst.Close()
		},
		"from a type around a connection": func() {
			w, src := tcpPair(t)
			go func() { w.Write(make([]byte, size)); w.Close() }()
			if got, err := basinio.Copy(struct{ io.Writer }{io.Discard}, wrapped{src.(*net.TCPConn)}); got != size || err != nil {
				t.Errorf("copied %d, %v", got, err)
			}
		},
	} {
		copyOnce()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			copyOnce()
		}
		runtime.ReadMemStats(&after)
		made := int64(after.TotalAlloc-before.TotalAlloc)/n - size // the body, or the bytes written
		if name == "net/http" {
			made -= 32 << 10 // of io.Copy of the client
		}
		if made > 20<<10 {
			t.Errorf("%s: %d bytes for each Copy", name, made)
		} else {
			t.Logf("%s: %d bytes for each Copy", name, made)
		}
	}
}

// A passing passes bytes to its connection, as the ResponseWriter of net/http does.
type passing struct{ c *net.TCPConn }

func (p passing) Write(b []byte) (int, error)         { return p.c.Write(b) }
func (p passing) ReadFrom(r io.Reader) (int64, error) { return p.c.ReadFrom(r) }

// spliced reports whether os.File reads from r in the kernel.
func spliced(r io.Reader) bool { _, ok := r.(*net.TCPConn); return ok }

// readChars returns the bytes that the process has read by read(2).
func readChars(t *testing.T) int64 { return procIO(t, "rchar") }

func procIO(t *testing.T, key string) int64 {
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, key+": "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			return n
		}
	}
	t.Skip("no ", key)
	return 0
}

// TestSystemCalls counts the calls of read(2) and write(2), with messages that are there, and with
// messages that the Reader waits for.
func TestSystemCalls(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	const n = 100
	for _, size := range []int{64, 1000, 16 << 10} {
		for _, waits := range []bool{false, true} {
			var calls [2][2]int64
			for i, m := range []maker{std, ours} {
				a, b := tcpPair(t)
				r, w := m.reader(b), m.writer(b)
				p, q := make([]byte, size), make([]byte, size)
				got := make(chan error)
				begun := [2]int64{procIO(t, "syscr"), procIO(t, "syscw")}
				for range n {
					if !waits {
						a.Write(q)
					}
					go func() {
						_, err := io.ReadFull(r, p)
						if err == nil {
							w.Write(p)
							err = w.Flush()
						}
						got <- err
					}()
					if waits {
						until(waiting)
						a.Write(q)
					}
					if err := <-got; err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(a, q); err != nil {
						t.Fatal(err)
					}
				}
				calls[i] = [2]int64{procIO(t, "syscr") - begun[0], procIO(t, "syscw") - begun[1]}
			}
			// The poller of the runtime writes and reads now and then, as often as it writes.
			theirs, mine := calls[0][0]-calls[0][1], calls[1][0]-calls[1][1]
			if mine > theirs+n/10 || !waits && calls[1][1] > calls[0][1]+n/10 {
				t.Errorf("%d bytes, waits %v: %d messages took %v calls, with bufio %v", size, waits, n, calls[1], calls[0])
			}
			t.Logf("%d bytes, waits %v: bufio %v, basinio %v", size, waits, calls[0], calls[1])
		}
	}
}

// waiting reports whether a goroutine waits for a connection.
func waiting() bool {
	buf := make([]byte, 1<<20)
	return bytes.Contains(buf[:runtime.Stack(buf, true)], []byte("[IO wait"))
}

// TestCopyOfFewBytes: a source that gives one byte at a time costs no allocation for each.
func TestCopyOfFewBytes(t *testing.T) {
	n := pooltest.Allocs(10, func() {
		src := iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 500)))
		basinio.Copy(struct{ io.Writer }{io.Discard}, io.LimitReader(src, 400))
	})
	if n > 20 {
		t.Errorf("%v allocations for 400 bytes", n)
	}
}
