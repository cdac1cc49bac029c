package basin_test

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"net/http/httputil"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/sizeclass"
)

// alone makes the calling test the only one on its P, without garbage
// collections but those it asks for: what is put back is what comes next. With full checks
// it is not, and garbage is made all the time.
func alone(t testing.TB) {
	if fullChecks {
		return
	}
	procs := runtime.GOMAXPROCS(1)
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		runtime.GOMAXPROCS(procs)
	})
}

// collect collects garbage once and returns when every pool has had its turn.
func collect() {
	done := make(chan struct{})
	gccycle.Register(func(bool) bool { // the hook registered last is called last
		close(done)
		return false
	})
	for {
		runtime.GC()
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond): // the collector may overlook a dead object once
		}
	}
}

// array identifies the array of b.
func array(b []byte) *byte { return unsafe.SliceData(b) }

// dirty fills the whole array of b, which must have one.
func dirty(b []byte) []byte {
	whole := b[:cap(b)]
	whole[0] = 0xAA
	for n := 1; n < len(whole); n *= 2 {
		copy(whole[n:], whole[:n])
	}
	return b
}

// isZero reports whether b is all zero.
func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// classSizes returns all size classes up to limit.
func classSizes(limit int) (sizes []int) {
	table := sizeclass.For(1, limit)
	for i := range table.Len() {
		sizes = append(sizes, table.Size(i))
	}
	return sizes
}

// recovered returns what f panics with, or nil.
func recovered(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// A source is a way to get a slice for n bytes from a pool.
type source struct {
	name string
	get  func(n int) []byte
	make bool // as Make: empty
	zero bool // as GetZeroed
}

// sources returns all ways to get a slice from p, which is the default pool
// while the test runs.
func sources(t testing.TB, p *basin.BytePool) []source {
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return []source{
		{name: "BytePool.Get", get: p.Get},
		{name: "BytePool.GetZeroed", get: p.GetZeroed, zero: true},
		{name: "BytePool.Make", get: p.Make, make: true},
		{name: "SizedPool.Get", get: func(n int) []byte { return p.Sized(n).Get() }},
		{name: "Get", get: basin.Get},
		{name: "GetZeroed", get: basin.GetZeroed, zero: true},
		{name: "Make", get: basin.Make, make: true},
	}
}

// A sink is a way to put a slice into a pool.
type sink struct {
	name string
	put  func(b []byte)
}

// sinks returns all ways to put a slice into p, which is the default pool while
// the test runs.
func sinks(t testing.TB, p *basin.BytePool) []sink {
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return []sink{
		{"BytePool.Put", p.Put},
		{"BytePool.TryPut", func(b []byte) { p.TryPut(b) }},
		{"SizedPool.Put", func(b []byte) { p.Sized(1).Put(b) }},
		{"Put", basin.Put},
		{"TryPut", func(b []byte) { basin.TryPut(b) }},
	}
}

func TestGet(t *testing.T) {
	for _, tt := range []struct {
		name              string
		config            basin.Config
		smallest, largest int
	}{
		{"default", basin.Config{}, 64, 4 << 20},
		{"range rounded up", basin.Config{MinSize: 100, MaxSize: 5000}, 128, 6144},
		{"one size", basin.Config{MinSize: 4096, MaxSize: 4096}, 4096, 4096},
		{"smallest only", basin.Config{MaxSize: 1}, 64, 64},
		{"large only", basin.Config{MinSize: 33 << 10, MaxSize: 1 << 20}, 40 << 10, 1 << 20},
		{"beyond the default", basin.Config{MinSize: 3 << 20, MaxSize: 9 << 20}, 3 << 20, 10 << 20},
		{"Zero", basin.Config{Zero: true, MaxSize: 64 << 10}, 64, 64 << 10},
		{"keeps nothing", basin.Config{MaxIdle: 1, MaxSize: 64 << 10}, 64, 64 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lengths := []int{math.MinInt, math.MinInt + 1, -4096, -1, 0, 1, 2, tt.largest + 1, tt.largest + 4097, 2*tt.largest + 1}
			for _, size := range classSizes(tt.largest) {
				lengths = append(lengths, size-1, size, size+1)
			}
			p := basin.NewBytePool(tt.config)
			for _, from := range sources(t, p) {
				t.Run(from.name, func(t *testing.T) {
					var live [][]byte
					for _, n := range lengths {
						b := from.get(n)
						length, capacity := max(n, 0), n // oversize: what was asked for
						switch {
						case n <= 0:
							capacity = 0
						case n <= tt.smallest:
							capacity = tt.smallest
						case n <= tt.largest:
							capacity = sizeclass.For(tt.smallest, tt.largest).Find(n).Size()
						}
						if from.make {
							length = 0
						}
						if b == nil || len(b) != length || cap(b) != capacity {
							t.Errorf("%s(%d) has length %d and capacity %d, want %d and %d", from.name, n, len(b), cap(b), length, capacity)
						}
						if from.zero && !isZero(b) {
							t.Errorf("%s(%d) is not all zero", from.name, n)
						}
						if capacity > 0 {
							whole := b[:capacity]
							whole[0], whole[capacity-1] = 1, 1
						}
						live = append(live, b)
					}
					for _, b := range live {
						p.Put(b)
					}
					if s := p.Stats(); s.InUseBytes != 0 {
						t.Errorf("%d bytes in use after all was put back", s.InUseBytes)
					}
				})
			}
		})
	}
}

// TestGetGigabyte reaches the largest class there can be. Nothing touches its
// memory, so it costs only addresses.
func TestGetGigabyte(t *testing.T) {
	reuses(t)
	if bits.UintSize == 32 || raceEnabled {
		t.Skip("a gigabyte is too much for this build")
	}
	p := basin.NewBytePool(basin.Config{MaxSize: 1 << 30, MaxIdle: 4 << 30})
	for _, n := range []int{512<<20 + 1, 1<<30 - 1, 1 << 30} {
		b := p.Get(n)
		if len(b) != n || cap(b) < n || cap(b) > 1<<30 {
			t.Errorf("Get(%d) has length %d and capacity %d", n, len(b), cap(b))
		}
		if !p.TryPut(b) {
			t.Errorf("a buffer of %d bytes was not kept", cap(b))
		}
	}
	b := p.Get(1<<30 + 1)
	if cap(b) != 1<<30+1 || p.TryPut(b) {
		t.Errorf("Get of more than the largest class has capacity %d", cap(b))
	}
	if s := p.Stats(); s.Oversize != 1 || s.DropsBy.Large != 1 || s.IdleBytes == 0 || s.InUseBytes != 0 {
		t.Errorf("the statistics are %+v", s)
	}
	p.Trim()
}

// TestGetImpossible asks for more than there can be: where make panics, so do
// all others, and nothing is counted for it.
func TestGetImpossible(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("make does not panic here: all that an int can say might be there")
	}
	want := recovered(func() { _ = make([]byte, sum(math.MaxInt)) })
	for _, config := range []basin.Config{{}, {Zero: true}} {
		t.Run(fmt.Sprintf("Zero %v", config.Zero), func(t *testing.T) {
			p := basin.NewBytePool(config)
			froms := append(sources(t, p),
				source{name: "BytePool.Grow", get: func(n int) []byte { return p.Grow(nil, n) }},
				source{name: "Grow", get: func(n int) []byte { return basin.Grow(nil, n) }})
			if !config.Zero {
				froms = append(froms, source{name: "MakeUninit", get: func(n int) []byte { return basin.MakeUninit(n, n) }})
			}
			for _, from := range froms {
				for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt - 8191, math.MaxInt/2 + 2} {
					t.Run(fmt.Sprint(from.name, " ", n), func(t *testing.T) {
						got := recovered(func() { from.get(n) })
						if _, ok := got.(runtime.Error); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
							t.Errorf("it panics with %v, make with %v", got, want)
						}
					})
				}
			}
			if s := p.Stats(); s.Gets != 0 || s.AskedBytes != 0 {
				t.Errorf("slices that there cannot be were counted: %d Gets, %d bytes asked for", s.Gets, s.AskedBytes)
			}
		})
	}
}

// sum is the identity, which the compiler does not see through.
//
//go:noinline
func sum(n int) int { return n }

func TestReuse(t *testing.T) {
	reuses(t)
	alone(t)
	for _, zero := range []bool{false, true} {
		for _, size := range classSizes(basin.DefaultMaxSize) {
			t.Run(fmt.Sprintf("Zero %v/%d", zero, size), func(t *testing.T) {
				p := basin.NewBytePool(basin.Config{Zero: zero})
				below := 1 // the smallest request that the class serves
				if size > 64 {
					sizes := classSizes(size)
					below = sizes[len(sizes)-2] + 1
				}
				b := p.Get(size)
				first := array(b)
				for _, from := range sources(t, p) {
					for _, to := range sinks(t, p) {
						for _, n := range []int{size, below} {
							for _, length := range []int{size, size / 2, 0} { // Put recycles the array, whatever the length
								to.put(b[:length])
								if b = from.get(n); array(b) != first {
									t.Fatalf("%s(%d) after %s of length %d is another array", from.name, n, to.name, length)
								}
							}
						}
					}
				}
				p.Put(b)
				if below > 1 {
					if other := p.Get(below - 1); array(other) == first || cap(other) >= size {
						t.Errorf("Get(%d) has the array of %d bytes", below-1, size)
					}
				}
				if other := p.Get(size + 1); array(other) == first {
					t.Errorf("Get(%d) has the array of %d bytes", size+1, size)
				}
				if s := p.Stats(); s.Drops != 0 || s.Misses+s.Oversize > 3 {
					t.Errorf("the statistics are %+v", s)
				}
			})
		}
	}
}

func TestReuseLastInFirstOut(t *testing.T) {
	reuses(t)
	alone(t)
	p := basin.NewBytePool(basin.Config{})
	for _, n := range []int{1, 2, 3, 10, 28, 29, 100, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			live := make([][]byte, n)
			for i := range live {
				live[i] = p.Get(1000)
			}
			for _, b := range live {
				p.Put(b)
			}
			before := p.Stats()
			for i, b := range slices.Backward(live) {
				if got := p.Get(1000); array(got) != array(b) {
					t.Fatalf("slice %d of %d is not the one put back last", i, n)
				}
			}
			if s := p.Stats(); s.Misses != before.Misses {
				t.Errorf("%d misses", s.Misses-before.Misses)
			}
			for _, b := range live {
				p.Put(b)
			}
		})
	}
}

// TestNoTwoOwners fills what it gets and looks whether anybody else writes there.
func TestNoTwoOwners(t *testing.T) {
	p := basin.NewBytePool(basin.Config{})
	owner := map[*byte]int{}
	for round := range 3 {
		var live [][]byte
		for i := range 2000 {
			b := p.Get(1 + i%3000)
			if j, taken := owner[array(b)]; taken {
				t.Fatalf("round %d: slice %d has the array of slice %d", round, i, j)
			}
			owner[array(b)] = i
			b[0], b[len(b)-1] = byte(i), byte(i)
			live = append(live, b)
		}
		for i, b := range live {
			if b[0] != byte(i) || b[len(b)-1] != byte(i) {
				t.Fatalf("round %d: slice %d was overwritten", round, i)
			}
			p.Put(b)
		}
		clear(owner)
	}
}

func TestGetZeroed(t *testing.T) {
	reuses(t)
	alone(t)
	for _, zero := range []bool{false, true} {
		for _, size := range []int{64, 640, 4096, 40 << 10, 1 << 20} {
			t.Run(fmt.Sprintf("Zero %v/%d", zero, size), func(t *testing.T) {
				p := basin.NewBytePool(basin.Config{Zero: zero})
				for _, n := range []int{size, size - 1, size - 13} {
					b := dirty(p.Get(size))
					first := array(b)
					p.Put(b)
					b = p.GetZeroed(n)
					if array(b) != first {
						t.Fatalf("GetZeroed(%d) does not reuse", n)
					}
					if !isZero(b) {
						t.Errorf("GetZeroed(%d) is not all zero", n)
					}
					p.Put(b)
				}
			})
		}
	}
}

func TestZero(t *testing.T) {
	reuses(t)
	alone(t)
	const size = 4096
	p := basin.NewBytePool(basin.Config{Zero: true, MaxIdle: 1 << 20})
	for _, to := range append(sinks(t, p),
		sink{"Append that outgrows it", func(b []byte) { p.Append(b[:cap(b)], 1) }},
		sink{"Grow that outgrows it", func(b []byte) { p.Grow(b, cap(b)+1) }},
	) {
		for _, length := range []int{0, 1, size / 2, size} {
			t.Run(fmt.Sprintf("%s/%d", to.name, length), func(t *testing.T) {
				b := p.Get(size)
				if !isZero(b[:cap(b)]) {
					t.Fatal("a new slice is not all zero")
				}
				b = dirty(b)
				to.put(b[:length])
				if !isZero(b[:cap(b)]) { // nobody but this test has it
					t.Error("the array was not cleared when it was put back")
				}
				got := p.Get(1000)
				got = got[:cap(got)]
				if !isZero(got) {
					t.Error("a slice handed out is not all zero")
				}
				p.Put(got)
			})
		}
	}
	t.Run("oversize", func(t *testing.T) {
		for range 10 {
			b := p.Get(basin.DefaultMaxSize + 1)
			if !isZero(b) {
				t.Fatal("a slice beyond MaxSize is not all zero")
			}
			p.Put(dirty(b))
			runtime.GC() // for the next one to reuse its memory
		}
	})
	t.Run("misses after others' garbage", func(t *testing.T) {
		for range 20 {
			for range 20 {
				garbage = dirty(make([]byte, 16<<10))
			}
			runtime.GC()
			for range 20 {
				if b := p.Get(16 << 10); !isZero(b[:cap(b)]) {
					t.Fatal("a new slice is not all zero")
				}
			}
		}
	})
}

var garbage []byte

// TestPackageFunctionsUseTheDefaultPool looks at what they count.
func TestPackageFunctionsUseTheDefaultPool(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func() []byte
		asks uint64 // in one Get, if any
		want string
	}{
		{"Get", func() []byte { return basin.Get(100) }, 100, ""},
		{"GetZeroed", func() []byte { return basin.GetZeroed(4) }, 4, "\x00\x00\x00\x00"},
		{"Make", func() []byte { return basin.Make(100) }, 100, ""},
		{"Append", func() []byte { return basin.Append(nil, 'a', 'b') }, 2, "ab"},
		{"AppendString", func() []byte { return basin.AppendString(nil, "abc") }, 3, "abc"},
		{"Grow", func() []byte { return basin.Grow(nil, 100) }, 100, ""},
		{"Clone", func() []byte { return basin.Clone([]byte("abcd")) }, 4, "abcd"},
		{"CloneString", func() []byte { return basin.CloneString("abcde") }, 5, "abcde"},
		{"MakeUninit", func() []byte { return basin.MakeUninit(4, 64) }, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := basin.NewBytePool(basin.Config{Zero: true})
			first := basin.Default()
			before := first.Stats()
			basin.SetDefault(p)
			defer basin.SetDefault(nil)
			b := tt.call()
			if tt.want != "" && string(b) != tt.want {
				t.Errorf("it returns %q, want %q", b, tt.want)
			}
			gets := uint64(0)
			if tt.asks > 0 {
				gets = 1
			}
			if s := p.Stats(); s.Gets != gets || s.AskedBytes != tt.asks {
				t.Errorf("it counts as %d Gets of %d bytes, want %d of %d", s.Gets, s.AskedBytes, gets, tt.asks)
			}
			if gets > 0 {
				basin.Put(b)
				if s := p.Stats(); s.Puts != 1 || s.InUseBytes != 0 {
					t.Errorf("Put counts as %d Puts and leaves %d bytes in use", s.Puts, s.InUseBytes)
				}
			}
			if after := first.Stats(); after.Gets != before.Gets || after.Puts != before.Puts || after.Drops != before.Drops {
				t.Error("it used the pool that was the default one before")
			}
		})
	}
}

func TestSetDefault(t *testing.T) {
	first := basin.Default()
	if s := first.Stats(); s.Name != "default" || s.MaxIdle != basin.DefaultMaxIdle {
		t.Errorf("the default pool has the name %q and a MaxIdle of %d", s.Name, s.MaxIdle)
	}
	p, q := basin.NewBytePool(basin.Config{Name: "p"}), basin.NewBytePool(basin.Config{Name: "q"})
	for _, tt := range []struct {
		name      string
		set, want *basin.BytePool
	}{
		{"a pool", p, p},
		{"another", q, q},
		{"the first again", first, first},
		{"p again", p, p},
		{"nil", nil, first},
		{"nil twice", nil, first},
	} {
		if basin.SetDefault(tt.set); basin.Default() != tt.want {
			t.Errorf("%s: the default pool is %q, want %q", tt.name, basin.Default().Stats().Name, tt.want.Stats().Name)
		}
	}
}

func TestPoolsAreIndependent(t *testing.T) {
	reuses(t)
	alone(t)
	p, q := basin.NewBytePool(basin.Config{}), basin.NewBytePool(basin.Config{})
	before := basin.Default().Stats()
	b := p.Get(5000)
	p.Put(b)
	if got := q.Get(5000); array(got) == array(b) {
		t.Error("what was put into one pool came out of another")
	}
	if got := basin.Get(5000); array(got) == array(b) {
		t.Error("what was put into one pool came out of the default one")
	}
	if got := p.Get(5000); array(got) != array(b) {
		t.Error("what was put into the pool does not come back")
	}
	if s := q.Stats(); s.Gets != 1 || s.Puts != 0 || s.IdleBytes != 0 {
		t.Errorf("the other pool counts %d Gets, %d Puts and %d idle bytes", s.Gets, s.Puts, s.IdleBytes)
	}
	if s := basin.Default().Stats(); s.Gets != before.Gets+1 || s.Puts != before.Puts {
		t.Error("the default pool counts what others do")
	}
}

var _ httputil.BufferPool = (*basin.SizedPool)(nil)

func TestSized(t *testing.T) {
	reuses(t)
	alone(t)
	p := basin.NewBytePool(basin.Config{MaxSize: 64 << 10})
	for _, tt := range []struct {
		name             string
		n                int
		length, capacity int
	}{
		{"negative", -1, 0, 0},
		{"zero", 0, 0, 0},
		{"one", 1, 1, 64},
		{"a class", 32 << 10, 32 << 10, 32 << 10},
		{"between classes", 32<<10 + 1, 32<<10 + 1, 40 << 10},
		{"MaxSize", 64 << 10, 64 << 10, 64 << 10},
		{"beyond MaxSize", 64<<10 + 1, 64<<10 + 1, 64<<10 + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := p.Sized(tt.n)
			b := s.Get()
			if len(b) != tt.length || cap(b) != tt.capacity {
				t.Errorf("Get has length %d and capacity %d, want %d and %d", len(b), cap(b), tt.length, tt.capacity)
			}
			s.Put(b)
			again := s.Get()
			if kept := tt.n > 0 && tt.n <= 64<<10; kept && array(again) != array(b) {
				t.Error("what was put back does not come back")
			} else if kept {
				s.Put(again)
				if of := p.Get(tt.n); array(of) != array(b) {
					t.Error("what was put into the view is not in the pool")
				}
			}
		})
	}
}

func TestMakeUninit(t *testing.T) {
	before := basin.Default().Stats()
	for _, tt := range []struct {
		name             string
		length, capacity int
		panics           bool
	}{
		{"nothing", 0, 0, false},
		{"empty", 0, 100, false},
		{"one", 1, 1, false},
		{"part", 3, 7, false},
		{"all", 4096, 4096, false},
		{"between classes", 5000, 5001, false},
		{"large", 10 << 20, 10<<20 + 1, false},
		{"negative length", -1, 4, true},
		{"negative capacity", 0, -1, true},
		{"both negative", -2, -1, true},
		{"length beyond capacity", 5, 4, true},
		{"impossible capacity", 0, math.MaxInt, bits.UintSize == 64},
		{"impossible length", math.MaxInt, math.MaxInt, bits.UintSize == 64},
		{"smallest ints", math.MinInt, math.MinInt, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.capacity == math.MaxInt && !tt.panics {
				t.Skip("all that an int can say might be there")
			}
			var b []byte
			got := recovered(func() { b = basin.MakeUninit(tt.length, tt.capacity) })
			if _, ok := got.(runtime.Error); ok != tt.panics || got != nil != tt.panics {
				t.Fatalf("it panics with %v", got)
			}
			if tt.panics {
				return
			}
			if b == nil || len(b) != tt.length || cap(b) != tt.capacity {
				t.Errorf("it has length %d and capacity %d", len(b), cap(b))
			}
			for i := range b[:cap(b)] {
				b[:cap(b)][i] = byte(i) // as large as it says
			}
			if other := basin.MakeUninit(tt.length, tt.capacity); tt.capacity > 0 && array(other) == array(b) {
				t.Error("two slices have one array")
			}
		})
	}
	if after := basin.Default().Stats(); after.Gets != before.Gets || after.Puts != before.Puts {
		t.Error("the default pool has to do with it")
	}
}
