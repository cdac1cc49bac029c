package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pin"
)

func TestHandleAllocatesNothing(t *testing.T) {
	reuses(t)
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
	if got := testing.AllocsPerRun(1000, use); got != 0 {
		t.Errorf("Get, Write as an io.Writer, Put: %v allocations", got)
	}
}

// The order in which an error with a handle and its next user can meet.
func TestHandlePutTwice(t *testing.T) {
	misuses(t)
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
	reuses(t)
	misuses(t)
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
	misuses(t)
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
	def := withPool(t, basin.Config{})
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
	if s := def.Stats(); s.InUseBytes != 0 || s.Drops != s.DropsBy.Empty {
		t.Errorf("default pool: %d bytes in use, drops %+v, want none", s.InUseBytes, s.DropsBy)
	}
}

func TestPutOfOtherBuffers(t *testing.T) {
	misuses(t)
	def := withPool(t, basin.Config{})
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
	if s := def.Stats(); s.InUseBytes != 0 || s.Puts != 1 {
		t.Errorf("%d bytes in use, %d puts, want one put", s.InUseBytes, s.Puts)
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

func TestBadSettingsOfBufferPools(t *testing.T) {
	for _, c := range []struct {
		field                string
		initialSize, maxSize int
		maxIdle              int64
	}{
		{"InitialSize", -1, 0, 0},
		{"InitialSize", 1<<30 + 1, 0, 0},
		{"MaxSize", 0, -1, 0},
		{"MaxSize", 0, 1<<30 + 1, 0},
		{"MaxSize", 4096, 1024, 0},
		{"MaxIdle", 0, 0, -1},
	} {
		p := basin.BufferPool{InitialSize: c.initialSize, MaxSize: c.maxSize, MaxIdle: c.maxIdle}
		std := basin.StdBufferPool{InitialSize: c.initialSize, MaxSize: c.maxSize, MaxIdle: c.maxIdle}
		for name, get := range map[string]func(){
			"BufferPool":    func() { p.Get() },
			"StdBufferPool": func() { std.Get() },
		} {
			message := fmt.Sprint(panicOf(get))
			if !strings.HasPrefix(message, "basin: "+name+"."+c.field+" is ") {
				t.Errorf("%s with %+v: panic %q, want one that names %s", name, c, message, c.field)
			}
		}
	}
}

// TestBufferPoolLearns is the acceptance: 10 KB payloads, one of 16 MB in every
// 10,000, no growth for 99 % of them.
func TestBufferPoolLearns(t *testing.T) {
	reuses(t)
	def := withPool(t, basin.Config{})
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
	if s := def.Stats(); s.IdleBytes > s.MaxIdle || s.Oversize == 0 || s.DropsBy.Large == 0 {
		t.Errorf("default pool: %d bytes idle, %d oversize, %d too large, want the large ones dropped", s.IdleBytes, s.Oversize, s.DropsBy.Large)
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
	reuses(t)
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

func TestStdBufferPool(t *testing.T) {
	reuses(t)
	misuses(t)
	t.Run("learns", func(t *testing.T) {
		var p basin.StdBufferPool
		use := func(n int) (grew bool) {
			b := p.Get()
			if b.Len() != 0 {
				t.Fatalf("handed out with %d bytes", b.Len())
			}
			size := b.Cap()
			b.Write(make([]byte, n))
			grew = b.Cap() != size
			p.Put(b)
			return grew
		}
		for range 50 {
			use(10_000)
		}
		grown := 0
		for i := range 10_000 {
			n := 10_000
			if i == 5_000 {
				n = 16_000_000
			}
			if use(n) {
				grown++
			}
		}
		if grown > 100 {
			t.Errorf("%d of 10,000 buffers had to grow", grown)
		}
		if b := p.Get(); b.Cap() < 10_000 || b.Cap() > 12_288 {
			t.Errorf("hands out %d bytes for payloads of 10,000", b.Cap())
		}
	})
	t.Run("keeps what has grown up to MaxSize", func(t *testing.T) {
		p := basin.StdBufferPool{InitialSize: 1024, MaxSize: 10_000}
		a := p.Get()
		if a.Cap() < 1024 {
			t.Errorf("InitialSize is 1024, Cap %d", a.Cap())
		}
		a.Grow(5000)
		p.Put(a)
		if b := p.Get(); b != a || b.Len() != 0 {
			t.Error("a buffer within MaxSize was not kept")
		}
		a.Grow(20_000)
		p.Put(a)
		if b := p.Get(); b == a {
			t.Error("a buffer larger than MaxSize was kept")
		}
		p.Put(nil)
	})
	t.Run("put twice in a row", func(t *testing.T) {
		p := basin.StdBufferPool{InitialSize: 1024}
		a := p.Get()
		p.Put(a)
		p.Put(a)
		if b, c := p.Get(), p.Get(); b == c {
			t.Error("two users have the same buffer")
		}
	})
	t.Run("foreign and small", func(t *testing.T) {
		p := basin.StdBufferPool{InitialSize: 1024}
		p.Put(new(bytes.Buffer))
		p.Put(bytes.NewBufferString("x"))
		if b := p.Get(); b.Cap() < 1024 {
			t.Errorf("hands out %d bytes, want at least InitialSize", b.Cap())
		}
	})
}

// TestBuffersStress has many goroutines write what is theirs into handles, small
// Buffers and Shareds, pass them on, and look whether it is still there. Run it
// with -race.
func TestBuffersStress(t *testing.T) {
	misuses(t)
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	var pool basin.BufferPool
	var std basin.StdBufferPool
	type item struct {
		b    *basin.Buffer
		want byte
		n    int
	}
	check := func(data []byte, want byte, n int) {
		if len(data) != n || bytes.Count(data, []byte{want}) != n {
			t.Errorf("%d bytes, want %d of %d", len(data), n, want)
		}
	}
	hand := make(chan item, 16)
	var producers, consumers sync.WaitGroup
	for g := range 4 {
		producers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			mine := byte(g + 1)
			for i := range rounds {
				n := r.IntN(1 << r.IntN(14))
				data := bytes.Repeat([]byte{mine}, n)
				switch i % 5 {
				case 0, 1:
					b := pool.Get()
					b.Write(data)
					hand <- item{b, mine, n}
				case 2:
					b := std.Get()
					b.Write(data)
					check(b.Bytes(), mine, n)
					std.Put(b)
				case 3:
					b := basin.NewSmallBuffer()
					b.Write(data)
					check(b.Bytes(), mine, n)
					b.Free()
				case 4:
					b := basin.GetBuffer()
					b.Write(data)
					s := b.Share()
					basin.PutBuffer(b)
					var readers sync.WaitGroup
					for range 3 {
						s.Retain()
						readers.Go(func() {
							check(s.Bytes(), mine, n)
							r := s.NewReader()
							s.Release()
							got, err := io.ReadAll(r)
							if err != nil {
								t.Error(err)
							}
							check(got, mine, n)
							r.Close()
						})
					}
					s.Release()
					readers.Wait()
				}
			}
		})
	}
	for range 2 {
		consumers.Go(func() {
			for x := range hand {
				check(x.b.Bytes(), x.want, x.n)
				pool.Put(x.b)
				if pin.Available { // the race detector would report it
					pool.Put(x.b) // once too often, while others get
				}
			}
		})
	}
	producers.Wait()
	close(hand)
	consumers.Wait()
}

// A handle points to others, and to its storage even while it has none.
func TestHandleSize(t *testing.T) {
	if size, most := unsafe.Sizeof(basin.Buffer{}), 10*unsafe.Sizeof(uintptr(0)); size > most {
		t.Errorf("a Buffer is %d bytes, want at most %d", size, most)
	}
}
