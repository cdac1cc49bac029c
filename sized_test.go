//go:build go1.25

package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestPoolSizeFinds puts values of many sizes and gets all of them.
func TestPoolSizeFinds(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	for _, tt := range []struct {
		name  string
		sizes func(i int) int
		idle  int64 // idle bytes, rounded up to classes
	}{
		{"one size", func(int) int { return 4096 }, 300 * 4096},
		{"between two classes", func(int) int { return 4097 }, 300 * 4864},
		{"without arrays", func(int) int { return 0 }, 300 * 64},
		{"growing", func(i int) int { return 100 * i }, 0},
		{"shrinking", func(i int) int { return 100 * (300 - i) }, 0},
		{"small and large by turns", func(i int) int { return []int{10, 64 << 10}[i%2] }, 150 * (64 + 64<<10)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pooltest.SizedPool()
			p.MaxIdle = 1 << 30
			for range 3 {
				want := map[*[]byte]bool{}
				var sum int64
				for i := range 300 {
					b := make([]byte, 0, tt.sizes(i))
					want[&b] = true
					sum += int64(tt.sizes(i))
					p.Put(&b)
				}
				if s := p.Stats(); s.Items.Idle != 300 || s.Bytes.Idle < sum || tt.idle != 0 && s.Bytes.Idle != tt.idle {
					t.Errorf("of %d bytes: %+v", sum, s)
				}
				for range 300 {
					b := p.Get()
					if !want[b] {
						t.Fatal("Get returns a value that was not put")
					}
					delete(want, b)
				}
			}
			s := p.Stats()
			if s.Hits != 900 || s.Misses != 0 || s.Gets != 900 || s.Puts != 900 || s.Items.Idle != 0 || s.Bytes.Idle != 0 || s.Items.InUse != 0 || s.Bytes.InUse != basin.Unknown {
				t.Errorf("at last: %+v", s)
			}
		})
	}
}

// TestPoolSizeFindsOthers: values of other Ps are found once these have given them up.
func TestPoolSizeFindsOthers(t *testing.T) {
	pooltest.Reuses(t)
	p := pooltest.SizedPool()
	p.MaxIdle = 1 << 30
	const n = 200
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range n {
				b := make([]byte, 0, 1+r.IntN(1<<r.IntN(16)))
				p.Put(&b)
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	for range 4 { // magazines are seen, go to limbo, and their values go to the depots
		pooltest.Collect()
	}
	oneP(t)
	got := map[*[]byte]bool{}
	for range 4 * n {
		got[p.Get()] = true
	}
	if s := p.Stats(); s.Misses != 0 || len(got) != 4*n {
		t.Errorf("%d values of %d: %+v", len(got), 4*n, s)
	}
}

// TestPoolSizeMaxIdle: idle values never have more bytes, by Size, than MaxIdle.
func TestPoolSizeMaxIdle(t *testing.T) {
	pooltest.Reuses(t)
	const maxIdle = 1 << 20
	p := pooltest.SizedPool()
	p.MaxIdle = maxIdle
	r := rand.New(rand.NewPCG(1, 2))
	const n = 5000
	for range n {
		b := make([]byte, 0, r.IntN(1<<r.IntN(17)))
		p.Put(&b)
		if s := p.Stats(); s.Bytes.Idle > maxIdle || s.Bytes.MaxIdle != maxIdle || s.Items.MaxIdle != 0 {
			t.Fatalf("%+v", s)
		}
	}
	s := p.Stats()
	if s.Drops.Full == 0 || s.Puts != n || uint64(s.Items.Idle)+s.Drops.Total()+s.Trimmed != n {
		t.Errorf("%+v", s)
	}
	if s.Bytes.Idle < maxIdle/4 {
		t.Errorf("only %d bytes are idle", s.Bytes.Idle)
	}
	held := 0
	for range s.Items.Idle {
		held += cap(*p.Get())
	}
	if held > maxIdle {
		t.Errorf("%d bytes were idle", held)
	}
	p.Trim()
	if s := p.Stats(); s.Items.Idle != 0 || s.Bytes.Idle != 0 {
		t.Errorf("after Trim: %+v", s)
	}
}

// TestPoolSizeBad: Size, Used and Make may return extreme values, or panic.
func TestPoolSizeBad(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	one, asked := make([]byte, 1000), 0
	size := func(n func() int) *basin.Pool[*[]byte] {
		return &basin.Pool[*[]byte]{Size: func(b *[]byte) int { asked++; return n() }}
	}
	for _, tt := range []struct {
		name   string
		pool   *basin.Pool[*[]byte]
		put    *[]byte
		panics string
		want   basin.Drops // or else the value is kept
	}{
		{"zero", size(func() int { return 0 }), &one, "", basin.Drops{}},
		{"the largest that is kept", size(func() int { return basin.DefaultMaxSize }), &one, "", basin.Drops{}},
		{"above MaxSize", size(func() int { return basin.DefaultMaxSize + 1 }), &one, "", basin.Drops{Large: 1}},
		{"largest int", size(func() int { return math.MaxInt }), &one, "", basin.Drops{Large: 1}},
		{"-1", size(func() int { return -1 }), &one, "", basin.Drops{Empty: 1}},
		{"smallest int", size(func() int { return math.MinInt }), &one, "", basin.Drops{Empty: 1}},
		{"nil that has a size", size(func() int { return 0 }), nil, "", basin.Drops{}},
		{"nil", pooltest.SizedPool(), nil, "nil pointer", basin.Drops{}},
		{"Size panics", size(func() int { panic("Size is broken") }), &one, "Size is broken", basin.Drops{}},
		{"Used panics", &basin.Pool[*[]byte]{
			Size: func(b *[]byte) int { asked++; return cap(*b) },
			Used: func(*[]byte) int { panic("Used is broken") },
			Make: func(int) *[]byte { return nil },
		}, &one, "Used is broken", basin.Drops{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = 0
			r := recovered(func() { tt.pool.Put(tt.put) })
			s := tt.pool.Stats()
			switch {
			case tt.panics != "":
				if !bytes.Contains(fmt.Append(nil, r), []byte(tt.panics)) || s.Puts != 0 || s.Items.Idle != 0 {
					t.Errorf("panics with %v: %+v", r, s)
				}
			case r != nil:
				t.Errorf("panics with %v", r)
			case asked != 1 || s.Puts != 1 || s.Drops != tt.want || s.Items.Idle != int64(1-tt.want.Total()):
				t.Errorf("Size was asked %d times: %+v", asked, s)
			case tt.want.Total() == 0 && tt.pool.Get() != tt.put:
				t.Error("it is not handed out again")
			}
		})
	}
	t.Run("changes", func(t *testing.T) {
		n := 0
		p := size(func() int { n = (n*7 + 1000) % 100_000; return n })
		p.MaxIdle = 1 << 20
		for range 1000 {
			p.Put(new([]byte))
			if s := p.Stats(); s.Bytes.Idle > 1<<20 {
				t.Fatalf("%+v", s)
			}
		}
		idle := p.Stats().Items.Idle
		for range idle {
			if p.Get() == nil {
				t.Fatal("Get does not find an idle value")
			}
		}
		if s := p.Stats(); s.Bytes.Idle != 0 || s.Items.Idle != 0 || s.Misses != 0 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("Make panics", func(t *testing.T) {
		p := pooltest.LearningPool()
		p.Make = func(int) *[]byte { panic("Make is broken") }
		mustPanic(t, func() { p.Get() }, "Make is broken")
		if s := p.Stats(); s.Gets != 0 || s.Items.InUse != 0 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("grown in the pool", func(t *testing.T) {
		p := pooltest.SizedPool()
		b := new([]byte)
		p.Put(b)
		*b = make([]byte, 10_000)
		if s := p.Stats(); s.Bytes.Idle != 64 {
			t.Errorf("%+v", s)
		}
		p.Put(p.Get())
		if s := p.Stats(); s.Bytes.Idle != 10_240 {
			t.Errorf("%+v", s)
		}
	})
}

// TestPoolLearns: a pool with Used makes values of the size that costs its users least.
func TestPoolLearns(t *testing.T) {
	pooltest.Reuses(t)
	for _, tt := range []struct {
		name  string
		reset bool
		users func(i int) int
		most  int // most values, of 10,000, that may grow
		least int // least capacity of values at the end
		limit int // greatest capacity of values at the end
	}{
		{"one size, with Reset", true, func(int) int { return 10_000 }, 50, 10_000, 10_240},
		{"one size", false, func(int) int { return 10_000 }, 50, 10_000, 10_240},
		{"a giant in a thousand", true, func(i int) int {
			if i%1000 == 500 {
				return 2 << 20
			}
			return 1000
		}, 100, 1000, 4096},
		{"it grows", true, func(i int) int { return 100 + 10_000*(i/5000) }, 1000, 10_100, 12_288},
		{"nobody needs anything", true, func(int) int { return 0 }, 0, 64, 64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pooltest.LearningPool()
			if !tt.reset {
				p.Reset = nil
			}
			grown := 0
			for i := range 10_000 {
				b := p.Get()
				had := cap(*b)
				*b = append((*b)[:0], make([]byte, tt.users(i))...)
				if cap(*b) != had {
					grown++
				}
				p.Put(b)
			}
			if grown > tt.most {
				t.Errorf("%d of 10,000 had to grow", grown)
			}
			if b := p.Get(); cap(*b) < tt.least || cap(*b) > tt.limit {
				t.Errorf("hands out %d bytes, want %d to %d", cap(*b), tt.least, tt.limit)
			}
		})
	}
	t.Run("sizes that are kept", func(t *testing.T) {
		p := pooltest.LearningPool()
		for range 1000 {
			b := p.Get()
			*b = append(*b, make([]byte, 4096)...)
			p.Put(b)
		}
		p.Trim()
		before := p.Stats().Drops
		for _, n := range []int{4096, 4097, 8 << 10, 4095, 64, 3072, 8<<10 + 1, 2 << 20} {
			b := make([]byte, 0, n)
			p.Put(&b)
		}
		if s := p.Stats(); s.Items.Idle != 4 || s.Drops.Small != before.Small+2 || s.Drops.Large != before.Large+2 {
			t.Errorf("%+v, before %+v", s, before)
		}
	})
}

// TestPoolLearnsFromGrown: values that append has grown to their user's need are reused, although they are smaller than the
// learned class and Make makes none of that size.
func TestPoolLearnsFromGrown(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	type value struct{ b []byte }
	for need := 100; need <= 3_000_000; need = need*5/4 + 1 {
		p := &basin.Pool[*value]{
			Name: t.Name(),
			Make: func(n int) *value { return &value{make([]byte, 0, min(n, 100))} },
			Used: func(v *value) int { return len(v.b) },
			Size: func(v *value) int { return cap(v.b) },
		}
		data := make([]byte, need)
		for range 200 {
			v := p.Get()
			v.b = append(v.b[:0], data...)
			p.Put(v)
		}
		if s := p.Stats(); s.Hits < 150 {
			t.Errorf("%d bytes: %v", need, s)
		}
	}
}

func TestPoolSizeDoesNotAllocate(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	odd := pooltest.SizedPool()
	odd.New = func() *[]byte { b := make([]byte, 0, 1000); return &b }
	buffers := &basin.Pool[*bytes.Buffer]{
		New:  func() *bytes.Buffer { return new(bytes.Buffer) },
		Size: func(b *bytes.Buffer) int { return b.Cap() },
	}
	learning, plain := pooltest.LearningPool(), pooltest.LearningPool()
	plain.Reset = nil
	for _, tt := range []struct {
		name string
		op   func()
	}{
		{"odd", func() { odd.Put(odd.Get()) }},
		{"bytes.Buffer", func() { b := buffers.Get(); b.WriteString("text"); b.Reset(); buffers.Put(b) }},
		{"learning, with Reset", func() { b := learning.Get(); *b = append(*b, 1); learning.Put(b) }},
		{"learning", func() { b := plain.Get(); *b = append((*b)[:0], 1); plain.Put(b) }},
		{"differing", func() { x, y := odd.Get(), buffers.Get(); y.Grow(10_000); buffers.Put(y); odd.Put(x) }},
	} {
		for range 200 {
			tt.op()
		}
		if n := pooltest.Allocs(1000, tt.op); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}

// TestCheckPoolSize: checks find the same misuse of values with a Size.
func TestCheckPoolSize(t *testing.T) {
	pooltest.Misuses(t)
	for _, learns := range []bool{false, true} {
		told := pooltest.BeginChecks(t, pooltest.FullChecking)
		p := pooltest.SizedPool()
		if learns {
			p = pooltest.LearningPool()
		}
		b, large := p.Get(), p.Get()
		p.Put(b)
		*large = make([]byte, basin.DefaultMaxSize+1)
		p.Put(large) // without checks, the pool would drop it
		if got := told.Take(); got != nil {
			t.Errorf("learns %t: reported %v", learns, got)
		}
		p.Put(b)
		if got := pooltest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.DoublePut}) {
			t.Errorf("learns %t: reported %v, want a double Put", learns, got)
		}
		if s := p.Stats(); s.Gets != 2 || s.Misses != 2 || s.Puts != 2 || s.Drops.Double != 1 || s.Items.Idle != 0 {
			t.Errorf("learns %t: %+v", learns, s)
		}
	}
}

// TestPoolSizeBetweenClasses: a MaxSize that is not a size class does not make the pool drop values
// that it made, nor depend on earlier Puts.
func TestPoolSizeBetweenClasses(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	const most, class = 1000, 1024
	sized, learning := pooltest.SizedPool(), pooltest.LearningPool()
	sized.MaxSize, learning.MaxSize = most, most
	std := &basin.StdBufferPool{InitialSize: most, MaxSize: most}
	stdLearning := &basin.StdBufferPool{MaxSize: most}
	for _, tt := range []struct {
		name   string
		getPut func()
		stats  func() basin.Stats
	}{
		{"Pool", func() {
			sized.Get()
			b := make([]byte, class)
			sized.Put(&b)
		}, sized.Stats},
		{"Pool that learns", func() {
			b := learning.Get()
			*b = append((*b)[:0], make([]byte, 950)...)
			learning.Put(b)
		}, learning.Stats},
		{"StdBufferPool", func() { std.Put(std.Get()) }, std.Stats},
		{"StdBufferPool that learns", func() {
			b := stdLearning.Get()
			b.Write(make([]byte, 950))
			stdLearning.Put(b)
		}, stdLearning.Stats},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 2000 {
				tt.getPut()
			}
			before := tt.stats()
			for range 100 {
				tt.getPut()
			}
			if s := tt.stats(); s.Hits-before.Hits != 100 || s.Drops != before.Drops {
				t.Errorf("%d hits in 100, dropped before and after: %+v, %+v", s.Hits-before.Hits, before.Drops, s.Drops)
			}
		})
	}
	large := make([]byte, class+1)
	sized.Put(&large)
	if s := sized.Stats(); s.Drops.Large != 1 {
		t.Errorf("above the class of MaxSize: %+v", s.Drops)
	}
}

// TestPoolSizeLargest has values of the largest possible size, real or claimed.
func TestPoolSizeLargest(t *testing.T) {
	pooltest.Reuses(t)
	for _, size := range []int{64, 1 << 30, 1900 << 20, math.MaxInt32 - 1, math.MaxInt32, math.MaxInt} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var told int
			p := &basin.Pool[*int]{
				Size:    func(n *int) int { return *n },
				Used:    func(n *int) int { return *n },
				Make:    func(size int) *int { told = size; return &size },
				MaxSize: math.MaxInt32,
				MaxIdle: math.MaxInt64,
			}
			plain := &basin.Pool[*int]{Size: p.Size, MaxSize: p.MaxSize, MaxIdle: p.MaxIdle}
			for range 100 {
				n, small := size, 10
				p.Put(&n)
				p.Put(&n)
				p.Put(&small)
				p.Get()
				plain.Put(&n)
				plain.Put(&n)
				plain.Put(&small)
				plain.Get()
			}
			p.Trim()
			if p.Get(); told < min(size, 7<<28) {
				t.Errorf("Make is told %d", told)
			}
			for _, s := range []basin.Stats{p.Stats(), plain.Stats()} {
				if s.Puts != 300 {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

// TestPoolUsedOnce: Put calls Used once, before Reset.
func TestPoolUsedOnce(t *testing.T) {
	p := pooltest.LearningPool()
	for _, answer := range []int{-1, -2, math.MinInt, 0, 50} {
		calls, reset := 0, false
		p := &basin.Pool[*[]byte]{Size: p.Size, Make: p.Make,
			Used: func(*[]byte) int {
				if calls++; reset {
					t.Errorf("answer %d: Used is asked after Reset", answer)
				}
				return answer
			},
			Reset: func(b *[]byte) *[]byte { reset = true; return b },
		}
		p.Put(p.Get())
		if calls != 1 {
			t.Errorf("answer %d: Used is asked %d times", answer, calls)
		}
	}
}

// TestBestFit: the right array serves a request for n bytes when arrays of the given sizes are
// idle.
func TestBestFit(t *testing.T) {
	pooltest.Reuses(t)
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		idle   []int
		n      int
		want   int // capacity
		misses uint64
	}{
		{"own class", pooltest.Config{}, []int{4096, 8192}, 4000, 4096, 0},
		{"the next larger", pooltest.Config{}, []int{16384, 8192, 6144}, 4000, 6144, 0},
		{"four times as large", pooltest.Config{}, []int{16384}, 4000, 16384, 0},
		{"more than that", pooltest.Config{}, []int{20480}, 4000, 4096, 1},
		{"smaller", pooltest.Config{}, []int{3456}, 4000, 4096, 1},
		{"small", pooltest.Config{}, []int{1024}, 1, 1024, 0},
		{"more than small", pooltest.Config{}, []int{1280}, 1, 64, 1},
		{"no magazines", pooltest.Config{}, []int{4 << 20}, 1 << 20, 4 << 20, 0},
		{"own class only", pooltest.Config{MaxFit: 1}, []int{8192}, 4000, 4096, 1},
		{"own class only, small", pooltest.Config{MaxFit: 1}, []int{128}, 64, 64, 1},
		{"twice", pooltest.Config{MaxFit: 2}, []int{10240, 8192}, 4000, 8192, 0},
		{"more than twice", pooltest.Config{MaxFit: 2}, []int{10240}, 4000, 4096, 1},
		{"any", pooltest.Config{MaxFit: math.MaxInt}, []int{4 << 20}, 1, 4 << 20, 0},
		{"zeroed", pooltest.Config{Zero: true}, []int{8192}, 4000, 8192, 0},
		{"under MaxInUse", pooltest.Config{MaxInUse: 1 << 20}, []int{8192}, 4000, 4096, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pooltest.Alone(t)
			p := tt.config.Pool()
			var idle [][]byte
			for _, size := range tt.idle {
				b := p.Get(size)
				for i := range b {
					b[i] = 1
				}
				idle = append(idle, b)
			}
			for _, b := range idle {
				p.Put(b)
			}
			before := p.Stats()
			b := p.Get(tt.n)
			s := p.Stats()
			if len(b) != tt.n || cap(b) != tt.want || s.Misses-before.Misses != tt.misses {
				t.Errorf("Get(%d) has length %d and capacity %d after %d misses, want %d and %d",
					tt.n, len(b), cap(b), s.Misses-before.Misses, tt.want, tt.misses)
			}
			if tt.config.Zero && !pooltest.IsZero(b[:cap(b)]) {
				t.Error("a larger slice is not zero")
			}
			if s.Bytes.InUse != int64(cap(b)) {
				t.Errorf("%d bytes in use, want the capacity, %d", s.Bytes.InUse, cap(b))
			}
			for _, c := range s.Classes {
				if out := int64(c.Gets - c.Puts); out != 0 && c.Size != cap(b) || c.Gets != c.Hits+c.Misses || c.AskedBytes > c.HandedOutBytes {
					t.Errorf("class %d: %+v", c.Size, c)
				}
			}
			if !pooltest.Kept(p, b) {
				t.Error("it was not kept")
			}
			if s = p.Stats(); s.Bytes.InUse != 0 || s.Gets != s.Puts {
				t.Errorf("after Put: %+v", s)
			}
			if again := p.Get(tt.want); array(again) != array(b) {
				t.Errorf("Get(%d) has another array: it has not gone to its own class", tt.want)
			}
		})
	}
}

// TestBestFitUnderCeiling: under a ceiling, each request counts as its own class, so the number of
// requests that fit does not depend on earlier ones.
func TestBestFitUnderCeiling(t *testing.T) {
	for _, tt := range []struct {
		name          string
		limit         int64
		before, count int // numbers of slices that were put before, and of those that fit then
		beforeOf, of  int // their sizes
	}{
		{"a larger one has come and gone", 64 << 10, 1, 4, 32 << 10, 16 << 10},
		{"many larger ones have", 64 << 10, 64, 1024, 1 << 10, 64},
		{"all of it was one", 64 << 10, 1, 1024, 64 << 10, 64},
		{"smaller ones have", 64 << 10, 1024, 1, 64, 64 << 10},
		{"nothing has", 64 << 10, 0, 64, 0, 1 << 10},
	} {
		for _, maxFit := range []int{0, 1, 2, math.MaxInt} {
			t.Run(fmt.Sprintf("%s, MaxFit %d", tt.name, maxFit), func(t *testing.T) {
				p := &basin.BytePool{MaxInUse: tt.limit, MaxFit: maxFit}
				var out [][]byte
				for range tt.before {
					out = append(out, p.Get(tt.beforeOf))
				}
				for _, b := range out {
					p.Put(b)
				}
				for i := range tt.count {
					b, ok := p.TryGet(tt.of)
					if !ok || cap(b) != tt.of {
						t.Fatalf("slice %d of %d: %t, capacity %d, want %d", i+1, tt.count, ok, cap(b), tt.of)
					}
					out = append(out, b)
				}
				if b, ok := p.TryGet(tt.of); ok {
					t.Errorf("%d bytes beyond the ceiling", cap(b))
				}
				if s := p.Stats(); s.Bytes.InUse != tt.limit || s.Refused != 1 {
					t.Errorf("%v", s)
				}
				runtime.KeepAlive(out)
			})
		}
	}
}

// TestReadAllUnderCeiling reads long texts, and then as many short ones as fit.
func TestReadAllUnderCeiling(t *testing.T) {
	const limit, length = 256 << 10, 5 << 10
	for _, before := range []int{0, 16 << 10, 100 << 10} {
		p := &basin.BytePool{MaxInUse: limit}
		one := p.Get(length)
		own := cap(one)
		p.Put(one)
		for range 100 {
			data, err := p.ReadAll(struct{ io.Reader }{bytes.NewReader(pattern(before))})
			if err != nil || len(data) != before {
				t.Fatal(len(data), err)
			}
			p.Put(data)
		}
		var out [][]byte
		for p.Stats().Bytes.InUse < limit/2 {
			data, err := p.ReadAll(struct{ io.Reader }{bytes.NewReader(pattern(length))})
			if err != nil || !bytes.Equal(data, pattern(length)) || cap(data) != own {
				t.Fatalf("after texts of %d bytes: %d bytes, capacity %d, %v", before, len(data), cap(data), err)
			}
			out = append(out, data)
		}
		if len(out) != (limit/2+own-1)/own {
			t.Errorf("after texts of %d bytes, %d slices of %d bytes fill half of %d", before, len(out), own, limit)
		}
		for _, data := range out {
			p.Put(data)
		}
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Refused != 0 || s.Drops.Foreign != 0 {
			t.Errorf("in the end %v", s)
		}
	}
}

// TestMadeToBeKept: slices that are usually kept for long have their own class.
func TestMadeToBeKept(t *testing.T) {
	pooltest.Reuses(t)
	for _, maxInUse := range []int64{0, 1 << 20} {
		for _, tt := range []struct {
			name string
			make func(p *basin.BytePool) []byte
			own  bool
		}{
			{"Get", func(p *basin.BytePool) []byte { return p.Get(1100) }, false},
			{"Grow", func(p *basin.BytePool) []byte { return p.Grow(nil, 1100) }, false},
			{"Detach", func(p *basin.BytePool) []byte {
				basin.SetDefault(p)
				defer basin.SetDefault(nil)
				return basin.NewBuffer(pattern(1100)).Detach()
			}, true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				pooltest.Alone(t)
				p := &basin.BytePool{MaxInUse: maxInUse}
				p.Put(p.Get(2048))
				want := 2048
				if tt.own || maxInUse > 0 {
					want = 1280
				}
				if b := tt.make(p); len(b) != 1100 && tt.name != "Grow" || cap(b) != want {
					t.Errorf("length %d, capacity %d, want %d", len(b), cap(b), want)
				}
			})
		}
	}
}
