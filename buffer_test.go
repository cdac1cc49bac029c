//go:build go1.25

package basin_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"text/template"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestBufferSlides: a Buffer that is read as fast as it is written does not grow again and again,
// even if larger arrays are idle.
func TestBufferSlides(t *testing.T) {
	pool := withPool(t, pooltest.Config{})
	for _, size := range []int{1792, 8192, 32768} {
		pool.Put(pool.Get(size))
	}
	var b basin.Buffer
	p := make([]byte, 1024)
	b.Write(p[:1])
	first := 0
	for range 100 {
		b.Write(p)
		b.Read(p)
		first = cmp.Or(first, b.Cap())
	}
	if b.Cap() > 3*first {
		t.Errorf("capacity %d, at first %d", b.Cap(), first)
	}
}

// TestBufferWritesItself writes the contents of Buffers to themselves, although a Zero pool clears
// an array as soon as it is put.
func TestBufferWritesItself(t *testing.T) {
	withPool(t, pooltest.Config{Zero: true})
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
			{"WriteString", func(b *basin.Buffer) { b.WriteString(b.String()) }},
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
						t.Fatalf("with %d bytes: differs from the data written at byte %d", len(want), differsAt(b.Bytes(), []byte(want)))
					}
				}
				b.Free()
			})
		}
	}
}

func TestBufferRecyclesOutgrownArrays(t *testing.T) {
	p := withPool(t, pooltest.Config{})
	var b basin.Buffer
	for range 1000 {
		b.WriteString("0123456789")
	}
	s := p.Stats()
	if s.Bytes.InUse != int64(b.Cap()) {
		t.Errorf("%d bytes in use, want the %d of the Buffer", s.Bytes.InUse, b.Cap())
	}
	if s.Puts == 0 || s.Puts != s.Gets-1 || pooltest.Refused(s) != 0 {
		t.Errorf("%d gets, %d puts, %d drops, want all but one put", s.Gets, s.Puts, pooltest.Refused(s))
	}
	b.Free()
	b.Free()
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Puts != s.Gets || s.Drops.Double != 0 {
		t.Errorf("after Free twice: %d bytes in use, %d gets, %d puts, %d double", s.Bytes.InUse, s.Gets, s.Puts, s.Drops.Double)
	}
	if b.Len() != 0 || b.Cap() != 0 {
		t.Errorf("after Free: Len %d, Cap %d, want none", b.Len(), b.Cap())
	}
	b.WriteString("again")
	if b.String() != "again" {
		t.Errorf("after Free: %q", b.String())
	}
}

// TestCallersSliceNeverEntersThePool uses a caller's slice with the shape of a size class, which
// the pool would accept.
func TestCallersSliceNeverEntersThePool(t *testing.T) {
	p := withPool(t, pooltest.Config{})
	mine := make([]byte, 4096)
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
	if s := p.Stats(); s.Puts != 0 || s.Drops.Total() != 0 {
		t.Errorf("%d puts, %d drops, want none", s.Puts, s.Drops.Total())
	}
	if string(mine) != strings.Repeat("x", 4096) || string(data) != string(mine) {
		t.Error("the contents changed")
	}
}

func TestDetach(t *testing.T) {
	p := withPool(t, pooltest.Config{})
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
		t.Error("the Buffer wrote to detached contents")
	}
	basin.Put(data)
	b.Free()
	if s := p.Stats(); s.Bytes.InUse != 0 || pooltest.Refused(s) != 0 {
		t.Errorf("%d bytes in use, %d drops, want none", s.Bytes.InUse, pooltest.Refused(s))
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

func TestCostSmallBuffer(t *testing.T) {
	pooltest.Reuses(t)
	if !optimized() {
		t.Skip("the compiler was told not to optimize")
	}
	text := strings.Repeat("x", 65)
	for _, c := range []struct {
		n, want int
	}{{0, 0}, {5, 1}, {64, 1}} {
		p := []byte(text[:c.n])
		got := pooltest.Allocs(100, func() {
			b := basin.NewSmallBuffer()
			b.Write(p)
			lastString = b.String()
		})
		if int(got) != c.want || lastString != text[:c.n] {
			t.Errorf("NewSmallBuffer, Write of %d bytes, String: %v allocations, want %d", c.n, got, c.want)
		}
	}
	// Beyond 64 bytes, the Buffer has an array of the pool, and stays on the stack itself, whatever
	// method is called.
	got := pooltest.Allocs(100, func() {
		b := basin.NewSmallBuffer()
		b.WriteString(text[:60])
		b.WriteRune('ß')
		b.WriteByte('!')
		b.Grow(1000)
		b.Truncate(50)
		b.Next(3)
		b.ReadByte()
		b.UnreadByte()
		p := b.Bytes()
		b.Reset()
		b.Write(p)
		basin.Put(b.Detach())
		b.Free()
	})
	if got != 0 {
		t.Errorf("every method of a small Buffer: %v allocations, want none", got)
	}
}

// optimized reports whether this build inlines, and keeps objects off the heap. It must not use the
// functions under test.
//
//go:noinline
func optimized() bool { // noinline, or its calls would not be inlined
	return pooltest.Allocs(10, func() { newArray()[0]++ }) == 0
}

func newArray() []byte { return make([]byte, 64) }

func TestSmallBufferOutgrowsTheStack(t *testing.T) {
	p := withPool(t, pooltest.Config{})
	for n := range 200 {
		b := basin.NewSmallBuffer()
		want := strings.Repeat("y", n)
		for i := range n {
			b.WriteByte(want[i])
			if i == 70 {
				deep(1000) // makes the stack move
			}
		}
		if b.String() != want {
			t.Fatalf("%d bytes: %q", n, b.String())
		}
		b.Free()
	}
	if s := p.Stats(); s.Bytes.InUse != 0 || pooltest.Refused(s) != 0 || s.Puts != s.Gets {
		t.Errorf("%d gets, %d puts, %d drops, want every array put once", s.Gets, s.Puts, pooltest.Refused(s))
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
	pooltest.Reuses(t)
	// Use one P. With more, an array may be with another P when it is needed.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := withPool(t, pooltest.Config{})
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
	if after := p.Stats(); after.Misses != before.Misses || after.Outside != before.Outside {
		t.Errorf("building 1 MiB in a warm pool missed it %d times", after.Misses-before.Misses)
	}
	if got := pooltest.Allocs(10, build); got != 0 {
		t.Errorf("building 1 MiB in a warm pool: %v allocations", got)
	}
}

// lyingReader and lyingWriter break the contracts of io.Reader and io.Writer.
type lyingReader int

func (n lyingReader) Read(p []byte) (int, error) { return int(n), nil }

type lyingWriter int

func (n lyingWriter) Write(p []byte) (int, error) { return int(n), nil }

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
			a, b := recovered(func() { c.ours(ours, nil) }), recovered(func() { c.theirs(nil, theirs) })
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
		if recovered(func() { ours.ReadFrom(lyingReader(1 << 20)) }) == nil {
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
		a, b := recovered(func() { ours.Truncate(1) }), recovered(func() { theirs.Truncate(1) })
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

type record struct {
	Name  string
	Count int
	Tags  []string
}

// TestConsumers makes the standard library write to and read from Buffers of all origins.
func TestConsumers(t *testing.T) {
	data := record{"a name", 7, []string{"x", "ÿ", strings.Repeat("long ", 1000)}}
	page := template.Must(template.New("").Parse("{{range .Tags}}<{{.}}>\n{{end}}"))
	for _, origin := range []struct {
		name string
		get  func() *basin.Buffer
		put  func(*basin.Buffer)
	}{
		{"zero value", func() *basin.Buffer { return new(basin.Buffer) }, (*basin.Buffer).Free},
		{"small", basin.NewSmallBuffer, (*basin.Buffer).Free},
		{"handle", basin.GetBuffer, basin.PutBuffer},
	} {
		for _, consumer := range []struct {
			name  string
			write func(io.Writer) error
			read  func(io.Reader) error
		}{
			{"encoding/json", func(w io.Writer) error { return json.NewEncoder(w).Encode(data) },
				func(r io.Reader) error {
					var got record
					err := json.NewDecoder(r).Decode(&got)
					return errors.Join(err, same(got, data))
				}},
			{"encoding/xml", func(w io.Writer) error { return xml.NewEncoder(w).Encode(data) },
				func(r io.Reader) error {
					var got record
					err := xml.NewDecoder(r).Decode(&got)
					return errors.Join(err, same(got, data))
				}},
			{"compress/gzip", func(w io.Writer) error {
				z := gzip.NewWriter(w)
				io.WriteString(z, data.Tags[2])
				return z.Close()
			}, func(r io.Reader) error {
				z, err := gzip.NewReader(r)
				if err != nil {
					return err
				}
				got, err := io.ReadAll(z)
				return errors.Join(err, same(string(got), data.Tags[2]))
			}},
			{"text/template, bufio.Scanner", func(w io.Writer) error { return page.Execute(w, data) },
				func(r io.Reader) error {
					var got []string
					lines := bufio.NewScanner(r)
					for lines.Scan() {
						got = append(got, strings.Trim(lines.Text(), "<>"))
					}
					return errors.Join(lines.Err(), same(got, data.Tags))
				}},
			{"basinio", func(w io.Writer) error {
				b := basinio.NewWriter(w)
				defer b.Reset(nil)
				fmt.Fprint(b, data)
				return b.Flush()
			}, func(r io.Reader) error {
				b := basinio.NewReader(r)
				defer b.Reset(nil)
				got, err := io.ReadAll(b)
				return errors.Join(err, same(string(got), fmt.Sprint(data)))
			}},
			{"io.Copy", func(w io.Writer) error {
				_, err := io.Copy(w, strings.NewReader(data.Tags[2]))
				return err
			}, func(r io.Reader) error {
				var got strings.Builder
				_, err := io.Copy(&got, r)
				return errors.Join(err, same(got.String(), data.Tags[2]))
			}},
		} {
			t.Run(consumer.name+"/"+origin.name, func(t *testing.T) {
				for range 20 {
					b := origin.get()
					if err := consumer.write(b); err != nil {
						t.Fatal(err)
					}
					if err := consumer.read(b); err != nil {
						t.Fatal(err)
					}
					origin.put(b)
				}
			})
		}
	}
}

func same(got, want any) error {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Errorf("got %.100s, want %.100s", g, w)
	}
	return nil
}

func TestBufferIsAReader(t *testing.T) {
	content := []byte(strings.Repeat("reader ", 500))
	var b basin.Buffer
	b.Write(content)
	if err := iotest.TestReader(&b, content); err != nil {
		t.Error(err)
	}
}

func TestHTTPBodies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := basin.GetBuffer()
		defer basin.PutBuffer(b)
		if _, err := b.ReadFrom(r.Body); err != nil {
			t.Error(err)
		}
		b.WriteTo(w)
	}))
	defer server.Close()
	for n := range 20 {
		body := strings.Repeat("body ", 1<<(n%16))
		request := basin.GetBuffer()
		request.WriteString(body)
		response, err := http.Post(server.URL, "text/plain", request)
		if err != nil {
			t.Fatal(err)
		}
		answer := basin.GetBuffer()
		if _, err := answer.ReadFrom(response.Body); err != nil {
			t.Error(err)
		}
		response.Body.Close()
		if answer.String() != body {
			t.Errorf("sent %d bytes, got %d", len(body), answer.Len())
		}
		basin.PutBuffer(answer)
		// The transport may read the request after it has returned the response, so the request is
		// not put.
	}
}

// TestSmallBufferCountedLate outgrows Buffers that nobody frees, which the pool does not count, and
// then some that are freed or detached.
func TestSmallBufferCountedLate(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := withPool(t, pooltest.Config{})
	p.Put(p.Get(128))
	p.Get(128) // none is idle, but the class has a depot
	before := p.Stats()
	text := make([]byte, 100)
	for range 10 {
		basin.NewSmallBuffer().Write(text)
	}
	if s := p.Stats(); s.Gets != before.Gets || s.Bytes.InUse != before.Bytes.InUse {
		t.Errorf("of Buffers that were not freed: %v", s)
	}
	b := basin.NewSmallBuffer()
	b.Write(text)
	b.Free()
	if s := p.Stats(); s.Gets != before.Gets+1 || s.Puts != before.Puts+1 || s.Misses != before.Misses+1 || s.Bytes.InUse != before.Bytes.InUse || s.Items.Idle != 1 {
		t.Errorf("freed: %v", s)
	}
	b.Write(text)
	if s := p.Stats(); s.Hits != before.Hits+1 || s.Items.Idle != 0 {
		t.Errorf("freed memory is not used again: %v", s)
	}
	b = basin.NewSmallBuffer()
	b.Write(text)
	data := b.Detach()
	if s := p.Stats(); s.Bytes.InUse != before.Bytes.InUse+2*128 {
		t.Errorf("detached: %v", s)
	}
	p.Put(data)
	if s := p.Stats(); s.Bytes.InUse != before.Bytes.InUse+128 || s.Items.Idle != 1 || s.Drops.Total() != 0 {
		t.Errorf("detached and put: %v", s)
	}
}

// TestBufferFreshElsewhere frees an array that no pool has counted into a default pool without its
// class.
func TestBufferFreshElsewhere(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	defer basin.SetDefault(nil)
	first := new(basin.BytePool)
	for range 40 { // so that the pool knows the class
		first.Put(first.Get(300))
	}
	first.Trim()
	basin.SetDefault(first)
	var b basin.Buffer
	b.Write(make([]byte, 300))
	for _, other := range []*basin.BytePool{{MinSize: 4096}, {MaxSize: 64}} {
		basin.SetDefault(other)
		b.Free()
		if s := other.Stats(); s.Gets != 0 || s.Items.InUse != 0 || s.Bytes.InUse != 0 {
			t.Errorf("%+v", s)
		}
		basin.SetDefault(first)
		b.Write(make([]byte, 300))
	}
}
