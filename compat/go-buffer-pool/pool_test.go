//go:build go1.25

package pool

import (
	"bytes"
	"errors"
	"io"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func full() bool { return basincheck.Now().Level == basincheck.Full }

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s does not panic", name)
		}
	}()
	f()
}

func TestGet(t *testing.T) {
	var p BufferPool
	for _, n := range []int{1, 2, 3, 16, 31, 64, 65, 100, 1000, 1024, 4<<20 + 1} {
		for range 2 { // first made, then reused
			b := p.Get(n)
			if want := 1 << bits.Len(uint(n-1)); len(b) != n || cap(b) != want {
				t.Errorf("Get(%d): length %d and capacity %d, want %d", n, len(b), cap(b), want)
			}
			p.Put(b[:n/2])
		}
	}
	if b := p.Get(0); b != nil {
		t.Errorf("Get(0) is %v, want nil", b)
	}
	p.Put(nil)
	p.Put([]byte{})
	mustPanic(t, "Get(-1)", func() { p.Get(-1) })
	mustPanic(t, "Truncate(1) of an empty Buffer", func() { new(Buffer).Truncate(1) })
}

// TestPut: slices of any origin are reused.
func TestPut(t *testing.T) {
	if full() {
		t.Skip("nothing is reused under full checks")
	}
	pooltest.Alone(t)
	foreign := make([]byte, 5000)
	for _, c := range []struct {
		name string
		put  []byte
		get  int
	}{
		{"of the pool", Get(1000), 1000},
		{"small", make([]byte, 21), 16},
		{"large", make([]byte, 2050), 2048},
		{"a part", foreign[1024:3100], 2048},
	} {
		var p BufferPool
		p.Put(c.put)
		if b := p.Get(c.get); &b[0] != &c.put[0] {
			t.Errorf("%s: Get(%d) is another array", c.name, c.get)
		}
	}
}

// garbage fills memory and drops it.
func garbage(size, n int) {
	for range n {
		b := bytes.Repeat([]byte{0xaa}, size)
		runtime.KeepAlive(b)
	}
	runtime.GC()
}

// TestNew: a new slice has no bytes of others, as in the original: neither of garbage, nor of
// slices that other pools have released.
func TestNew(t *testing.T) {
	var out [][]byte
	for _, size := range []int{1, 7, 30, 64, 100, 1000, 4096, 30_000, 100_000, 1 << 20} {
		n := max(1, min(200, (1<<20)/size))
		garbage(1<<bits.Len(uint(size-1)), 4*n)
		for _, p := range []*BufferPool{new(BufferPool), GlobalPool} {
			for range n {
				b := p.Get(size)
				out = append(out, b) // never put, so nothing is reused
				if b = b[:cap(b)]; !pooltest.IsZero(b) {
					t.Fatalf("Get(%d) has %d bytes that are not zero", size, len(b)-bytes.Count(b, []byte{0}))
				}
			}
		}
	}
	b := NewBufferString(strings.Repeat("x", 1000)).Bytes()
	if !pooltest.IsZero(b[len(b):cap(b)]) {
		t.Error("behind the contents of a new Buffer are others' bytes")
	}
	runtime.KeepAlive(out)
}

// TestParts puts a part of a slice. For checks, that puts the slice.
func TestParts(t *testing.T) {
	for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		reports := pooltest.BeginChecks(t, level)
		var p BufferPool
		for _, c := range []struct {
			name string
			part func(b []byte) []byte
			leak bool
		}{
			{"all", func(b []byte) []byte { return b }, false},
			{"shortened", func(b []byte) []byte { return b[:3] }, false},
			{"the last 64 bytes", func(b []byte) []byte { return b[64:] }, false},
			{"the last 63 bytes", func(b []byte) []byte { return b[65:] }, false},
			{"the last byte", func(b []byte) []byte { return b[127:] }, false},
			{"the first 30", func(b []byte) []byte { return b[:30:30] }, false},
			{"nothing", func(b []byte) []byte { return nil }, true},
		} {
			p.Put(c.part(p.Get(128)))
			testenv.RunCleanups()
			if got := pooltest.Kinds(reports.Take()); slices.Contains(got, basincheck.Leak) != c.leak {
				t.Errorf("%v, %s is put: reports %v, want a leak: %v", level.Level, c.name, got, c.leak)
			}
		}
		runtime.KeepAlive(&p)
	}
}

// TestSmallChecked: checks find slices below 64 bytes that are put twice or never.
func TestSmallChecked(t *testing.T) {
	reports := pooltest.BeginChecks(t, pooltest.FullChecking)
	var p BufferPool
	for _, c := range []struct {
		name string
		do   func(b []byte)
		want []basincheck.Kind
	}{
		{"put", func(b []byte) { p.Put(b) }, nil},
		{"put shortened", func(b []byte) { p.Put(b[:0]) }, nil},
		{"put twice", func(b []byte) { p.Put(b); p.Put(b) }, []basincheck.Kind{basincheck.DoublePut}},
		{"never put", func(b []byte) {}, []basincheck.Kind{basincheck.Leak}},
	} {
		for _, size := range []int{1, 2, 7, 16, 30, 32} {
			c.do(p.Get(size))
			testenv.RunCleanups()
			if got := pooltest.Kinds(reports.Take()); !slices.Equal(got, c.want) {
				t.Errorf("%d bytes %s: reports %v, want %v", size, c.name, got, c.want)
			}
		}
	}
	runtime.KeepAlive(&p)
}

// TestShrink: a Buffer releases memory as it is read.
func TestShrink(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *Buffer)
		most int // capacity afterwards
	}{
		{"read in part", func(b *Buffer) { b.Read(make([]byte, 99_000)) }, 8000},
		{"read", func(b *Buffer) { b.Read(make([]byte, 100_000)) }, 64},
		{"written", func(b *Buffer) { b.WriteTo(io.Discard) }, 64},
		{"truncated", func(b *Buffer) { b.Truncate(100) }, 800},
		{"truncated to nothing", func(b *Buffer) { b.Truncate(0) }, 64},
		{"reset", func(b *Buffer) { b.Reset() }, 64},
	} {
		b := NewBufferString(strings.Repeat("x", 100_000))
		c.do(b)
		if got := b.Cap(); got > c.most {
			t.Errorf("%s: the capacity is %d, want at most %d", c.name, got, c.most)
		}
		if got := b.String(); got != strings.Repeat("x", b.Len()) {
			t.Errorf("%s: other contents: %q", c.name, got)
		}
	}
}

// TestBufferPool: the arrays of a Buffer come from its Pool, or else from the GlobalPool.
func TestBufferPool(t *testing.T) {
	if full() {
		t.Skip("nothing is reused under full checks")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // each P keeps its own arrays
	for _, c := range []struct {
		name string
		do   func(b *Buffer) // makes b put an array of 128 KiB
	}{
		{"Reset", func(b *Buffer) { b.Reset() }},
		{"Truncate", func(b *Buffer) { b.Truncate(0) }},
		{"Read", func(b *Buffer) { b.Read(make([]byte, 100_000)) }},
		{"Read in part", func(b *Buffer) { b.Read(make([]byte, 99_000)) }},
		{"WriteTo", func(b *Buffer) { b.WriteTo(io.Discard) }},
		{"Write", func(b *Buffer) { b.Write(make([]byte, 100_000)) }},
		{"WriteString", func(b *Buffer) { b.WriteString(strings.Repeat("x", 100_000)) }},
		{"Grow", func(b *Buffer) { b.Grow(100_000) }},
		{"ReadFrom", func(b *Buffer) { b.ReadFrom(strings.NewReader(strings.Repeat("x", 100_000))) }},
	} {
		own := new(BufferPool)
		for _, b := range []*Buffer{{Pool: own}, {}} {
			pool, other := own, GlobalPool
			if b.Pool == nil {
				pool, other = other, pool
			}
			array := slices.Repeat([]byte{'x'}, 1<<17)
			for range 3 { // takes slices that the GlobalPool has from other tests
				other.Get(1 << 17)
				pool.Get(1 << 17)
			}
			pool.Put(array)
			b.Write(array[:100_000])
			if &b.Bytes()[0] != &array[0] {
				t.Errorf("%s: the array is not from the pool of the Buffer, which is its own: %v", c.name, pool == own)
			}
			c.do(b)
			if got := other.Get(1 << 17); &got[0] == &array[0] {
				t.Errorf("%s: the array went to the other pool", c.name)
			}
			if got := pool.Get(1 << 17); &got[0] != &array[0] {
				t.Errorf("%s: the array did not go to the pool of the Buffer, which is its own: %v", c.name, pool == own)
			}
		}
	}
}

// TestWriteItself writes a Buffer's own contents to it, while it grows.
func TestWriteItself(t *testing.T) {
	for _, n := range []int{1, 40, 64, 65, 100, 4096} {
		b := NewBufferString(strings.Repeat("x", n))
		b.Write(b.Bytes())
		if want := strings.Repeat("x", 2*n); b.String() != want {
			t.Errorf("%d bytes written twice are %q", n, b)
		}
	}
}

// TestCapacity checks the capacity of a Buffer after it was grown, or written to, and read.
func TestCapacity(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *Buffer)
		want int
	}{
		{"zero", func(b *Buffer) {}, 0},
		{"a byte", func(b *Buffer) { b.WriteByte('x') }, 64},
		{"64 bytes", func(b *Buffer) { b.Write(make([]byte, 64)) }, 64},
		{"65 bytes", func(b *Buffer) { b.Write(make([]byte, 65)) }, 128},
		{"Grow(100)", func(b *Buffer) { b.Grow(100) }, 128},
		{"Grow(100) and a Read into nothing", func(b *Buffer) { b.Grow(100); b.Read(nil) }, 128},
		{"64 bytes, read, and 64 more", func(b *Buffer) { b.Write(make([]byte, 64)); b.Next(64); b.Write(make([]byte, 64)) }, 64},
		{"room behind the data read", func(b *Buffer) { b.Write(make([]byte, 1000)); b.Next(900); b.Write(make([]byte, 800)) }, 1024},
	} {
		var b Buffer
		if c.do(&b); b.Cap() != c.want {
			t.Errorf("%s: the capacity is %d, want %d", c.name, b.Cap(), c.want)
		}
	}
}

type closer struct {
	bytes.Buffer
	fail   error
	closed bool
}

func (c *closer) Write(b []byte) (int, error) {
	if c.fail != nil {
		return 0, c.fail
	}
	return c.Buffer.Write(b)
}

func (c *closer) Close() error { c.closed = true; return nil }

// TestWriter writes more than the buffer holds, and closes failing writers. The original's
// tests check that Writes are buffered.
func TestWriter(t *testing.T) {
	var c closer
	w := Writer{W: &c}
	sizes := func(buffered int) {
		t.Helper()
		if w.Buffered() != buffered || w.Available() != w.Size()-buffered || w.Size() != WriterBufferSize {
			t.Errorf("%d buffered, %d available of %d, want %d buffered", w.Buffered(), w.Available(), w.Size(), buffered)
		}
	}
	w.Write(make([]byte, WriterBufferSize)) // written directly
	sizes(0)
	if got := c.Len(); got != WriterBufferSize {
		t.Errorf("%d bytes written", got)
	}
	w.WriteByte('e')
	c.fail = errors.New("failure")
	if err := w.Close(); err != c.fail || !c.closed {
		t.Errorf("Close returns %v, and has closed: %v", err, c.closed)
	}
	sizes(1)
}

func TestName(t *testing.T) {
	Put(Get(100))
	names := []string{}
	for _, s := range basinexport.Append(nil) {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "go-buffer-pool") {
		t.Errorf("no pool named go-buffer-pool among %q", names)
	}
}
