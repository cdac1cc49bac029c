//go:build go1.25

package basin_test

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A package variable is not on the heap, but weak pointers must point there.
var packagePool basin.Pool[*int]

func TestPoolZeroValue(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	if x := packagePool.Get(); x != nil {
		t.Errorf("Get of an empty zero Pool = %v, want nil", x)
	}
	x := new(int)
	packagePool.Put(x)
	for range 3 {
		runtime.GC()
	}
	if got := packagePool.Get(); got != x {
		t.Errorf("Get after Put(%p) = %p", x, got)
	}
}

func roundTrip[T comparable](t *testing.T, name string, values ...T) {
	t.Run(name, func(t *testing.T) {
		p := basin.Pool[T]{MaxItems: 2*len(values) + 2}
		var zero T
		if x := p.Get(); x != zero {
			t.Errorf("empty pool: Get() = %v, want %v", x, zero)
		}
		want := make(map[T]int)
		for _, v := range values {
			p.Put(v)
			want[v]++
		}
		for range values {
			want[p.Get()]--
		}
		for v, n := range want {
			if n != 0 {
				t.Errorf("%v came out %d times fewer than it went in", v, n)
			}
		}
		s := p.Stats()
		if n := uint64(len(values)); s.Hits != n || s.Misses != 1 || s.Puts != n || s.Gets != n+1 || s.Items.Idle != 0 {
			t.Errorf("after a miss and %d hits: %+v", n, s)
		}
	})
}

func TestPoolOfAnyType(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	roundTrip(t, "int", 1, 2, 3, 2)
	roundTrip(t, "pointer", new(int), new(int))
	roundTrip[any](t, "interface", 1, "a", 2.5)
	roundTrip(t, "size zero", struct{}{}, struct{}{}, struct{}{})
	roundTrip(t, "4 KiB", block4K{1}, block4K{511: 2})
	var many []int
	for i := range 1000 {
		many = append(many, i)
	}
	roundTrip(t, "many", many...)
}

// block128 has 128 bytes if words have 64 bits.
type block128 struct {
	body [11]int64
	name string
	data []byte
}

type block4K [512]int64

func newRecord() block128 { return block128{body: [11]int64{1}, name: "r", data: make([]byte, 1)} }

func TestPoolDoesNotAllocate(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	check := func(name string, op func()) {
		t.Helper()
		op()
		if n := pooltest.Allocs(100, op); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	slices := &basin.Pool[[]byte]{New: func() []byte { return make([]byte, 100) }}
	check("slice", func() { slices.Put(slices.Get()) })
	records := &basin.Pool[block128]{New: newRecord}
	check("struct", func() { records.Put(records.Get()) })
	pointers := &basin.Pool[*block128]{New: func() *block128 { return new(block128) }}
	check("pointer", func() { pointers.Put(pointers.Get()) })
	interfaces := &basin.Pool[any]{New: func() any { return new(block128) }}
	check("interface", func() { interfaces.Put(interfaces.Get()) })
	large := &basin.Pool[block4K]{New: func() (x block4K) { return x }}
	check("4 KiB", func() { large.Put(large.Get()) })
	reset := &basin.Pool[block128]{Reset: func(r block128) block128 { return block128{data: r.data[:0]} }}
	check("with Reset", func() { reset.Put(reset.Get()) })
}

func TestPoolReset(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	p := &basin.Pool[[]byte]{Reset: func(b []byte) []byte { return b[:0] }}
	p.Put([]byte("abc"))
	if b := p.Get(); len(b) != 0 || cap(b) != 3 {
		t.Errorf("Get() has length %d and capacity %d, want 0 and 3", len(b), cap(b))
	}
}

func TestPoolSurvivesPanics(t *testing.T) {
	pooltest.Reuses(t)
	broken := true
	p := &basin.Pool[int]{
		New: func() int {
			if broken {
				panic("New is broken")
			}
			return 7
		},
		Reset: func(x int) int {
			if broken {
				panic("Reset is broken")
			}
			return x
		},
	}
	mustPanic(t, func() { p.Get() }, "New is broken")
	mustPanic(t, func() { p.Put(1) }, "Reset is broken")
	if s := p.Stats(); s.Gets != 0 || s.Puts != 0 || s.Items.InUse != 0 || s.Items.Idle != 0 {
		t.Errorf("after panics: %+v, want nothing counted", s)
	}
	broken = false
	x := p.Get()
	p.Put(x)
	if s := p.Stats(); x != 7 || s.Gets != 1 || s.Misses != 1 || s.Puts != 1 || s.Items.InUse != 0 || s.Items.Idle != 1 {
		t.Errorf("after a Get of %d and a Put: %+v", x, s)
	}
}

func TestPoolMaxIdle(t *testing.T) {
	pooltest.Reuses(t)
	p := &basin.Pool[int]{Name: "few", MaxItems: 10}
	for i := range 100 {
		p.Put(i)
	}
	s := p.Stats()
	if s.Items.Idle > 10 || s.Items.Idle+int64(s.Drops.Total()) != 100 || s.Puts != 100 {
		t.Errorf("100 Puts with MaxItems 10: %+v", s)
	}
	if s.Items.Idle == 0 {
		t.Error("kept nothing")
	}
	if s.Name != "few" || s.Items.MaxIdle != 10 {
		t.Errorf("Name %q, MaxIdle %d", s.Name, s.Items.MaxIdle)
	}
}

func TestPoolTrim(t *testing.T) {
	pooltest.Reuses(t)
	var p basin.Pool[*int]
	for range 100 {
		p.Put(new(int))
	}
	p.Trim()
	if s := p.Stats(); s.Items.Idle != 0 || s.Trimmed != 100 {
		t.Errorf("after Trim: %+v", s)
	}
}

// TestPoolsSurviveGCs: a working set is still there after three collections.
func TestPoolsSurviveGCs(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	const n = 200
	gcs := func() {
		for range 3 {
			runtime.GC()
		}
	}
	t.Run("Pool", func(t *testing.T) {
		p := &basin.Pool[[]byte]{New: func() []byte { return make([]byte, 100) }, IdleTime: time.Hour}
		var items [][]byte
		for range n {
			items = append(items, p.Get())
		}
		before := p.Stats().Misses
		for range 5 {
			for _, x := range items {
				p.Put(x)
			}
			gcs()
			for i := range items {
				items[i] = p.Get()
			}
		}
		if misses := p.Stats().Misses - before; misses != 0 {
			t.Errorf("%d misses", misses)
		}
	})
	t.Run("BytePool under a ceiling", func(t *testing.T) {
		p := &basin.BytePool{MaxInUse: n * 4096, IdleTime: time.Hour}
		var items [][]byte
		for range n {
			items = append(items, p.Get(4096))
		}
		before := p.Stats().Misses
		for range 5 {
			for _, x := range items {
				p.Put(x)
			}
			gcs()
			for i := range items {
				items[i] = p.Get(4096)
			}
		}
		if misses := p.Stats().Misses - before; misses != 0 {
			t.Errorf("%d misses", misses)
		}
	})
	t.Run("FixedPool", func(t *testing.T) {
		p := &basin.FixedPool{Count: n, Size: 100}
		for range 5 {
			var items [][]byte
			for range n {
				items = append(items, p.Get())
			}
			for _, x := range items {
				p.Put(x)
			}
			gcs()
		}
		if misses := p.Stats().Misses; misses != 0 {
			t.Errorf("%d misses", misses)
		}
	})
}

// cleanups counts the objects that have been collected.
type cleanups struct{ n atomic.Int64 }

func (c *cleanups) object() *[64]byte {
	x := new([64]byte)
	runtime.AddCleanup(x, func(c *cleanups) { c.n.Add(1) }, c)
	return x
}

// want collects garbage until n objects have been collected.
func (c *cleanups) want(t *testing.T, n int64) {
	t.Helper()
	testenv.CollectUntil(func() bool { return c.n.Load() >= n })
	if c.n.Load() > n {
		t.Errorf("%d objects collected, want %d", c.n.Load(), n)
	}
}

// TestPoolKeepsNoTakenItem: items that were taken can be collected while the pool is in use,
// wherever in the pool they were.
func TestPoolKeepsNoTakenItem(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	const n = 300 // more than a magazine holds
	pointers := basin.Pool[*[64]byte]{MaxItems: 2 * n}
	structs := basin.Pool[block128]{MaxItems: 2 * n}
	var c cleanups
	func() {
		for range 3 {
			for range n {
				pointers.Put(c.object())
				structs.Put(block128{data: c.object()[:]})
			}
			runtime.GC() // moves them through limbo
			for range n {
				if pointers.Get() == nil || structs.Get().data == nil {
					t.Fatal("nothing to take")
				}
			}
		}
	}()
	c.want(t, 3*2*n)
	runtime.KeepAlive(&pointers)
	runtime.KeepAlive(&structs)
}

func TestPoolCanBeCollected(t *testing.T) {
	pooltest.Reuses(t)
	var c cleanups
	func() {
		p := &basin.Pool[*[64]byte]{New: c.object}
		for range 100 {
			p.Put(c.object())
		}
	}()
	c.want(t, 100)
}

// TestPoolCopied copies a Pool by value after its first use, which go vet reports. Both copies
// share idle items; still no item goes to two users at once.
func TestPoolCopied(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	runtime.GOMAXPROCS(1)
	pool := &basin.Pool[*int]{New: func() *int { return new(int) }, IdleTime: time.Nanosecond}
	for range 100 { // until the P has magazines
		x, y := pool.Get(), pool.Get()
		pool.Put(x)
		pool.Put(y)
	}
	at := reflect.New(reflect.TypeFor[basin.Pool[*int]]())
	at.Elem().Set(reflect.ValueOf(pool).Elem())
	copied := at.Interface().(*basin.Pool[*int])

	// More Ps make the table of the original grow, but not that of the copy.
	runtime.GOMAXPROCS(8)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 2000 {
				pool.Put(pool.Get())
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	for range 50 {
		held := map[*int]bool{}
		for i := range 60 {
			x := pool.Get()
			if i%2 == 1 {
				x = copied.Get()
			}
			if held[x] {
				t.Fatal("one value for two users")
			}
			held[x] = true
		}
		for x := range held {
			pool.Put(x)
		}
		pooltest.Collect() // magazines go to limbo, and their items to the depot
	}
}
