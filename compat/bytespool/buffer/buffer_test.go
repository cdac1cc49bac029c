//go:build go1.25

package buffer

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/compat/capacitypools"
	"github.com/basin-go/basin/internal/pooltest"
)

var (
	_ io.WriteCloser  = (*Buffer)(nil)
	_ io.ReaderFrom   = (*Buffer)(nil)
	_ io.WriterTo     = (*Buffer)(nil)
	_ io.ByteWriter   = (*Buffer)(nil)
	_ io.StringWriter = (*Buffer)(nil)

	// The type of package bytespool, also if this module replaces the original.
	_ func(int) capacitypools.RuntimeSummary = RuntimeStatsSummary
)

func mustPanic(t *testing.T, name string, want error, f func()) {
	t.Helper()
	defer func() {
		if got := recover(); got != want {
			t.Errorf("%s: panics with %v, want %v", name, got, want)
		}
	}()
	f()
}

func TestMake(t *testing.T) {
	for _, c := range []struct {
		name      string
		b         *Buffer
		text      string
		len, cap_ int
	}{
		{"Get", Get(), "", 0, 64},
		{"Get(8)", Get(8), "", 0, 8},
		{"Get(0)", Get(0), "", 0, 2},
		{"Make(-1)", Make(-1), "", 0, 2},
		{"Make(8)", Make(8), "", 0, 8},
		{"Make64(9)", Make64(9), "", 0, 16},
		{"MakeMin", MakeMin(), "", 0, 2},
		{"MakeMax", MakeMax(), "", 0, 4 << 20},
		{"NewBytes", NewBytes([]byte("abc")), "abc", 3, 4},
		{"NewString", NewString("abc"), "abc", 3, 4},
		{"NewBuffer", NewBuffer([]byte("abc")), "abc", 3, 3},
		{"Clone", Clone(NewString("abc")), "abc", 3, 4},
		{"zero", new(Buffer), "", 0, 0},
	} {
		if c.b.String() != c.text || c.b.Len() != c.len || c.b.Cap() != c.cap_ || c.b.RefValue() != 0 {
			t.Errorf("%s: %q, capacity %d, %d references, want %q, %d and 0", c.name, c.b, c.b.Cap(), c.b.RefValue(), c.text, c.cap_)
		}
	}
	if b := New(100); b.Len() != 100 || b.Cap() != 128 {
		t.Errorf("New(100): length %d and capacity %d", b.Len(), b.Cap())
	}
	if MinSize() != 2 || MaxSize() != 4<<20 {
		t.Errorf("pools from %d to %d", MinSize(), MaxSize())
	}
	var none *Buffer
	if none.String() != "" {
		t.Errorf("a nil Buffer is %q", none.String())
	}
}

func TestContents(t *testing.T) {
	for _, b := range []*Buffer{Get(), Make(1), new(Buffer), NewBuffer(make([]byte, 0, 3))} {
		for _, c := range []struct {
			name string
			do   func() (int, error)
			n    int
			want string
		}{
			{"Write", func() (int, error) { return b.Write([]byte("ab")) }, 2, "ab"},
			{"WriteByte", func() (int, error) { return 0, b.WriteByte('c') }, 0, "abc"},
			{"WriteString", func() (int, error) { return b.WriteString("de") }, 2, "abcde"},
			{"Append", func() (int, error) { b.Append([]byte("f")); return 0, nil }, 0, "abcdef"},
			{"AppendByte", func() (int, error) { b.AppendByte('g'); return 0, nil }, 0, "abcdefg"},
			{"AppendString", func() (int, error) { b.AppendString("h"); return 0, nil }, 0, "abcdefgh"},
			{"Truncate", func() (int, error) { b.Truncate(3); return 0, nil }, 0, "abc"},
			{"Grow", func() (int, error) { b.Grow(1000); copy(b.B[3:], strings.Repeat("x", 1000)); return 0, nil }, 0, "abc" + strings.Repeat("x", 1000)},
			{"Set", func() (int, error) { b.Set([]byte("xy")); return 0, nil }, 0, "xy"},
			{"SetString", func() (int, error) { b.SetString("z"); return 0, nil }, 0, "z"},
			{"Reset", func() (int, error) { b.Reset(); return 0, nil }, 0, ""},
			{"the example", func() (int, error) {
				b.SetString("1")
				b.WriteString("22")
				b.Write([]byte("333"))
				b.WriteByte('x')
				b.Truncate(6)
				return 0, nil
			}, 0, "122333"},
		} {
			n, err := c.do()
			if n != c.n || err != nil || b.String() != c.want || string(b.Bytes()) != c.want || b.UnsafeString() != c.want || b.Len() != len(c.want) {
				t.Errorf("%s: %d, %v and %q, want %d and %q", c.name, n, err, b, c.n, c.want)
			}
		}
		into := make([]byte, 3)
		if n := b.CopyTo(into); n != 3 || string(into) != "122" {
			t.Errorf("CopyTo: %d and %q", n, into)
		}
		if c := b.Copy(); string(c) != "122333" || &c[0] == &b.B[0] {
			t.Errorf("Copy: %q", c)
		}
		if c := b.Clone(); c.String() != "122333" || c == b {
			t.Errorf("Clone: %q", c)
		}
	}
}

func TestPanics(t *testing.T) {
	b := NewString("abc")
	mustPanic(t, "Truncate(-1)", ErrTruncation, func() { b.Truncate(-1) })
	mustPanic(t, "Truncate(4)", ErrTruncation, func() { b.Truncate(4) })
	mustPanic(t, "Grow(-1)", ErrGrow, func() { b.Grow(-1) })
	mustPanic(t, "Guarantee(-1)", ErrGrow, func() { b.Guarantee(-1) })
	mustPanic(t, "Grow of too much", ErrTooLarge, func() { b.Grow(math.MaxInt32) })
	mustPanic(t, "Guarantee of an int", ErrTooLarge, func() { b.Guarantee(math.MaxInt) })
	if b.String() != "abc" {
		t.Errorf("afterwards: %q", b)
	}
	b.Guarantee(1000)
	if b.String() != "abc" || b.Cap() < 1003 {
		t.Errorf("Guarantee(1000): %q with capacity %d", b, b.Cap())
	}
}

func TestReadFrom(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	failure := errors.New("failure")
	for _, c := range []struct {
		name string
		r    func() io.Reader
		n    int64
		err  error
	}{
		{"nothing", func() io.Reader { return strings.NewReader("") }, 0, nil},
		{"text", func() io.Reader { return strings.NewReader(text) }, 10_000, nil},
		{"text by byte", func() io.Reader { return iotest.OneByteReader(strings.NewReader(text)) }, 10_000, nil},
		{"an error", func() io.Reader { return io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(failure)) }, 3, failure},
	} {
		for _, b := range []*Buffer{{}, Get(), NewString("before")} {
			before := b.String()
			n, err := b.ReadFrom(c.r())
			if n != c.n || err != c.err || b.Len() != len(before)+int(n) || !strings.HasPrefix(b.String(), before) {
				t.Errorf("%s: %d and %v, %d bytes in all", c.name, n, err, b.Len())
			}
			var into bytes.Buffer
			if n, err := b.WriteTo(&into); n != int64(b.Len()) || err != nil || into.String() != b.String() {
				t.Errorf("%s: WriteTo: %d and %v", c.name, n, err)
			}
		}
	}
}

// TestReferences: only the last of many releases puts the memory.
func TestReferences(t *testing.T) {
	b := NewString("abc")
	b.RefInc()
	b.RefAdd(2)
	b.RefDec()
	if got := b.RefValue(); got != 2 {
		t.Fatalf("%d references, want 2", got)
	}
	if got := b.RefSwapDec(); got != 2 || b.RefValue() != 1 {
		t.Errorf("RefSwapDec: %d, and then %d", got, b.RefValue())
	}
	b.RefStore(5)
	b.RefReset()
	b.RefInc()
	for i, want := range []bool{false, true, false, false} {
		if got := b.Release(); got != want {
			t.Errorf("release %d: %v, want %v", i, got, want)
		}
	}
	if err := NewString("abc").Close(); err != nil {
		t.Error(err)
	}
	if err := NewBuffer(nil).Close(); err != ErrClose {
		t.Errorf("Close of nothing: %v", err)
	}
	Put(Get())
	Get().Put()
	if !Release(Get()) {
		t.Error("Release keeps nothing")
	}
	for range 100 {
		b := Get()
		var last atomic.Int32
		b.RefStore(7)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if b.Release() {
					last.Add(1)
				}
			})
		}
		wg.Wait()
		if last.Load() != 1 {
			t.Fatalf("%d of 8 gave the memory back", last.Load())
		}
	}
}

func TestReaders(t *testing.T) {
	b := NewString("abc")
	var readers []*bytes.Reader
	for range 3 {
		r := b.GetReader()
		if all, err := io.ReadAll(r); string(all) != "abc" || err != nil {
			t.Errorf("a reader has %q", all)
		}
		readers = append(readers, r)
	}
	if b.RefValue() != 3 {
		t.Errorf("%d references, want 3", b.RefValue())
	}
	for _, r := range readers[:2] {
		if b.PutReader(r) {
			t.Error("a reader that was not the last gave the memory back")
		}
	}
	b.PutAll(readers[2])
	if b.Release() {
		t.Error("released after PutAll")
	}
	b = NewString("abc")
	r := b.GetReader()
	b.Release()
	if !b.PutReader(r) {
		t.Error("the last reader did not give the memory back")
	}
	r = GetReader([]byte("xyz"))
	if r.Len() != 3 {
		t.Errorf("GetReader: %d bytes", r.Len())
	}
	PutReader(r)
	PutReader(nil)
	Get().PutAll()
}

// TestReuse: buffers share memory with package bytespool, whose slices come from
// capacitypools.Default.
func TestReuse(t *testing.T) {
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is reused under full checks")
	}
	pooltest.Alone(t)
	b := Make(3 << 20)
	first := &b.B[:1][0]
	b.Put()
	if next := capacitypools.Default.New(3 << 20); &next[0] != first {
		t.Error("package bytespool has another array")
	}
	b = Get()
	b.Put()
	if n := pooltest.Allocs(100, func() {
		b := Get()
		b.WriteString("hello")
		b.Put()
	}); n != 0 {
		t.Errorf("%v allocations for a Get, a WriteString and a Put", n)
	}
}

func TestStats(t *testing.T) {
	defer SetWithStats(false)
	Make(9 << 20)
	if got := RuntimeStats(); GetWithStats() || got != nil || RuntimeStatsSummary(5).OutCount != 0 {
		t.Errorf("while they are off: %v", got)
	}
	SetWithStats(true)
	before := RuntimeStats()
	Make(9 << 20)
	if got := RuntimeStats(); got["OutCount"] != before["OutCount"]+1 || got["OutBytes"] != before["OutBytes"]+9<<20 || !GetWithStats() || !capacitypools.Default.GetWithStats() {
		t.Errorf("%v", got)
	}
}

// TestOwners: storage is put with the last reference to a Buffer, and not before.
func TestOwners(t *testing.T) {
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is reused under full checks")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // each P keeps its own arrays
	for _, c := range []struct {
		name string
		do   func(b *Buffer)
		back bool
	}{
		{"Release", func(b *Buffer) { b.Release() }, true},
		{"Put", func(b *Buffer) { b.Put() }, true},
		{"Close", func(b *Buffer) { b.Close() }, true},
		{"the function Release", func(b *Buffer) { Release(b) }, true},
		{"the function Put", func(b *Buffer) { Put(b) }, true},
		{"PutAll", func(b *Buffer) { b.PutAll(b.GetReader(), b.GetReader()) }, true},
		{"RefInc, and one Release", func(b *Buffer) { b.RefInc(); b.Release() }, false},
		{"RefInc, and two Releases", func(b *Buffer) { b.RefInc(); b.Release(); b.Release() }, true},
		{"RefAdd, and one Release", func(b *Buffer) { b.RefAdd(2); b.Release() }, false},
		{"RefStore, RefDec and one Release", func(b *Buffer) { b.RefStore(1); b.RefDec(); b.Release() }, true},
		{"RefInc, RefReset and one Release", func(b *Buffer) { b.RefInc(); b.RefReset(); b.Release() }, true},
		{"GetReader, and one Release", func(b *Buffer) { b.GetReader(); b.Release() }, false},
		{"GetReader, PutReader, and one Release", func(b *Buffer) { b.PutReader(b.GetReader()); b.Release() }, true},
		{"Write beyond the capacity", func(b *Buffer) { b.Write(make([]byte, 3<<20+1)) }, true},
		{"WriteString beyond the capacity", func(b *Buffer) { b.WriteString(strings.Repeat("x", 3<<20+1)) }, true},
		{"Set beyond the capacity", func(b *Buffer) { b.Set(make([]byte, 5<<20)) }, true},
		{"Guarantee beyond the capacity", func(b *Buffer) { b.Guarantee(5 << 20) }, true},
		{"Grow beyond the capacity", func(b *Buffer) { b.Grow(5 << 20) }, true},
		{"Append beyond the capacity", func(b *Buffer) { b.Append(make([]byte, 5<<20)) }, false},
		{"Reset", func(b *Buffer) { b.Reset() }, false},
		{"Truncate", func(b *Buffer) { b.Truncate(0) }, false},
	} {
		b := New(3 << 20)
		first := &b.B[0]
		c.do(b)
		if back := &pools.New(3 << 20)[0] == first; back != c.back {
			t.Errorf("%s: the memory has gone back: %v, want %v", c.name, back, c.back)
		}
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 1000 {
				b := Get()
				for range i % 300 {
					b.WriteByte(byte(g))
				}
				if slices.ContainsFunc(b.B, func(c byte) bool { return c != byte(g) }) || b.Len() != i%300 {
					t.Error("somebody else's bytes")
				}
				b.Release()
			}
		})
	}
	wg.Wait()
}

func TestSetCapacity(t *testing.T) {
	defer KeepPools()()
	SetCapacity(512, 4096)
	if MinSize() != 512 || MaxSize() != 4096 || Get().Cap() != 512 || MakeMax().Cap() != 4096 {
		t.Errorf("from %d to %d", MinSize(), MaxSize())
	}
	if err := Make(5000).Close(); err != ErrClose {
		t.Errorf("Close of one that is too large: %v", err)
	}
}

// TestPutAllTwice puts idle buffers again: no two users may get the same buffer.
func TestPutAllTwice(t *testing.T) {
	for name, put := range map[string]func(*Buffer){
		"PutAll":  func(b *Buffer) { b.PutAll() },
		"Release": func(b *Buffer) { b.Release() },
	} {
		b := Get()
		put(b)
		b.PutAll()
		b.PutAll()
		if a, b := Get(), Get(); a == b {
			t.Errorf("%s, and then PutAll: two users have one Buffer", name)
		}
	}
}
