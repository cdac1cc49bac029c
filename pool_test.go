package basin_test

import (
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
)

// mustPanic runs f, which has to panic with a message that has all parts.
func mustPanic(t *testing.T, f func(), parts ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		message, ok := v.(string)
		if !ok {
			t.Fatalf("panicked with %v, want a string", v)
		}
		for _, part := range parts {
			if !strings.Contains(message, part) {
				t.Errorf("panicked with %q, want %q in it", message, part)
			}
		}
	}()
	f()
}

// oneP keeps the test on one P: what it puts into the magazine of another would be
// out of its reach for a while.
func oneP(t *testing.T) {
	procs := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
}

// A variable of a package is not on the heap, where weak pointers want to point.
var packagePool basin.Pool[*int]

func TestPoolZeroValue(t *testing.T) {
	reuses(t)
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
		var p basin.Pool[T]
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
		if n := uint64(len(values)); s.Hits != n || s.Misses != 1 || s.Puts != n || s.Gets != n+1 || s.Idle != 0 {
			t.Errorf("after a miss and %d hits: %+v", n, s)
		}
	})
}

func TestPoolOfAnyType(t *testing.T) {
	reuses(t)
	oneP(t)
	roundTrip(t, "int", 1, 2, 3, 2)
	roundTrip(t, "string", "a", "b")
	roundTrip(t, "pointer", new(int), new(int))
	roundTrip[any](t, "interface", 1, "a", 2.5)
	roundTrip(t, "size zero", struct{}{}, struct{}{}, struct{}{})
	roundTrip(t, "array of size zero", [0]int{}, [0]int{})
	roundTrip(t, "4 KiB", [512]int64{1}, [512]int64{511: 2})
	var many []int
	for i := range 1000 {
		many = append(many, i)
	}
	roundTrip(t, "many", many...)
}

// block128 is 128 bytes where words have 64 bits.
type block128 struct {
	body [11]int64
	name string
	data []byte
}

func newRecord() block128 { return block128{body: [11]int64{1}, name: "r", data: make([]byte, 1)} }

func TestPoolDoesNotAllocate(t *testing.T) {
	reuses(t)
	oneP(t)
	check := func(name string, op func()) {
		t.Helper()
		op()
		if n := testing.AllocsPerRun(100, op); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	slices := basin.NewPool(func() []byte { return make([]byte, 100) })
	check("slice", func() { slices.Put(slices.Get()) })
	records := basin.NewPool(newRecord)
	check("struct", func() { records.Put(records.Get()) })
	pointers := basin.NewPool(func() *block128 { return new(block128) })
	check("pointer", func() { pointers.Put(pointers.Get()) })
	interfaces := basin.NewPool(func() any { return new(block128) })
	check("interface", func() { interfaces.Put(interfaces.Get()) })
	large := basin.NewPool(func() (x [512]int64) { return x })
	check("4 KiB", func() { large.Put(large.Get()) })
	reset := &basin.Pool[block128]{Reset: func(r block128) block128 { return block128{data: r.data[:0]} }}
	check("with Reset", func() { reset.Put(reset.Get()) })
}

func TestPoolReset(t *testing.T) {
	reuses(t)
	oneP(t)
	p := &basin.Pool[[]byte]{Reset: func(b []byte) []byte { return b[:0] }}
	p.Put([]byte("abc"))
	if b := p.Get(); len(b) != 0 || cap(b) != 3 {
		t.Errorf("Get() has length %d and capacity %d, want 0 and 3", len(b), cap(b))
	}
}

func TestPoolSurvivesPanics(t *testing.T) {
	reuses(t)
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
	if s := p.Stats(); s.Gets != 0 || s.Puts != 0 || s.InUse != 0 || s.Idle != 0 {
		t.Errorf("after panics: %+v, want nothing counted", s)
	}
	broken = false
	x := p.Get()
	p.Put(x)
	if s := p.Stats(); x != 7 || s.Gets != 1 || s.Misses != 1 || s.Puts != 1 || s.InUse != 0 || s.Idle != 1 {
		t.Errorf("after a Get of %d and a Put: %+v", x, s)
	}
}

func TestPoolMaxIdle(t *testing.T) {
	reuses(t)
	p := &basin.Pool[int]{Name: "few", MaxIdle: 10}
	for i := range 100 {
		p.Put(i)
	}
	s := p.Stats()
	if s.Idle > 10 || s.Idle+int64(s.Drops) != 100 || s.Puts != 100 {
		t.Errorf("100 Puts with MaxIdle 10: %+v", s)
	}
	if s.Idle == 0 {
		t.Error("kept nothing")
	}
	if s.Name != "few" || s.MaxIdle != 10 {
		t.Errorf("Name %q, MaxIdle %d", s.Name, s.MaxIdle)
	}
}

func TestPoolBadSettings(t *testing.T) {
	mustPanic(t, func() { (&basin.Pool[int]{MaxIdle: -1}).Get() }, "Pool.MaxIdle", "-1")
	mustPanic(t, func() { (&basin.Pool[int]{IdleTime: -time.Second}).Put(1) }, "Pool.IdleTime", "-1s")
	if s := new(basin.Pool[int]).Stats(); s.MaxIdle != basin.DefaultMaxItems {
		t.Errorf("default MaxIdle = %d, want %d", s.MaxIdle, basin.DefaultMaxItems)
	}
}

func TestPoolTrim(t *testing.T) {
	var p basin.Pool[*int]
	for range 100 {
		p.Put(new(int))
	}
	p.Trim()
	if s := p.Stats(); s.Idle != 0 || s.Trimmed != 100 {
		t.Errorf("after Trim: %+v", s)
	}
}

// TestPoolsSurviveGCs: a working set is still there after three collections.
func TestPoolsSurviveGCs(t *testing.T) {
	reuses(t)
	oneP(t)
	const n = 200
	gcs := func() {
		for range 3 {
			runtime.GC()
		}
	}
	t.Run("Pool", func(t *testing.T) {
		p := basin.NewPool(func() []byte { return make([]byte, 100) })
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
		p := basin.NewBytePool(basin.Config{MaxInUse: n * 4096})
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
		p := basin.NewFixedPool(n, 100)
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

// want collects garbage until n objects are gone.
func (c *cleanups) want(t *testing.T, n int64) {
	t.Helper()
	for range 200 {
		runtime.GC()
		if c.n.Load() == n {
			return
		}
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of the runtime
	}
	t.Errorf("%d objects collected, want %d", c.n.Load(), n)
}

type holder struct{ x *[64]byte }

// TestPoolForgetsWhatIsTaken: items that were taken can be collected while the
// pool is in use, wherever in it they were.
func TestPoolForgetsWhatIsTaken(t *testing.T) {
	reuses(t)
	oneP(t)
	const n = 300 // more than a magazine holds
	var pointers basin.Pool[*[64]byte]
	var structs basin.Pool[holder]
	var c cleanups
	func() {
		for range 3 {
			for range n {
				pointers.Put(c.object())
				structs.Put(holder{c.object()})
			}
			runtime.GC() // and through limbo
			for range n {
				if pointers.Get() == nil || structs.Get().x == nil {
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
	reuses(t)
	var c cleanups
	func() {
		p := basin.NewPool(c.object)
		for range 100 {
			p.Put(c.object())
		}
	}()
	c.want(t, 100)
}

func TestVetReportsCopiesOfPools(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || testing.Short() {
		t.Skip("needs the go command")
	}
	out, err := exec.Command("go", "vet", "./testdata/copies").CombinedOutput()
	if err == nil {
		t.Error("go vet finds nothing wrong with copied pools")
	}
	for _, name := range []string{"basin.Pool[int]", "basin.FixedPool"} {
		if !strings.Contains(string(out), name) {
			t.Errorf("go vet does not report the copy of a %s:\n%s", name, out)
		}
	}
}
