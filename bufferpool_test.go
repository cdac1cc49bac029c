//go:build go1.25

package basin_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
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

// TestHandlePutTwice puts handles twice, before and after their storage has its next user.
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
				p.Put(a) // its own, or by now the next user's
				if used[a] {
					return // as documented, a is in use again
				}
			}
		}
	})
}

func TestHandleUsedAfterPut(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	for uses := range 20 { // so that it happens to each Buffer of a ring
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
	a.WriteString("of nobody") // grows from the pool, like any empty Buffer
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

// TestEveryHandleUsedAfterPut writes to all handles of a ring after Put, one by one.
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
	if s := def.Stats(); s.Bytes.InUse != 0 || pooltest.Refused(s) != s.Drops.Empty {
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
	b := other.Get() // put into another pool than its own
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

// TestBufferPoolLearns: of payloads of 10 KB, with one of 16 MB in every 10,000, only the large grow, and
// the pool follows a load that changes within 1,000 uses.
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
		b.WriteTo(io.Discard) // empties b; the pool must learn its size nevertheless
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

	// The load changes, and the learned size follows.
	last := func(n, uses int) (grown int) {
		for range uses {
			if use(n) {
				grown++
			}
		}
		return grown
	}
	if last(100_000, 1000); last(100_000, 1000) > 10 {
		t.Error("did not learn that payloads are ten times larger")
	}
	last(1_000, 1_000)
	if b := p.Get(); b.Cap() != 1024 {
		t.Errorf("hands out %d bytes after a thousand payloads of 1000", b.Cap())
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

// TestManyHandles: handles cost little more than their storage, however many are outstanding and
// however often they have been used.
func TestManyHandles(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.SkipUnlessExact(t)
	if testenv.ASan {
		t.Skip("the address sanitizer makes each array larger")
	}
	const n = 20_000
	p := &basin.BufferPool{MaxIdle: 1 << 30}
	all := make([]*basin.Buffer, n)
	text := make([]byte, 40)
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for use := range 4 {
		for i := range all {
			all[i] = p.Get()
			all[i].Write(text)
		}
		if each := (heap() - before) / n; each > 300 {
			t.Errorf("in their use %d, handles of %d bytes take %d bytes each", use+1, len(text), each)
		}
		for _, b := range all {
			p.Put(b)
			p.Put(b) // twice
		}
	}
	clear(all)
	seen := map[*basin.Buffer]bool{}
	for range n {
		b := p.Get()
		if seen[b] || b.Len() != 0 {
			t.Fatal("two users have the same handle")
		}
		seen[b] = true
	}
	runtime.KeepAlive(p)
}

// TestBufferPoolStreams: users who keep their handles do not hold what users of many sizes beside them
// have taught the pool.
func TestBufferPoolStreams(t *testing.T) {
	pooltest.Reuses(t)
	withPool(t, pooltest.Config{})
	var p basin.BufferPool
	data := make([]byte, 16<<10)
	const n = 5000
	held := 0
	for i := range n {
		b := p.Get()
		b.Write(data[:1<<(10+i%5)])
		p.Put(b)
		s := p.Get()
		s.Write(data[:200])
		held += s.Cap()
	}
	if each := held / n; each > 1500 {
		t.Errorf("users of 200 bytes hold %d bytes each", each)
	}
}

// TestLearnedSizeLetsGo: storage of a size that the pool does not hand out any more is let go, whether
// it is idle or put later.
func TestLearnedSizeLetsGo(t *testing.T) {
	pooltest.Reuses(t)
	for _, kind := range []struct {
		name string
		make func() (use func(n int) (put func()), stats func() basin.Stats)
	}{
		{"BufferPool", func() (func(int) func(), func() basin.Stats) {
			p := new(basin.BufferPool)
			return func(n int) func() {
				b := p.Get()
				b.Write(make([]byte, n))
				return func() { p.Put(b) }
			}, p.Stats
		}},
		{"StdBufferPool", func() (func(int) func(), func() basin.Stats) {
			p := new(basin.StdBufferPool)
			return func(n int) func() {
				b := p.Get()
				b.Write(make([]byte, n))
				return func() { p.Put(b) }
			}, p.Stats
		}},
		{"Pool", func() (func(int) func(), func() basin.Stats) {
			p := pooltest.LearningPool()
			return func(n int) func() {
				b := p.Get()
				*b = append((*b)[:0], make([]byte, n)...)
				return func() { p.Put(b) }
			}, p.Stats
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			use, stats := kind.make()
			together := func(n, users int) {
				var puts []func()
				for range users {
					puts = append(puts, use(n))
				}
				for _, put := range puts {
					put()
				}
			}
			for range 20 {
				together(1<<20, 20)
			}
			if s := stats(); s.Bytes.Idle < 20<<20 {
				t.Fatalf("the pool keeps too little: %v", s)
			}
			late := use(1 << 20)
			for range 3000 {
				use(1000)()
			}
			late()
			if s := stats(); s.Bytes.Idle > 100<<10 {
				t.Errorf("idle after 3,000 small uses: %v", s)
			}
		})
	}
}

// TestHandleSize: a ring has sixteen Buffers, so each must be small.
func TestHandleSize(t *testing.T) {
	if size, most := unsafe.Sizeof(basin.Buffer{}), 10*unsafe.Sizeof(uintptr(0)); size > most {
		t.Errorf("a Buffer is %d bytes, want at most %d", size, most)
	}
}

// TestHandleCopied puts copies of handles, which go vet reports. The neighbours of a copy in memory
// are not the ring of the original and must not get into the pool.
func TestHandleCopied(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	for _, grown := range []bool{false, true} {
		p := basin.BufferPool{InitialSize: 64}
		clean := p.Get()
		p.Put(clean)
		b := p.Get() // the next Buffer of the ring
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
		if !grown { // otherwise it is also a double Put of a slice, which is found elsewhere
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
					t.Fatalf("grown %t: Get returned memory beside a copy", grown)
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

// TestBufferPoolBytes makes Buffers grow through a pool of the program, in every way, and checks
// the source and the destination of their memory.
func TestBufferPoolBytes(t *testing.T) {
	other := withPool(t, pooltest.Config{Name: t.Name() + " default"})
	for _, tt := range []struct {
		name string
		use  func(b *basin.Buffer)
	}{
		{"Write", func(b *basin.Buffer) { b.Write(pattern(10_000)) }},
		{"WriteByte", func(b *basin.Buffer) {
			for i := range 10_000 {
				b.WriteByte(byte(i))
			}
		}},
		{"ReadFrom", func(b *basin.Buffer) { b.ReadFrom(bytes.NewReader(pattern(10_000))) }},
		{"Grow", func(b *basin.Buffer) { b.Grow(10_000) }},
		{"Free, and Write", func(b *basin.Buffer) { b.Free(); b.Write(pattern(100)); b.Free(); b.Write(pattern(10_000)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			own := &basin.BytePool{Name: t.Name()}
			p := &basin.BufferPool{Bytes: own, InitialSize: 64}
			for range 40 { // more often than a ring is long
				b := p.Get()
				tt.use(b)
				p.Put(b)
			}
			if s := own.Stats(); s.Gets < 40 || s.Gets != s.Puts || s.Bytes.InUse != 0 || s.Drops.Total() != s.Drops.Checked {
				t.Errorf("its own pool: %v", s)
			}
			if s := other.Stats(); s.Gets != 0 || s.Puts != 0 || s.Drops.Total() != 0 {
				t.Errorf("the default pool: %v", s)
			}
			b := p.Get()
			b.Write(pattern(1000))
			data := b.Detach()
			if s := own.Stats(); s.Bytes.InUse != int64(cap(data)) {
				t.Errorf("after Detach of %d bytes: %v", cap(data), s)
			}
			own.Put(data)
			p.Put(b)
		})
	}
}

// TestBufferPoolBytesUnderCeiling: arrays that Buffers grow to count under the ceiling of their
// pool.
func TestBufferPoolBytesUnderCeiling(t *testing.T) {
	own := &basin.BytePool{Name: t.Name(), MaxInUse: 16 << 10}
	p := &basin.BufferPool{Bytes: own, InitialSize: 64}
	b := p.Get()
	b.Write(pattern(16 << 10))
	if s := own.Stats(); s.Bytes.InUse != 16<<10 {
		t.Errorf("%v", s)
	}
	c := p.Get()
	if n, err := c.Write(pattern(1000)); n != 0 || !errors.Is(err, basin.ErrLimit) || c.Len() != 0 {
		t.Errorf("a write without room: %d, %v, and the Buffer has %d bytes", n, err, c.Len())
	}
	if s := own.Stats(); s.Outside != 0 || s.Refused != 1 || s.Beyond != 0 {
		t.Errorf("%v", s)
	}
	p.Put(b)
	p.Put(c)
	if s := own.Stats(); s.Bytes.InUse != 0 || s.Drops != (basin.Drops{Checked: s.Drops.Checked}) {
		t.Errorf("%v", s)
	}
}

// TestBufferPoolBytesZero: a Buffer is cleared if the Bytes of its pool have Zero.
func TestBufferPoolBytesZero(t *testing.T) {
	p := &basin.BufferPool{Bytes: &basin.BytePool{Zero: true}, InitialSize: 1000}
	for range 40 {
		b := p.Get()
		if free := b.AvailableBuffer(); !pooltest.IsZero(free[:cap(free)]) {
			t.Fatal("something is left of the user before")
		}
		b.Write(pattern(500))
		p.Put(b)
	}
}

func TestBufferPoolBytesValidate(t *testing.T) {
	p := &basin.BufferPool{Bytes: &basin.BytePool{MaxIdle: -2}}
	if err := basin.Validate(p); err == nil || !strings.Contains(err.Error(), "BytePool.MaxIdle") {
		t.Errorf("%v", err)
	}
	mustPanic(t, func() { p.Get() }, "BytePool.MaxIdle")
}
