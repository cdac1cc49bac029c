//go:build go1.25

package bytebufferpool

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func full() bool { return basincheck.Now().Level == basincheck.Full }

// stats returns the idle bytes of pools named bytebufferpool, and their limit.
func stats() (idle, maxIdle int64, pools int) {
	for _, s := range basinexport.Append(nil) {
		if s.Name == "bytebufferpool" {
			idle, maxIdle, pools = idle+s.Bytes.Idle, s.Bytes.MaxIdle, pools+1
		}
	}
	return idle, maxIdle, pools
}

func TestContents(t *testing.T) {
	var b ByteBuffer
	for _, c := range []struct {
		name string
		do   func() (int, error)
		n    int
		want string
	}{
		{"Write", func() (int, error) { return b.Write([]byte("ab")) }, 2, "ab"},
		{"Write of nil", func() (int, error) { return b.Write(nil) }, 0, "ab"},
		{"WriteByte", func() (int, error) { return 0, b.WriteByte('c') }, 0, "abc"},
		{"WriteString", func() (int, error) { return b.WriteString("de") }, 2, "abcde"},
		{"Set", func() (int, error) { b.Set([]byte("xy")); return 0, nil }, 0, "xy"},
		{"SetString", func() (int, error) { b.SetString("z"); return 0, nil }, 0, "z"},
		{"Set to a part of it", func() (int, error) { b.SetString("12345"); b.Set(b.B[2:4]); return 0, nil }, 0, "34"},
		{"Reset", func() (int, error) { b.Reset(); return 0, nil }, 0, ""},
		{"B appended to", func() (int, error) { b.B = append(b.B, "own"...); return 0, nil }, 0, "own"},
	} {
		n, err := c.do()
		if n != c.n || err != nil {
			t.Errorf("%s: returns %d and %v, want %d", c.name, n, err, c.n)
		}
		if b.String() != c.want || string(b.Bytes()) != c.want || b.Len() != len(c.want) {
			t.Errorf("%s: contents are %q, want %q", c.name, b.B, c.want)
		}
	}
}

func TestReadFrom(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	failure := errors.New("failure")
	for _, c := range []struct {
		name string
		r    io.Reader
		n    int
		err  error
	}{
		{"nothing", strings.NewReader(""), 0, nil},
		{"text", strings.NewReader(text), len(text), nil},
		{"text by byte", iotest.OneByteReader(strings.NewReader(text)), len(text), nil},
		{"the end with the data", iotest.DataErrReader(strings.NewReader(text)), len(text), nil},
		{"an error", io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(failure)), 3, failure},
	} {
		for _, b := range []*ByteBuffer{{}, {B: []byte("before")}, Get()} {
			before := b.Len()
			n, err := b.ReadFrom(c.r)
			if b.Len() != before+int(n) || err != c.err {
				t.Errorf("%s: %d bytes after %d, and %v", c.name, b.Len(), before, err)
			}
			if before == 0 && b.B != nil && n > 0 && int(n) != c.n {
				t.Errorf("%s: %d bytes, want %d", c.name, n, c.n)
			}
		}
	}
}

func TestWriteTo(t *testing.T) {
	b := ByteBuffer{B: []byte("abc")}
	var into strings.Builder
	for range 2 { // the contents remain
		if n, err := b.WriteTo(&into); n != 3 || err != nil {
			t.Errorf("WriteTo returns %d and %v", n, err)
		}
	}
	if into.String() != "abcabc" {
		t.Errorf("written: %q", into.String())
	}
}

// reuses notes that t expects reuse, which is certain only on the same P.
func reuses(t *testing.T) {
	t.Helper()
	pooltest.Alone(t)
	if full() {
		t.Skip("nothing is reused under full checks")
	}
}

// TestReuse: a buffer is reused, empty and with its array.
func TestReuse(t *testing.T) {
	reuses(t)
	var p Pool
	b := p.Get()
	b.WriteString("abc")
	first := &b.B[0]
	p.Put(b)
	next := p.Get()
	if next != b || next.Len() != 0 || &next.B[:1][0] != first {
		t.Error("the next buffer is another one, is not empty, or has another array")
	}
	p.Put(next)
	if n := pooltest.Allocs(100, func() {
		b := p.Get()
		b.B = append(b.B, "hello"...)
		p.Put(b)
	}); n != 0 {
		t.Errorf("%v allocations for a Get, an append and a Put", n)
	}
}

// TestLarge: buffers that have grown to any size are reused.
func TestLarge(t *testing.T) {
	reuses(t)
	for need := 100; need <= 3_000_000; need = need*5/4 + 1 {
		var p Pool
		data := make([]byte, need)
		for range 200 {
			b := p.Get()
			b.Write(data)
			p.Put(b)
		}
		if s := p.idle.Stats(); s.Hits < 150 {
			t.Errorf("%d bytes: %v", need, s)
		}
	}
}

// TestForeign puts buffers that the pool did not make.
func TestForeign(t *testing.T) {
	var p Pool
	for _, b := range []*ByteBuffer{
		{},
		{B: make([]byte, 10)},
		{B: make([]byte, 300)[3:7:100]},
		{B: make([]byte, 64<<20)},
	} {
		p.Put(b)
	}
	for range 10 {
		if b := p.Get(); b.Len() != 0 {
			t.Errorf("a buffer with %d bytes", b.Len())
		}
	}
}

// TestLimit has users who drop buffers above their own limit. Once they have dropped the
// existing ones, no user gets a larger buffer: the pool makes no large arrays just because
// others needed them once.
func TestLimit(t *testing.T) {
	pooltest.Alone(t)
	const limit = 1024
	var p Pool
	var out []*ByteBuffer
	for i := range 100 {
		b := p.Get()
		b.B = append(b.B, make([]byte, []int{100, 80 << 10}[i%2])...)
		out = append(out, b)
	}
	for _, b := range out {
		p.Put(b)
	}
	larger := 0
	for range 1000 {
		b := p.Get()
		b.Set(make([]byte, 512))
		if cap(b.B) <= limit {
			p.Put(b)
		} else {
			larger++
		}
	}
	if larger > 50 {
		t.Errorf("%d of 1000 users got more than the limit, want at most the 50 arrays that there were", larger)
	}
}

// TestCut puts a buffer whose array was cut. The pool must not hand out the rest.
func TestCut(t *testing.T) {
	reuses(t)
	var p Pool
	b := p.Get()
	b.B = make([]byte, 0, 80<<10)[:0:512]
	p.Put(b)
	if next := p.Get(); next != b || cap(next.B) != 512 {
		t.Errorf("the capacity is %d, or it is another buffer; want 512", cap(next.B))
	}
}

// TestLearned: the pool drops and makes buffers according to the sizes of its users, and rare large ones
// do not change what the others get.
func TestLearned(t *testing.T) {
	reuses(t)
	var p Pool
	for i := range 5000 {
		b := p.Get()
		if cap(b.B) > 2048 {
			t.Fatalf("use %d: a buffer has a capacity of %d", i, cap(b.B))
		}
		b.Write(make([]byte, 1000))
		if i%50 == 0 {
			b.Write(make([]byte, 1<<20))
		}
		p.Put(b)
	}
	p.idle.Trim()
	if b := p.Get(); cap(b.B) != 1024 {
		t.Errorf("a new buffer has a capacity of %d, want 1024", cap(b.B))
	}
	before := p.idle.Stats().Drops.Large
	giant := &ByteBuffer{B: make([]byte, 4096)}
	p.Put(giant)
	if p.Get() == giant {
		t.Error("a buffer larger than users need is kept")
	}
	if n := p.idle.Stats().Drops.Large - before; n != 1 {
		t.Errorf("%d drops are too large, want one", n)
	}
}

// TestBound puts many large buffers at once, and as many small ones.
func TestBound(t *testing.T) {
	var p Pool
	for _, size := range []int{100, 1 << 20, 5 << 20} {
		var out []*ByteBuffer
		for range 20 {
			b := p.Get()
			b.B = append(b.B, make([]byte, size)...)
			out = append(out, b)
		}
		for _, b := range out {
			p.Put(b)
			if idle, most, _ := stats(); idle > most {
				t.Fatalf("%d bytes are idle, want at most %d", idle, most)
			}
		}
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				b := Get()
				for range i % 100 {
					b.WriteByte(byte(g))
				}
				if slices.ContainsFunc(b.B, func(c byte) bool { return c != byte(g) }) || b.Len() != i%100 {
					t.Errorf("somebody else's bytes in %q", b.B)
				}
				Put(b)
			}
		})
	}
	wg.Wait()
}

// TestChecked: a buffer that is never put is no leak, as users may keep it. A second Put is still reported.
func TestChecked(t *testing.T) {
	for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		reports := pooltest.BeginChecks(t, level)
		var p Pool
		for _, c := range []struct {
			name string
			do   func()
			want []basincheck.Kind
		}{
			{"put", func() { p.Put(p.Get()); Put(Get()) }, nil},
			{"never put", func() { p.Get().WriteByte('x'); Get().WriteByte('x') }, nil},
			{"put twice", func() { b := p.Get(); p.Put(b); p.Put(b) }, []basincheck.Kind{basincheck.DoublePut}},
			{"put twice into the package's", func() { b := Get(); Put(b); Put(b) }, []basincheck.Kind{basincheck.DoublePut}},
		} {
			var got []basincheck.Kind
			for range 10 { // a sample does not track the first new buffer at the address of one that is garbage
				c.do()
				if out := basincheck.Outstanding(); len(out) > 0 {
					t.Errorf("%v, %s: outstanding: %v", level.Level, c.name, out)
				}
				testenv.RunCleanups()
				if got = pooltest.Kinds(reports.Take()); len(got) == len(c.want) {
					break
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, %s: reports %v, want %v", level.Level, c.name, got, c.want)
			}
		}
		runtime.KeepAlive(&p)
	}
}

func TestName(t *testing.T) {
	Put(Get())
	if _, _, pools := stats(); pools == 0 {
		t.Error("no pool named bytebufferpool")
	}
}
