package basin_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
)

// withPool makes p the default pool for the length of the test.
func withPool(t *testing.T, c basin.Config) *basin.BytePool {
	t.Helper()
	p := basin.NewBytePool(c)
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return p
}

// TestBufferWritesItself writes to Buffers what they hold. What a Zero pool is given, it clears at once.
func TestBufferWritesItself(t *testing.T) {
	withPool(t, basin.Config{Zero: true})
	for _, origin := range []struct {
		name string
		new  func() *basin.Buffer
	}{
		{"zero value", func() *basin.Buffer { return new(basin.Buffer) }},
		{"small", basin.NewSmallBuffer},
		{"handle", basin.GetBuffer},
		{"of a slice", func() *basin.Buffer { return basin.NewBuffer(make([]byte, 0, 100)) }},
	} {
		for _, way := range []struct {
			name  string
			write func(b *basin.Buffer)
		}{
			{"Write", func(b *basin.Buffer) { b.Write(b.Bytes()) }},
			{"WriteString", func(b *basin.Buffer) { b.WriteString(b.UnsafeString()) }},
			{"Write of a part", func(b *basin.Buffer) { b.Write(b.Bytes()[b.Len()/2:]) }},
			{"WriteTo", func(b *basin.Buffer) { io.Copy(b, bytes.NewReader(b.Bytes())) }},
		} {
			t.Run(origin.name+"/"+way.name, func(t *testing.T) {
				b := origin.new()
				b.WriteString("contents")
				want := b.String()
				for range 12 {
					added := want
					if way.name == "Write of a part" {
						added = want[len(want)/2:]
					}
					want += added
					if way.write(b); b.String() != want {
						t.Fatalf("with %d bytes: differs from what was written at byte %d", len(want), differsAt(b.Bytes(), []byte(want)))
					}
				}
				b.Free()
			})
		}
	}
}

func TestBufferRecyclesWhatItOutgrows(t *testing.T) {
	p := withPool(t, basin.Config{})
	var b basin.Buffer
	for range 1000 {
		b.WriteString("0123456789")
	}
	s := p.Stats()
	if s.InUseBytes != int64(b.Cap()) {
		t.Errorf("%d bytes in use, want the %d of the Buffer", s.InUseBytes, b.Cap())
	}
	if s.Puts == 0 || s.Puts != s.Gets-1 || s.Drops != 0 {
		t.Errorf("%d gets, %d puts, %d drops, want all but one put", s.Gets, s.Puts, s.Drops)
	}
	b.Free()
	b.Free()
	if s := p.Stats(); s.InUseBytes != 0 || s.Puts != s.Gets || s.DropsBy.Double != 0 {
		t.Errorf("after Free twice: %d bytes in use, %d gets, %d puts, %d double", s.InUseBytes, s.Gets, s.Puts, s.DropsBy.Double)
	}
	if b.Len() != 0 || b.Cap() != 0 {
		t.Errorf("after Free: Len %d, Cap %d, want none", b.Len(), b.Cap())
	}
	b.WriteString("again")
	if b.String() != "again" {
		t.Errorf("after Free: %q", b.String())
	}
}

// A caller's slice has the exact shape of a size class here, so the pool would
// take it if it came that far.
func TestCallersSliceNeverEntersThePool(t *testing.T) {
	p := withPool(t, basin.Config{})
	mine := basin.MakeUninit(4096, 4096)
	copy(mine, strings.Repeat("x", 4096))
	grown := basin.NewBuffer(mine)
	grown.WriteByte('y')
	freed := basin.NewBuffer(mine)
	freed.Free()
	detached := basin.NewBuffer(mine)
	data := detached.Detach()
	if unsafe.SliceData(data) == unsafe.SliceData(mine) {
		t.Error("Detach returned the caller's slice, to be put")
	}
	if s := p.Stats(); s.Puts != 0 || s.Drops != 0 {
		t.Errorf("%d puts, %d drops, want none", s.Puts, s.Drops)
	}
	if string(mine) != strings.Repeat("x", 4096) || string(data) != string(mine) {
		t.Error("the contents changed")
	}
}

func TestDetach(t *testing.T) {
	p := withPool(t, basin.Config{})
	var b basin.Buffer
	b.WriteString("some contents")
	b.Next(5)
	array := unsafe.SliceData(b.Bytes()[:1])
	data := b.Detach()
	if string(data) != "contents" || b.Len() != 0 || b.Cap() != 0 {
		t.Errorf("Detach gave %q and left Len %d, Cap %d", data, b.Len(), b.Cap())
	}
	if uintptr(unsafe.Pointer(array))-uintptr(unsafe.Pointer(unsafe.SliceData(data))) != 5 {
		t.Error("Detach copied storage of the pool to another array")
	}
	b.WriteString("others")
	if string(data) != "contents" {
		t.Error("the Buffer wrote to what it was detached from")
	}
	basin.Put(data)
	b.Free()
	if s := p.Stats(); s.InUseBytes != 0 || s.Drops != 0 {
		t.Errorf("%d bytes in use, %d drops, want none", s.InUseBytes, s.Drops)
	}
	if data := b.Detach(); len(data) != 0 {
		t.Errorf("Detach of an empty Buffer gave %q", data)
	}
	small := basin.NewSmallBuffer()
	small.WriteString("on the stack")
	if data := small.Detach(); string(data) != "on the stack" || small.Len() != 0 {
		t.Errorf("Detach of a small Buffer gave %q", data)
	}
}

func TestSetAndCopies(t *testing.T) {
	var b basin.Buffer
	b.SetString("hello")
	b.Set(b.Bytes()[1:]) // of itself
	if b.String() != "ello" {
		t.Errorf("Set of its own bytes: %q", b.String())
	}
	b.Set(nil)
	if b.Len() != 0 {
		t.Errorf("Set(nil): %q", b.String())
	}
	b.SetString("0123456789")
	b.Next(2)
	dst := make([]byte, 4)
	if n := b.CopyTo(dst); n != 4 || string(dst) != "2345" || b.Len() != 8 {
		t.Errorf("CopyTo = %d, %q and left %d", n, dst, b.Len())
	}
	if n := b.CopyTo(make([]byte, 100)); n != 8 {
		t.Errorf("CopyTo a large slice = %d", n)
	}
	if n := b.CopyTo(nil); n != 0 {
		t.Errorf("CopyTo(nil) = %d", n)
	}
	clone := b.Clone()
	b.SetString("changed")
	if clone.String() != "23456789" {
		t.Errorf("Clone changed with its original: %q", clone.String())
	}
	if s := b.UnsafeString(); s != "changed" || unsafe.StringData(s) != unsafe.SliceData(b.Bytes()) {
		t.Errorf("UnsafeString = %q, or a copy", s)
	}
	if s := new(basin.Buffer).UnsafeString(); s != "" {
		t.Errorf("UnsafeString of an empty Buffer = %q", s)
	}
}

// Results go here, so that the compiler cannot do without them.
var (
	lastString string
	lastWriter io.Writer
)

func TestSmallBufferAllocations(t *testing.T) {
	if !optimized() {
		t.Skip("the compiler was told not to optimize")
	}
	text := strings.Repeat("x", 65)
	for _, c := range []struct {
		n, want int
	}{{0, 0}, {5, 1}, {64, 1}} {
		p := []byte(text[:c.n])
		got := testing.AllocsPerRun(100, func() {
			b := basin.NewSmallBuffer()
			b.Write(p)
			lastString = b.String()
		})
		if int(got) != c.want || lastString != text[:c.n] {
			t.Errorf("NewSmallBuffer, Write of %d bytes, String: %v allocations, want %d", c.n, got, c.want)
		}
	}
	// Beyond 64 bytes it is a Buffer like any other, and nothing keeps it from
	// being on the stack whatever is called.
	got := testing.AllocsPerRun(100, func() {
		b := basin.NewSmallBuffer()
		b.WriteString(text[:60])
		b.WriteRune('ß')
		b.WriteByte('!')
		b.Grow(1000)
		b.Truncate(50)
		b.Next(3)
		b.ReadByte()
		b.UnreadByte()
		b.Set(b.Bytes())
		basin.Put(b.Detach())
		b.Free()
	})
	if got != 0 {
		t.Errorf("every method of a small Buffer: %v allocations, want none", got)
	}
}

// optimized reports whether this build inlines and keeps things off the heap.
func optimized() bool {
	return testing.AllocsPerRun(10, func() { basin.NewSmallBuffer().WriteByte(1) }) == 0
}

func TestSmallBufferOutgrowsTheStack(t *testing.T) {
	p := withPool(t, basin.Config{})
	for n := range 200 {
		b := basin.NewSmallBuffer()
		want := strings.Repeat("y", n)
		for i := range n {
			b.WriteByte(want[i])
			if i == 70 {
				deep(1000) // the stack moves
			}
		}
		if b.String() != want {
			t.Fatalf("%d bytes: %q", n, b.String())
		}
		b.Free()
	}
	if s := p.Stats(); s.InUseBytes != 0 || s.Drops != 0 || s.Puts != s.Gets {
		t.Errorf("%d gets, %d puts, %d drops, want every array put once", s.Gets, s.Puts, s.Drops)
	}
}

func deep(n int) byte {
	var room [1024]byte
	if n > 0 {
		room[n%1024] = deep(n - 1)
	}
	return room[7]
}

func TestMegabyteAllocates(t *testing.T) {
	reuses(t)
	// On one P, or an array may be with the other when it is wanted.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := withPool(t, basin.Config{})
	kilo := make([]byte, 1024)
	build := func() {
		var b basin.Buffer
		for range 1024 {
			b.Write(kilo)
		}
		b.Free()
	}
	build()
	before := p.Stats()
	const runs = 10
	for range runs {
		build()
	}
	if after := p.Stats(); after.Misses != before.Misses || after.Oversize != before.Oversize {
		t.Errorf("building 1 MiB in a warm pool missed it %d times", after.Misses-before.Misses)
	}
	if got := testing.AllocsPerRun(10, build); got != 0 {
		t.Errorf("building 1 MiB in a warm pool: %v allocations", got)
	}
}

// Write has ways of its own for short lengths, and p may be the Buffer's own.
func TestWriteOfEveryLength(t *testing.T) {
	text := make([]byte, 600)
	for i := range text {
		text[i] = byte(i * 7)
	}
	for n := range 300 {
		for _, shift := range []int{-1, 0, 1, 7, 15, 16, 40, 127, 128, 200} {
			var ours basin.Buffer
			var theirs bytes.Buffer
			for _, b := range []stdBuffer{&ours, &theirs} {
				b.Grow(2000)
				b.Write(text[:10])
				p := text[:n]
				if shift >= 0 { // in what is still free of the storage
					p = b.AvailableBuffer()[shift : shift+n]
					copy(p, text)
				}
				if got, err := b.Write(p); got != n || err != nil {
					t.Fatalf("Write of %d = %d, %v", n, got, err)
				}
			}
			if !bytes.Equal(ours.Bytes(), theirs.Bytes()) {
				t.Fatalf("Write of %d bytes, shift %d:\n%q, want\n%q", n, shift, &ours, &theirs)
			}
			ours.Free()
		}
	}
}

// Grow is no read and no write, so what was read last can still be unread, but
// finds nothing there if Grow moved the contents.
func TestUnreadAfterGrow(t *testing.T) {
	for _, room := range []int{0, 5000} {
		ours := basin.NewBuffer(append(make([]byte, 0, 8+room), "contents"...))
		theirs := bytes.NewBuffer(append(make([]byte, 0, 8+room), "contents"...))
		for _, b := range []stdBuffer{ours, theirs} {
			b.ReadByte()
			b.Grow(4000)
			if err := b.UnreadByte(); err != nil {
				t.Errorf("%T: UnreadByte after Grow: %v", b, err)
			}
		}
		if ours.String() != theirs.String() {
			t.Errorf("holds %q, want %q", ours, theirs)
		}
	}
}

// lyingReader and lyingWriter break the contracts of io.Reader and io.Writer.
type lyingReader int

func (n lyingReader) Read(p []byte) (int, error) { return int(n), nil }

type lyingWriter int

func (n lyingWriter) Write(p []byte) (int, error) { return int(n), nil }

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestBadInputOfBuffer(t *testing.T) {
	full := func() (*basin.Buffer, *bytes.Buffer) {
		return basin.NewBuffer([]byte("contents")), bytes.NewBuffer([]byte("contents"))
	}
	for _, c := range []struct {
		name         string
		ours, theirs func(*basin.Buffer, *bytes.Buffer)
	}{
		{"Grow negative",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.Grow(-1) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.Grow(-1) }},
		{"Grow more than there can be",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.Grow(1<<(strconv.IntSize-1) - 1) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.Grow(1<<(strconv.IntSize-1) - 1) }},
		{"Grow more than can be allocated",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.Grow(1<<(strconv.IntSize-2) + 1<<(strconv.IntSize-3)) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.Grow(1<<(strconv.IntSize-2) + 1<<(strconv.IntSize-3)) }},
		{"Truncate negative",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.Truncate(-1) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.Truncate(-1) }},
		{"Truncate too long",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.Truncate(9) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.Truncate(9) }},
		{"ReadFrom a negative count",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.ReadFrom(lyingReader(-1)) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.ReadFrom(lyingReader(-1)) }},
		{"WriteTo that takes too much",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.WriteTo(lyingWriter(9)) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.WriteTo(lyingWriter(9)) }},
		{"WriteTo a nil Writer",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.WriteTo(nil) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.WriteTo(nil) }},
		{"ReadFrom a nil Reader",
			func(b *basin.Buffer, _ *bytes.Buffer) { b.ReadFrom(nil) },
			func(_ *basin.Buffer, b *bytes.Buffer) { b.ReadFrom(nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strconv.IntSize == 32 && c.name == "Grow more than can be allocated" {
				t.Skip("there may be as much on this machine, or the program ends")
			}
			ours, theirs := full()
			a, b := panicOf(func() { c.ours(ours, nil) }), panicOf(func() { c.theirs(nil, theirs) })
			errA, okA := a.(error)
			errB, okB := b.(error)
			if b == nil || okA != okB || okA && errA.Error() != errB.Error() || !okA && a != b {
				t.Errorf("panics with %v, want %v", a, b)
			}
			if errB == bytes.ErrTooLarge && errA != bytes.ErrTooLarge {
				t.Errorf("panics with %#v, want bytes.ErrTooLarge itself", errA)
			}
			if ours.String() != theirs.String() {
				t.Errorf("left %q, want %q", ours.String(), theirs.String())
			}
		})
	}

	t.Run("ReadFrom a count beyond the room", func(t *testing.T) {
		ours, _ := full()
		if panicOf(func() { ours.ReadFrom(lyingReader(1 << 20)) }) == nil {
			t.Error("did not panic")
		}
		if ours.String() != "contents" {
			t.Errorf("left %q", ours.String())
		}
	})
	t.Run("WriteTo a short writer", func(t *testing.T) {
		ours, _ := full()
		n, err := ours.WriteTo(lyingWriter(3))
		if n != 3 || !errors.Is(err, io.ErrShortWrite) || ours.String() != "tents" {
			t.Errorf("WriteTo = %d, %v and left %q", n, err, ours.String())
		}
	})
	t.Run("WriteTo a negative count", func(t *testing.T) {
		ours, theirs := full()
		n, err := ours.WriteTo(lyingWriter(-1))
		wantN, wantErr := theirs.WriteTo(lyingWriter(-1))
		if n != wantN || err != wantErr || ours.Len() != theirs.Len() {
			t.Errorf("WriteTo = %d, %v and left %d; want %d, %v and %d", n, err, ours.Len(), wantN, wantErr, theirs.Len())
		}
	})
	t.Run("Truncate after a negative count", func(t *testing.T) {
		ours, theirs := full()
		ours.WriteTo(lyingWriter(-5))
		theirs.WriteTo(lyingWriter(-5))
		a, b := panicOf(func() { ours.Truncate(1) }), panicOf(func() { theirs.Truncate(1) })
		if a == nil || b == nil {
			t.Errorf("Truncate before the begin panics with %v, want %v", a, b)
		}
	})
	t.Run("nil Buffer", func(t *testing.T) {
		if s := (*basin.Buffer)(nil).String(); s != "<nil>" {
			t.Errorf("String of a nil Buffer = %q", s)
		}
	})
}

// TestVetReportsCopies has go vet look at a program that copies a Buffer.
func TestVetReportsCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command:", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module copies\n\ngo 1.25\n\nrequire github.com/basin-go/basin v0.0.0\n\n" +
			"replace github.com/basin-go/basin => " + strconv.Quote(filepath.ToSlash(here)) + "\n",
		"copies.go": "package copies\n\nimport \"github.com/basin-go/basin\"\n\n" +
			"func Copy(b *basin.Buffer) int {\n\tc := *b\n\treturn c.Len()\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("copies lock value")) {
		t.Errorf("go vet on a copied Buffer: %v\n%s", err, out)
	}
}
