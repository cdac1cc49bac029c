//go:build go1.25

package basin_test

import (
	"fmt"
	"math"
	"math/bits"
	"net/http/httputil"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/testenv"
)

// A sink is a way to put a slice into a pool.
type sink struct {
	name string
	put  func(b []byte)
}

// sinks returns all ways to put a slice into p. It makes p the default pool while the test runs.
func sinks(t testing.TB, p *basin.BytePool) []sink {
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return []sink{
		{"BytePool.Put", p.Put},
		{"BytePool.Sized", func(b []byte) { p.Sized(1).Put(b) }},
		{"Put", basin.Put},
	}
}

func TestGet(t *testing.T) {
	for _, tt := range []struct {
		name              string
		config            pooltest.Config
		smallest, largest int
	}{
		{"own class only", pooltest.Config{MaxFit: 1}, 64, 4 << 20},
		{"default", pooltest.Config{}, 64, 4 << 20},
		{"range rounded up", pooltest.Config{MinSize: 100, MaxSize: 5000}, 128, 6144},
		{"one size", pooltest.Config{MinSize: 4096, MaxSize: 4096}, 4096, 4096},
		{"smallest only", pooltest.Config{MaxSize: 1}, 64, 64},
		{"large only", pooltest.Config{MinSize: 33 << 10, MaxSize: 1 << 20}, 40 << 10, 1 << 20},
		{"beyond the default", pooltest.Config{MinSize: 3 << 20, MaxSize: 9 << 20}, 3 << 20, 10 << 20},
		{"Zero", pooltest.Config{Zero: true, MaxSize: 64 << 10}, 64, 64 << 10},
		{"keeps nothing", pooltest.Config{MaxIdle: 1, MaxSize: 64 << 10}, 64, 64 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lengths := []int{math.MinInt, math.MinInt + 1, -4096, -1, 0, 1, 2, tt.largest + 1, tt.largest + 4097, 2*tt.largest + 1}
			for _, size := range pooltest.ClassSizes(tt.largest) {
				lengths = append(lengths, size-1, size, size+1)
			}
			p := tt.config.Pool()
			for _, from := range pooltest.Sources(t, p) {
				t.Run(from.Name, func(t *testing.T) {
					var live [][]byte
					for _, n := range lengths {
						b := from.Get(n)
						length, capacity := max(n, 0), n // above MaxSize: no rounding
						switch {
						case n <= 0:
							capacity = 0
						case n <= tt.smallest:
							capacity = tt.smallest
						case n <= tt.largest:
							capacity = sizeclass.For(tt.smallest, tt.largest).Class(n).Size()
						}
						most := capacity
						if n > 0 && n <= tt.largest && tt.config.MaxFit != 1 {
							most = min(max(4*capacity, 1024), tt.largest)
						}
						if b == nil || len(b) != length || cap(b) < capacity || cap(b) > most {
							t.Errorf("%s(%d) has length %d and capacity %d, want %d and %d to %d", from.Name, n, len(b), cap(b), length, capacity, most)
						}
						if from.Zero && !pooltest.IsZero(b) {
							t.Errorf("%s(%d) is not all zero", from.Name, n)
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
					if s := p.Stats(); s.Bytes.InUse != 0 {
						t.Errorf("%d bytes in use after all was put back", s.Bytes.InUse)
					}
				})
			}
		})
	}
}

// TestGetGigabyte reaches the largest class. Nothing touches its memory, so it costs only
// addresses.
func TestGetGigabyte(t *testing.T) {
	pooltest.Reuses(t)
	if bits.UintSize == 32 || testenv.Race {
		t.Skip("a gigabyte is too much for this build")
	}
	p := &basin.BytePool{MaxSize: math.MaxInt32, MaxIdle: 8 << 30}
	largest := 1 << (bits.UintSize/2 - 1) // 2 GiB if int has 64 bits
	for _, n := range []int{512<<20 + 1, 1<<30 - 1, 1 << 30, math.MaxInt32, largest} {
		b := p.Get(n)
		if len(b) != n || cap(b) < n || cap(b) > largest {
			t.Errorf("Get(%d) has length %d and capacity %d", n, len(b), cap(b))
		}
		if !pooltest.Kept(p, b) {
			t.Errorf("a buffer of %d bytes was not kept", cap(b))
		}
	}
	b := p.Get(largest + 1)
	if cap(b) != largest+1 || pooltest.Kept(p, b) {
		t.Errorf("Get of more than the largest class has capacity %d", cap(b))
	}
	if s := p.Stats(); s.Outside != 1 || s.Drops.Large != 1 || s.Bytes.Idle == 0 || s.Bytes.InUse != 0 {
		t.Errorf("the statistics are %+v", s)
	}
	p.Trim()
}

// TestGetImpossible asks for impossible sizes: all calls panic, as make does, and count nothing.
func TestGetImpossible(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("make does not panic here: no int is too large a length")
	}
	want := recovered(func() { _ = make([]byte, sum(math.MaxInt)) })
	for _, config := range []pooltest.Config{{}, {Zero: true}} {
		t.Run(fmt.Sprintf("Zero %v", config.Zero), func(t *testing.T) {
			p := config.Pool()
			froms := append(pooltest.Sources(t, p),
				pooltest.Source{Name: "BytePool.Grow", Get: func(n int) []byte { return p.Grow(nil, n) }},
				pooltest.Source{Name: "Grow", Get: func(n int) []byte { return basin.Grow(nil, n) }})
			for _, from := range froms {
				for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt - 8191, math.MaxInt/2 + 2} {
					t.Run(fmt.Sprint(from.Name, " ", n), func(t *testing.T) {
						got := recovered(func() { from.Get(n) })
						if _, ok := got.(runtime.Error); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
							t.Errorf("it panics with %v, make with %v", got, want)
						}
					})
				}
			}
			if s := p.Stats(); s.Gets != 0 || s.AskedBytes != 0 {
				t.Errorf("Gets that panicked were counted: %d Gets, %d bytes asked for", s.Gets, s.AskedBytes)
			}
		})
	}
}

// sum returns n. The compiler does not see that.
//
//go:noinline
func sum(n int) int { return n }

func TestReuse(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, zero := range []bool{false, true} {
		for _, size := range pooltest.ClassSizes(basin.DefaultMaxSize) {
			t.Run(fmt.Sprintf("Zero %v/%d", zero, size), func(t *testing.T) {
				p := &basin.BytePool{Zero: zero, MaxFit: 1}
				below := 1 // the smallest request that the class serves
				if size > 64 {
					sizes := pooltest.ClassSizes(size)
					below = sizes[len(sizes)-2] + 1
				}
				b := p.Get(size)
				first := array(b)
				for _, from := range pooltest.Sources(t, p) {
					for _, to := range sinks(t, p) {
						for _, n := range []int{size, below} {
							for _, length := range []int{size, size / 2, 0} { // Put recycles the array, whatever the slice's length
								to.put(b[:length])
								if b = from.Get(n); array(b) != first {
									t.Fatalf("%s(%d) after %s of length %d is another array", from.Name, n, to.name, length)
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
				if s := p.Stats(); s.Drops.Total() != 0 || s.Misses+s.Outside > 3 {
					t.Errorf("the statistics are %+v", s)
				}
			})
		}
	}
}

func TestReuseLastInFirstOut(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{}
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

// TestNoTwoOwners fills its slices and checks that nobody else writes there.
func TestNoTwoOwners(t *testing.T) {
	p := &basin.BytePool{}
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
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, zero := range []bool{false, true} {
		for _, size := range []int{64, 640, 4096, 40 << 10, 1 << 20} {
			t.Run(fmt.Sprintf("Zero %v/%d", zero, size), func(t *testing.T) {
				p := &basin.BytePool{Zero: zero}
				for _, n := range []int{size, size - 1, size - 13} {
					b := dirty(p.Get(size))
					first := array(b)
					p.Put(b)
					b = p.GetZeroed(n)
					if array(b) != first {
						t.Fatalf("GetZeroed(%d) does not reuse", n)
					}
					if !pooltest.IsZero(b) {
						t.Errorf("GetZeroed(%d) is not all zero", n)
					}
					p.Put(b)
				}
			})
		}
	}
}

// TestZeroNew: new memory is zero, whatever the program left there. Reused memory has the bytes of
// its last user.
func TestZeroNew(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{ZeroNew: true, MaxSize: 1 << 20}
	var out [][]byte
	for _, size := range []int{1, 64, 1000, 4096, 100_000, 1 << 20, 1<<20 + 1} {
		n := max(1, min(100, 1<<20/size))
		if testing.Short() {
			n = min(n, 10)
		}
		for range 4 * n {
			dirty(make([]byte, size+-size&63))
		}
		runtime.GC()
		for range n {
			b := p.Get(size)
			if !pooltest.IsZero(b[:cap(b)]) {
				t.Fatalf("a new slice of %d bytes is not all zero", size)
			}
			out = append(out, dirty(b))
		}
	}
	b := p.Get(5000)
	dirty(b)
	p.Put(b)
	if again := p.Get(5000); &again[0] != &b[0] || pooltest.IsZero(again) {
		t.Error("Get returns another array, or the pool cleared it")
	}
	runtime.KeepAlive(out)
}

func TestZero(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	const size = 4096
	p := &basin.BytePool{Zero: true, MaxIdle: 1 << 20}
	for _, to := range append(sinks(t, p),
		sink{"Append that outgrows it", func(b []byte) { p.Append(b[:cap(b)], 1) }},
		sink{"Grow that outgrows it", func(b []byte) { p.Grow(b, cap(b)+1) }},
	) {
		for _, length := range []int{0, 1, size / 2, size} {
			t.Run(fmt.Sprintf("%s/%d", to.name, length), func(t *testing.T) {
				b := p.Get(size)
				if !pooltest.IsZero(b[:cap(b)]) {
					t.Fatal("a new slice is not all zero")
				}
				b = dirty(b)
				to.put(b[:length])
				if !pooltest.IsZero(b[:cap(b)]) { // only this test has the array
					t.Error("the array was not cleared when it was put back")
				}
				got := p.Get(1000)
				got = got[:cap(got)]
				if !pooltest.IsZero(got) {
					t.Error("a slice handed out is not all zero")
				}
				p.Put(got)
			})
		}
	}
	t.Run("oversize", func(t *testing.T) {
		for range 10 {
			b := p.Get(basin.DefaultMaxSize + 1)
			if !pooltest.IsZero(b) {
				t.Fatal("a slice beyond MaxSize is not all zero")
			}
			p.Put(dirty(b))
			runtime.GC() // so that the next slice may reuse its memory
		}
	})
	t.Run("misses after others' garbage", func(t *testing.T) {
		for range 20 {
			for range 20 {
				garbage = dirty(make([]byte, 16<<10))
			}
			runtime.GC()
			for range 20 {
				if b := p.Get(16 << 10); !pooltest.IsZero(b[:cap(b)]) {
					t.Fatal("a new slice is not all zero")
				}
			}
		}
	})
}

func TestPoolsAreIndependent(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p, q := &basin.BytePool{}, &basin.BytePool{}
	before := basin.Default().Stats()
	b := p.Get(5000)
	p.Put(b)
	if got := q.Get(5000); array(got) == array(b) {
		t.Error("a slice put into one pool came out of another")
	}
	if got := basin.Get(5000); array(got) == array(b) {
		t.Error("a slice put into one pool came out of the default one")
	}
	if got := p.Get(5000); array(got) != array(b) {
		t.Error("a slice put into the pool does not come back")
	}
	if s := q.Stats(); s.Gets != 1 || s.Puts != 0 || s.Bytes.Idle != 0 {
		t.Errorf("the other pool counts %d Gets, %d Puts and %d idle bytes", s.Gets, s.Puts, s.Bytes.Idle)
	}
	if s := basin.Default().Stats(); s.Gets != before.Gets+1 || s.Puts != before.Puts {
		t.Error("the default pool counts the calls of others")
	}
}

var _ httputil.BufferPool = new(basin.BytePool).Sized(1)

func TestSized(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{MaxSize: 64 << 10}
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
				t.Error("a slice that was put does not come back")
			} else if kept {
				s.Put(again)
				if of := p.Get(tt.n); array(of) != array(b) {
					t.Error("a slice put into the view is not in the pool")
				}
			}
		})
	}
}

// TestPutBad puts all kinds of wrong slices, and some right ones. A dropped slice counts under its
// reason only, and never comes back.
func TestPutBad(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	type pool = basin.BytePool
	kept := basin.Drops{}
	var (
		empty      = basin.Drops{Empty: 1}
		small      = basin.Drops{Small: 1}
		large      = basin.Drops{Large: 1}
		foreign    = basin.Drops{Foreign: 1}
		misaligned = basin.Drops{Misaligned: 1}
		double     = basin.Drops{Double: 1}
		full       = basin.Drops{Full: 1}
	)
	plain := pooltest.Config{}
	ranged := pooltest.Config{MinSize: 1024, MaxSize: 64 << 10}
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		slice  func(p *pool) []byte
		want   basin.Drops
	}{
		// No memory.
		{"nil", plain, func(*pool) []byte { return nil }, empty},
		{"empty", plain, func(*pool) []byte { return []byte{} }, empty},
		{"Get of zero", plain, func(p *pool) []byte { return p.Get(0) }, empty},
		{"Get of a negative length", plain, func(p *pool) []byte { return p.Get(-1) }, empty},
		{"capacity clipped to zero", plain, func(p *pool) []byte { return p.Get(64)[:0:0] }, empty},
		{"end of a slice", plain, func(p *pool) []byte { return p.Get(64)[64:] }, empty},

		// Slices of the pool, of any length.
		{"own", plain, func(p *pool) []byte { return p.Get(1000) }, kept},
		{"own, length extended", plain, func(p *pool) []byte { b := p.Get(1000); return b[:cap(b)] }, kept},
		{"own, shortened", plain, func(p *pool) []byte { return p.Get(1000)[:10] }, kept},
		{"own, of length zero", plain, func(p *pool) []byte { return p.Get(1000)[:0] }, kept},
		{"own, large", plain, func(p *pool) []byte { return p.Get(4 << 20) }, kept},
		{"own, sub-sliced to its end and back", plain, func(p *pool) []byte { b := p.Get(1000); return b[5:][:10:10][:0:0][:0] }, empty},

		// Foreign slices.
		{"make, of no class's capacity", plain, func(*pool) []byte { return make([]byte, 1000) }, foreign},
		{"make, one less than a class", plain, func(*pool) []byte { return make([]byte, 4095) }, foreign},
		{"make, one more than a class", plain, func(*pool) []byte { return make([]byte, 4097) }, foreign},
		{"make, capacity beyond its length", plain, func(*pool) []byte { return make([]byte, 4096, 5000) }, foreign},
		{"make, smaller than any class", plain, func(*pool) []byte { return make([]byte, 63) }, small},
		{"make, of one byte", plain, func(*pool) []byte { return make([]byte, 1) }, small},
		{"make, with the exact shape of a small class", plain, func(*pool) []byte { return make([]byte, 64) }, kept},
		{"make, with the exact shape of a class", plain, func(*pool) []byte { return make([]byte, 0, 4864) }, kept},
		{"make, with the exact shape of a large class", plain, func(*pool) []byte { return make([]byte, 1<<20) }, kept},
		{"outside the heap", plain, func(*pool) []byte { return static[1:4097:4097] }, misaligned},

		// Parts of an array.
		{"all but the first byte", plain, func(p *pool) []byte { return p.Get(4096)[1:] }, foreign},
		{"the last byte", plain, func(p *pool) []byte { return p.Get(4096)[4095:] }, small},
		{"the last 63 bytes", plain, func(p *pool) []byte { return p.Get(4096)[4096-63:] }, small},
		{"capacity clipped", plain, func(p *pool) []byte { return p.Get(4096)[:1000:1000] }, foreign},
		{"capacity clipped by one", plain, func(p *pool) []byte { return p.Get(4096)[:10:4095] }, foreign},
		{"capacity clipped below all classes", plain, func(p *pool) []byte { return p.Get(4096)[:10:10] }, small},
		{"from 64 on, with the capacity of a class", plain, func(p *pool) []byte { return p.Get(8192)[64:4160:4160] }, misaligned},
		{"from 1 on, with the capacity of the smallest class", plain, func(p *pool) []byte { return p.Get(8192)[1:65:65] }, misaligned},
		{"from 32 on, with the capacity of the smallest class", plain, func(p *pool) []byte { return p.Get(8192)[32:96:96] }, misaligned},
		{"rest, with the capacity of a class", plain, func(p *pool) []byte { return p.Get(4864)[768:] }, misaligned}, // 4096
		{"from 4096 on, with the capacity of a large class", plain, func(p *pool) []byte { return p.Get(1 << 20)[4096 : 4096+40<<10 : 4096+40<<10] }, misaligned},
		{"from a byte on, with the capacity of a large class", plain, func(p *pool) []byte { return p.Get(1 << 20)[1 : 1+1<<19 : 1+1<<19] }, misaligned},

		// Parts with the capacity and the alignment of a class: as documented, the pool accepts
		// them.
		{"second half of an array", plain, func(p *pool) []byte { return p.Get(8192)[4096:] }, kept},
		{"first half of an array, clipped", plain, func(p *pool) []byte { return p.Get(8192)[:0:4096] }, kept},

		// Too large or too small.
		{"beyond MaxSize", plain, func(p *pool) []byte { return p.Get(4<<20 + 1) }, large},
		{"far beyond MaxSize", plain, func(p *pool) []byte { return p.Get(16 << 20) }, large},
		{"make beyond MaxSize", plain, func(*pool) []byte { return make([]byte, 5<<20) }, large},
		{"a class beyond MaxSize", ranged, func(*pool) []byte { return make([]byte, 80<<10) }, large},
		{"a class below MinSize", ranged, func(*pool) []byte { return make([]byte, 512) }, small},
		{"no class, below MinSize", ranged, func(*pool) []byte { return make([]byte, 1000) }, small},
		{"no class, within the range", ranged, func(*pool) []byte { return make([]byte, 1025) }, foreign},
		{"no class, beyond MaxSize", ranged, func(*pool) []byte { return make([]byte, 64<<10+1) }, large},
		{"MinSize", ranged, func(p *pool) []byte { return p.Get(1) }, kept},
		{"MaxSize", ranged, func(p *pool) []byte { return p.Get(64 << 10) }, kept},

		// Slices of another pool.
		{"of another pool with other sizes, too small", ranged, func(*pool) []byte { return other.Get(64) }, small},
		{"of another pool with other sizes, too large", ranged, func(*pool) []byte { return other.Get(1 << 20) }, large},
		{"of another pool, within the range", ranged, func(*pool) []byte { return other.Get(10000) }, kept},

		// Double Puts.
		{"twice in a row", plain, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, double},
		{"twice in a row, shortened", plain, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b[:0] }, double},
		{"twice in a row, large", plain, func(p *pool) []byte { b := p.Get(3 << 20); p.Put(b); return b }, double},
		{"twice in a row, with other sizes between", plain, func(p *pool) []byte {
			b := p.Get(100)
			p.Put(b)
			p.Put(p.Get(1000))
			p.Put(make([]byte, 100))
			return b
		}, double},
		{"twice in a row, as the last of many", plain, func(p *pool) []byte { return putMany(p, 100) }, double},
		{"twice in a row, when the P's own are full", plain, func(p *pool) []byte { return putMany(p, 28) }, double},
		{"twice in a row, with a garbage collection between", plain, func(p *pool) []byte { b := putMany(p, 3); pooltest.Collect(); return b }, double},
		{"twice in a row, long after", plain, func(p *pool) []byte {
			b := putMany(p, 3)
			for range 5 {
				pooltest.Collect()
			}
			return b
		}, double},
		{"twice in a row, with little room", pooltest.Config{MaxIdle: 128}, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, double},
		{"twice in a row, cleared", pooltest.Config{Zero: true}, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, double},
		{"twice in a row, without room", pooltest.Config{MaxIdle: 1}, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, full},

		// No room under MaxIdle.
		{"MaxIdle 1", pooltest.Config{MaxIdle: 1}, func(p *pool) []byte { return p.Get(1) }, full},
		{"MaxIdle of one byte less than the slice", pooltest.Config{MaxIdle: 4095}, func(p *pool) []byte { return p.Get(4096) }, full},
		{"MaxIdle of the slice", pooltest.Config{MaxIdle: 4096}, func(p *pool) []byte { return p.Get(4096) }, kept},
		{"MaxIdle too small, but not for this one", pooltest.Config{MaxIdle: 4095}, func(p *pool) []byte { return p.Get(1024) }, kept},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testenv.ASan && tt.want == misaligned {
				b := tt.slice(tt.config.Pool())
				if uintptr(unsafe.Pointer(array(b)))%32 == 0 && cap(b) < 32<<10 {
					t.Skip("with -asan, no array of this class is aligned better")
				}
			}
			runtime.GC() // nobody else collects here
			// Test each way to put with its own pool.
			p := tt.config.Pool()
			for i := range sinks(t, p) {
				p := tt.config.Pool()
				to := sinks(t, p)[i]
				b := tt.slice(p)
				before := p.Stats()
				if r := recovered(func() { to.put(b) }); r != nil {
					t.Fatalf("%s panics: %v", to.name, r)
				}
				after := p.Stats()
				if got := minus(after.Drops, before.Drops); got != tt.want {
					t.Errorf("%s: counted as %+v, want %+v", to.name, got, tt.want)
				}
				dropped := uint64(1)
				if tt.want == kept {
					dropped = 0
				}
				if got := after.Drops.Total() - before.Drops.Total(); got != dropped {
					t.Errorf("%s: %d drops, want %d", to.name, got, dropped)
				}
				idle := int64(cap(b))
				if dropped > 0 {
					idle = 0
				}
				if got := after.Bytes.Idle - before.Bytes.Idle; got != idle {
					t.Errorf("%s: %d more bytes idle, want %d", to.name, got, idle)
				}
				puts := uint64(0)
				if tt.want == kept || tt.want == full { // it may be the pool's own
					puts = 1
				}
				if got := after.Puts - before.Puts; got != puts {
					t.Errorf("%s: %d Puts, want %d", to.name, got, puts)
				}
			}
			b := tt.slice(p)
			if got := pooltest.Kept(p, b); got != (tt.want == kept) {
				t.Errorf("TryPut reports %v", got)
			}
			// No slice comes back twice.
			seen := map[*byte]bool{}
			for range min(200, 2+16<<20/max(cap(b), 1)) {
				again := p.Get(max(cap(b), 1))
				if seen[array(again)] {
					t.Fatal("two slices have one array")
				}
				seen[array(again)] = true
			}
		})
	}
}

var (
	static [8192]byte
	other  = &basin.BytePool{}
)

// putMany puts n slices and returns the last.
func putMany(p *basin.BytePool, n int) []byte {
	live := make([][]byte, n)
	for i := range live {
		live[i] = p.Get(100)
	}
	for _, b := range live {
		p.Put(b)
	}
	return live[n-1]
}

// TestPutHugeCapacity puts slices whose capacity looks harmless in 32 bits. There is no memory
// behind the claimed capacity, and only a pool that clears would touch it.
func TestPutHugeCapacity(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("no int is larger than 32 bits")
	}
	word := 32 // not a constant, which some compilers would reject
	for _, config := range []pooltest.Config{{}, {MaxSize: 64}, {MaxSize: 1 << 30}, {MinSize: 4096, MaxSize: 4096}} {
		p := config.Pool()
		p.Put(p.Get(4096))
		for _, low := range []int{-1, 0, 1, 2, 63, 64, 127, 128, 4096, 4 << 20, 1 << 30} {
			for _, high := range []int{1, 2, 1 << 10} {
				capacity := high<<word + low
				t.Run(fmt.Sprintf("MaxSize %d/%d<<32%+d", config.MaxSize, high, low), func(t *testing.T) {
					header := struct {
						array         *byte
						len, capacity int
					}{array(p.Get(4096)), 10, capacity}
					b := *(*[]byte)(unsafe.Pointer(&header))
					for _, to := range sinks(t, p) {
						before := p.Stats()
						if r := recovered(func() { to.put(b) }); r != nil {
							t.Fatalf("%s panics: %v", to.name, r)
						}
						after := p.Stats()
						if got := minus(after.Drops, before.Drops); got != (basin.Drops{Large: 1}) || after.Bytes.Idle != before.Bytes.Idle {
							t.Errorf("%s: counted as %+v, %d more bytes idle", to.name, got, after.Bytes.Idle-before.Bytes.Idle)
						}
					}
				})
			}
		}
	}
}

// TestZeroClearsWhatItDrops puts foreign slices into a pool that clears. If the pool did not clear
// them, the next allocation without clearing would return their bytes.
func TestZeroClearsWhatItDrops(t *testing.T) {
	pooltest.Reuses(t) // checks leave reported slices as they are
	pooltest.Misuses(t)
	p := &basin.BytePool{Zero: true, MaxSize: 64 << 10}
	full := &basin.BytePool{Zero: true, MaxIdle: 1}
	ceiling := &basin.BytePool{Zero: true, MaxInUse: 1 << 20}
	for _, tt := range []struct {
		name  string
		slice []byte
	}{
		{"foreign", make([]byte, 1000)},
		{"small", make([]byte, 10)},
		{"large", make([]byte, 128<<10)},
		{"misaligned", make([]byte, 8192)[8:4104:4104]},
		{"part", p.Get(4096)[1:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := dirty(tt.slice)
			for _, to := range sinks(t, p) {
				dirty(b)
				before := p.Stats()
				to.put(b)
				if !pooltest.IsZero(b[:cap(b)]) {
					t.Errorf("%s did not clear it", to.name)
				}
				if p.Stats().Drops.Total() != before.Drops.Total()+1 {
					t.Errorf("%s did not drop it", to.name)
				}
			}
		})
	}
	t.Run("over MaxIdle", func(t *testing.T) {
		b := dirty(full.Get(4096))
		full.Put(b)
		if s := full.Stats(); !pooltest.IsZero(b[:cap(b)]) || s.Drops.Full != 1 {
			t.Errorf("not cleared: %+v", s)
		}
	})
	t.Run("larger than the ceiling", func(t *testing.T) {
		b := dirty(ceiling.Get(2 << 20))
		ceiling.Put(b)
		if !pooltest.IsZero(b[:cap(b)]) {
			t.Error("not cleared")
		}
	})
}

// TestConfigExtreme uses the most extreme valid settings.
func TestConfigExtreme(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		n      int // a length
		want   int // its capacity
		kept   bool
	}{
		{"MinSize without MaxSize", pooltest.Config{MinSize: 5 << 20}, 1, 5 << 20, true},
		{"MinSize without MaxSize, beyond", pooltest.Config{MinSize: 5 << 20}, 5<<20 + 1, 5<<20 + 1, false},
		{"MinSize between classes without MaxSize", pooltest.Config{MinSize: 5<<20 + 1}, 6 << 20, 6 << 20, true},
		{"MinSize just above the default MaxSize", pooltest.Config{MinSize: basin.DefaultMaxSize + 1}, 1, 5 << 20, true},
		{"MinSize is the default MaxSize", pooltest.Config{MinSize: basin.DefaultMaxSize}, 1, 4 << 20, true},
		{"MinSize 1", pooltest.Config{MinSize: 1}, 1, 64, true},
		{"MaxSize 1", pooltest.Config{MaxSize: 1}, 64, 64, true},
		{"MaxSize 1, beyond", pooltest.Config{MaxSize: 1}, 65, 65, false},
		{"MaxSize 1 GiB", pooltest.Config{MaxSize: 1 << 30}, 9 << 20, 10 << 20, true},
		{"MaxIdle 1", pooltest.Config{MaxIdle: 1}, 64, 64, false},
		{"MaxIdle smaller than one buffer", pooltest.Config{MaxIdle: 1000}, 1001, 1024, false},
		{"MaxIdle smaller than one buffer, but not than a smaller one", pooltest.Config{MaxIdle: 1000}, 100, 128, true},
		{"MaxIdle largest int64", pooltest.Config{MaxIdle: math.MaxInt64}, 4 << 20, 4 << 20, true},
		{"IdleTime 1 ns", pooltest.Config{IdleTime: 1}, 1000, 1024, true},
		{"IdleTime largest Duration", pooltest.Config{IdleTime: math.MaxInt64}, 1000, 1024, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.config.Pool()
			b := p.Get(tt.n)
			if len(b) != tt.n || cap(b) != tt.want {
				t.Errorf("Get(%d) has length %d and capacity %d, want capacity %d", tt.n, len(b), cap(b), tt.want)
			}
			if kept := pooltest.Kept(p, b); kept != tt.kept {
				t.Errorf("kept: %v", kept)
			}
			pooltest.Collect()
			pooltest.Collect()
			p.Trim()
			if s := p.Stats(); s.Bytes.Idle != 0 || s.Bytes.InUse != 0 {
				t.Errorf("after Trim %d bytes are idle and %d in use", s.Bytes.Idle, s.Bytes.InUse)
			}
		})
	}
}

// TestZeroCannotWrite puts read-only memory into pools that clear.
func TestZeroCannotWrite(t *testing.T) {
	pooltest.Misuses(t)
	constant := "a constant, which is in memory that cannot be written"
	b := unsafe.Slice(unsafe.StringData(constant), len(constant))
	p := &basin.BytePool{Zero: true}
	p.Put(b)
	if s := p.Stats(); s.Drops.Total() != 1 {
		t.Errorf("BytePool: %d drops, want 1", s.Drops.Total())
	}
	fixed := &basin.FixedPool{Count: 2, Size: len(constant)}
	fixed.Zero = true
	fixed.Put(b)
	if s := fixed.Stats(); s.Drops.Foreign != 1 {
		t.Errorf("FixedPool: %+v, want one foreign drop", s.Drops)
	}
	if constant[0] != 'a' {
		t.Error("the constant was changed")
	}
}

var garbage []byte

// TestLargeSliceIsForAllPs: a large slice that was put on one P serves the others, too, unless Gets
// are so frequent that a P keeps it.
func TestLargeSliceIsForAllPs(t *testing.T) {
	pooltest.Reuses(t)
	for _, tt := range []struct{ size, most int }{{256 << 10, 60}, {1 << 20, 250}, {3 << 20, 700}, {10 << 20, 2500}} {
		t.Run(fmt.Sprint(tt.size), func(t *testing.T) {
			pooltest.Alone(t)
			runtime.GOMAXPROCS(2)
			p := &basin.BytePool{MaxSize: 10 << 20}
			for range tt.most / 4 {
				p.Put(p.Get(tt.size))
			}
			done := make(chan []byte)
			var b []byte
			go func() { done <- p.Get(tt.size) }()
			for b == nil { // this P is busy here, so the other one runs the goroutine
				select {
				case b = <-done:
				default:
				}
			}
			if s := p.Stats(); s.Misses != 1 {
				t.Errorf("%d slices were made, want 1", s.Misses)
			}
		})
	}
}

// TestPutTwiceWhileBusy: the fast path, which a busy class has, detects a second Put of the same
// slice.
func TestPutTwiceWhileBusy(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	p := new(basin.BytePool)
	const n = 100_000
	held := make([][]byte, 10)
	for range n / len(held) {
		for i := range held {
			held[i] = p.Get(1000)
		}
		for _, b := range held {
			p.Put(b)
			p.Put(b)
		}
	}
	if got := p.Stats().Drops.Double; got != n {
		t.Errorf("%d of %d second Puts were noticed", got, n)
	}
}
