package basin_test

import (
	"bytes"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestHandleAllocatesNothing(t *testing.T) {
	pooltest.Reuses(t)
	hundred := bytes.Repeat([]byte("x"), 100)
	var p basin.BufferPool
	use := func() {
		b := p.Get()
		var w io.Writer = b
		lastWriter = w
		w.Write(hundred)
		p.Put(b)
	}
	for range 1000 {
		use()
	}
	if got := pooltest.Allocs(1000, use); got != 0 {
		t.Errorf("Get, Write as an io.Writer, Put: %v allocations", got)
	}
}

// The order in which an error with a handle and its next user can meet.
func TestHandlePutTwice(t *testing.T) {
	pooltest.Misuses(t)
	t.Run("in a row", func(t *testing.T) {
		var p basin.BufferPool
		a := p.Get()
		p.Put(a)
		p.Put(a)
		if b, c := p.Get(), p.Get(); b == c {
			t.Error("two users have the same handle")
		}
	})
	t.Run("after the next Get", func(t *testing.T) {
		var p basin.BufferPool
		a := p.Get()
		p.Put(a)
		b := p.Get()
		b.WriteString("of b")
		p.Put(a)
		c := p.Get()
		c.WriteString("of c")
		if b == c || b.String() != "of b" || c.String() != "of c" {
			t.Errorf("two users share a handle: %q, %q", b, c)
		}
	})
	t.Run("many times", func(t *testing.T) {
		var p basin.BufferPool
		a := p.Get()
		p.Put(a)
		used := map[*basin.Buffer]bool{}
		for range 100 {
			b := p.Get()
			if used[b] {
				t.Fatal("two users have the same handle")
			}
			used[b] = true
			for range 3 {
				p.Put(a) // no longer its own, and then somebody else's
				if used[a] {
					return // documented: a has come round again
				}
			}
		}
	})
}

func TestHandleUsedAfterPut(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	for uses := range 20 { // so that each of a ring is the one
		testHandleUsedAfterPut(t, uses)
	}
}

func testHandleUsedAfterPut(t *testing.T, uses int) {
	var p basin.BufferPool
	for range uses {
		p.Put(p.Get())
	}
	a := p.Get()
	a.WriteString("of a")
	p.Put(a)
	if a.Len() != 0 || a.Cap() != 0 {
		t.Errorf("after Put: Len %d, Cap %d, want none", a.Len(), a.Cap())
	}
	b := p.Get()
	b.WriteString("of b")
	a.WriteString("of nobody") // grows from the pool, as any empty Buffer
	if b.String() != "of b" || a.String() != "of nobody" {
		t.Errorf("a handle that was put is not a Buffer of its own: %q, %q", b, a)
	}
	// The handle that was written to is never handed out again.
	for range 200 {
		p.Put(b)
		if b = p.Get(); b == a {
			t.Fatal("a handle in use was handed out")
		}
		if b.Len() != 0 {
			t.Fatalf("handed out with %q", b)
		}
		b.WriteString("of b")
	}
	if a.String() != "of nobody" {
		t.Errorf("the handle that was put holds %q", a)
	}
	a.Free()
	a.Free()
	for range 200 {
		p.Put(b)
		if b = p.Get(); b == a {
			t.Fatal("a handle that was freed after Put was handed out")
		}
	}
}

// All handles of a ring are spoilt one by one.
func TestEveryHandleUsedAfterPut(t *testing.T) {
	pooltest.Misuses(t)
	var p basin.BufferPool
	for i := range 200 {
		b := p.Get()
		if b.Len() != 0 {
			t.Fatalf("use %d: handed out with %q", i, b)
		}
		b.WriteString("before")
		p.Put(b)
		b.WriteString("after")
		if b.String() != "after" {
			t.Fatalf("use %d: holds %q", i, b)
		}
	}
}

func TestHandleFreedAndDetached(t *testing.T) {
	def := withPool(t, pooltest.Config{})
	p := basin.BufferPool{InitialSize: 128}
	for i := range 100 {
		b := p.Get()
		if b.Len() != 0 || b.Cap() != 128 {
			t.Fatalf("use %d: handed out with Len %d, Cap %d", i, b.Len(), b.Cap())
		}
		b.WriteString(strings.Repeat("z", i*10))
		switch i % 4 {
		case 0:
			b.Free()
			b.WriteString("more")
		case 1:
			data := b.Detach()
			if len(data) != i*10 {
				t.Fatalf("use %d: detached %d bytes", i, len(data))
			}
			basin.Put(data)
		case 2:
			b.Free()
			b.Free()
		}
		p.Put(b)
	}
	if s := def.Stats(); s.Bytes.InUse != 0 || s.Drops.Total() != s.Drops.Empty {
		t.Errorf("default pool: %d bytes in use, drops %+v, want none", s.Bytes.InUse, s.Drops)
	}
}

func TestPutOfOtherBuffers(t *testing.T) {
	pooltest.Misuses(t)
	def := withPool(t, pooltest.Config{})
	var p basin.BufferPool
	p.Put(nil)
	basin.PutBuffer(nil)
	var zero basin.Buffer
	p.Put(&zero)
	zero.WriteString("plain")
	p.Put(&zero)
	p.Put(&zero)
	if zero.Len() != 0 {
		t.Errorf("a plain Buffer that was put holds %q", &zero)
	}
	if s := def.Stats(); s.Bytes.InUse != 0 || s.Puts != 1 {
		t.Errorf("%d bytes in use, %d puts, want one put", s.Bytes.InUse, s.Puts)
	}
	var other basin.BufferPool
	b := other.Get() // put to another pool than it is from
	b.WriteString("x")
	p.Put(b)
	for range 100 {
		b, c := p.Get(), other.Get()
		if b == c {
			t.Fatal("two pools handed out one handle")
		}
		p.Put(c)
		other.Put(b)
	}
}

// TestBufferPoolLearns is the acceptance: 10 KB payloads, one of 16 MB in every
// 10,000, no growth for 99 % of them.
func TestBufferPoolLearns(t *testing.T) {
	pooltest.Reuses(t)
	def := withPool(t, pooltest.Config{})
	var p basin.BufferPool
	kilo := make([]byte, 1000)
	use := func(n int) (grew bool) {
		b := p.Get()
		size := b.Cap()
		for range n / len(kilo) {
			b.Write(kilo)
		}
		grew = b.Cap() != size
		b.WriteTo(io.Discard) // empties it: the pool must know nevertheless
		p.Put(b)
		return grew
	}
	for range 50 {
		use(10_000)
	}
	uses, grown := 30_000, 0
	for i := range uses {
		n := 10_000
		if i%10_000 == 5_000 {
			n = 16_000_000
		}
		if use(n) {
			grown++
		}
	}
	if grown > uses/100 {
		t.Errorf("%d of %d Buffers had to grow", grown, uses)
	}
	if b := p.Get(); b.Cap() < 10_000 || b.Cap() > 12_288 {
		t.Errorf("hands out %d bytes for payloads of 10,000", b.Cap())
	}
	if s := def.Stats(); s.Bytes.Idle > s.Bytes.MaxIdle || s.Outside == 0 || s.Drops.Large == 0 {
		t.Errorf("default pool: %d bytes idle, %d oversize, %d too large, want the large ones dropped", s.Bytes.Idle, s.Outside, s.Drops.Large)
	}

	// The load changes, and what is learned follows.
	last := func(n, uses int) (grown int) {
		for range uses {
			if use(n) {
				grown++
			}
		}
		return grown
	}
	if last(100_000, 100); last(100_000, 1000) > 10 {
		t.Error("did not learn that payloads are ten times larger")
	}
	last(1_000, 10_000)
	if b := p.Get(); b.Cap() != 1024 {
		t.Errorf("hands out %d bytes after ten thousand payloads of 1000", b.Cap())
	}
}

func TestFirstPayloadGiant(t *testing.T) {
	var p basin.BufferPool
	giant := make([]byte, 3<<20)
	b := p.Get()
	b.Write(giant)
	p.Put(b)
	for range 50 {
		b := p.Get()
		b.Write(giant[:2000])
		p.Put(b)
	}
	if b := p.Get(); b.Cap() != 2048 {
		t.Errorf("hands out %d bytes for payloads of 2000, the first of 3 MiB apart", b.Cap())
	}
}

func TestBufferPoolMaxIdle(t *testing.T) {
	pooltest.Reuses(t)
	p := basin.BufferPool{InitialSize: 1 << 20, MaxIdle: 8 << 20}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var out []*basin.Buffer
	for range 50 {
		out = append(out, p.Get())
	}
	for _, b := range out {
		p.Put(b)
	}
	clear(out)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > p.MaxIdle+1<<20 {
		t.Errorf("keeps %d bytes, MaxIdle is %d", kept, p.MaxIdle)
	}
	runtime.KeepAlive(&p)
}

// A handle points to others, and to its storage even while it has none.
func TestHandleSize(t *testing.T) {
	if size, most := unsafe.Sizeof(basin.Buffer{}), 10*unsafe.Sizeof(uintptr(0)); size > most {
		t.Errorf("a Buffer is %d bytes, want at most %d", size, most)
	}
}

// TestHandleCopied puts copies of handles, made as go vet would report them. What lies beside a copy
// is not the ring of the original: it must not get into the pool.
func TestHandleCopied(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	for _, grown := range []bool{false, true} {
		p := basin.BufferPool{InitialSize: 64}
		clean := p.Get()
		p.Put(clean)
		b := p.Get() // the next of the ring
		if grown {
			b.Write(make([]byte, 1000))
		} else {
			b.Write(make([]byte, 10))
		}
		copies := make([]basin.Buffer, 33)
		set := func(i int, from *basin.Buffer) {
			reflect.ValueOf(&copies[i]).Elem().Set(reflect.ValueOf(from).Elem())
		}
		for i := range copies {
			set(i, clean)
		}
		set(16, b)
		if !grown { // else it is also a slice put twice, which is found elsewhere
			p.Put(&copies[16])
		}
		set(16, b)
		p.Put(b)
		out := make(map[*basin.Buffer]bool)
		bases := make(map[*byte]bool)
		for range 20 {
			h := p.Get()
			for i := range copies {
				if h == &copies[i] {
					t.Fatalf("grown %t: Get returned what lies beside a copy", grown)
				}
			}
			base := &h.AvailableBuffer()[:1][0]
			if out[h] || bases[base] {
				t.Fatalf("grown %t: a handle, or storage, was handed out twice", grown)
			}
			out[h], bases[base] = true, true
		}
		if copies[16].Len() != b.Len() && !grown {
			copies[16].WriteString("a Buffer of its own") // must not panic
		}
	}
}
