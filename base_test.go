//go:build go1.25

package basin_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestStatsKinds uses a pool of each kind, with items in use and idle ones.
func TestStatsKinds(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	runtime.GOMAXPROCS(1) // so that Get returns the item put last
	name := func(kind string) string { return t.Name() + " " + kind }

	bytes := &basin.BytePool{Name: name("bytes")}
	ceiling := &basin.BytePool{Name: name("ceiling"), MaxInUse: 1 << 20}
	for _, p := range []*basin.BytePool{bytes, ceiling} {
		a, b := p.Get(1000), p.Get(5000)
		p.Put(a)
		defer p.Put(b)
	}
	values := &basin.Pool[entry]{Name: name("values"), MaxItems: 77}
	values.Put(0)
	values.Put(0)
	values.Get()
	fixed := &basin.FixedPool{Count: 8, Size: 100}
	fixed.Name = name("fixed")
	fixed.Get()
	fixed.Put(make([]byte, 100))
	buffers := &basin.BufferPool{Name: name("buffers"), InitialSize: 1024}
	a, b := buffers.Get(), buffers.Get()
	buffers.Put(a)
	defer buffers.Put(b)
	std := &basin.StdBufferPool{Name: name("std"), InitialSize: 1024}
	c, d := std.Get(), std.Get()
	std.Put(c)
	defer std.Put(d)

	all := statsOf(t, t.Name())
	one := basin.Holdings{InUse: 1, Idle: 1}
	eight := basin.Holdings{InUse: 1, Idle: 7, MaxIdle: 8, MaxInUse: 8}
	for _, tt := range []struct {
		kind  string
		want  string
		pool  interface{ Stats() basin.Stats }
		items basin.Holdings
		bytes basin.Holdings
	}{
		{"bytes", "BytePool", bytes, one, basin.Holdings{InUse: 6144, Idle: 1024, MaxIdle: 64 << 20}},
		{"ceiling", "BytePool", ceiling, one, basin.Holdings{}},
		{"values", "Pool[basin_test.entry]", values, basin.Holdings{InUse: 0, Idle: 1, MaxIdle: 77}, basin.Holdings{InUse: basin.Unknown, Idle: basin.Unknown}},
		{"fixed", "FixedPool", fixed, eight, basin.Holdings{InUse: 100, Idle: 700, MaxIdle: 800, MaxInUse: 800}},
		{"buffers", "BufferPool", buffers, one, basin.Holdings{InUse: 1024, Idle: 1024, MaxIdle: 64 << 20}},
		{"std", "StdBufferPool", std, one, basin.Holdings{InUse: basin.Unknown, Idle: 1024, MaxIdle: 64 << 20}},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			got, ok := all[name(tt.kind)]
			if !ok {
				t.Fatal("it is not there")
			}
			if want := tt.pool.Stats(); !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%#v\nStats says\n%#v", got, want)
			}
			if got.Kind != tt.want || got.ID == 0 {
				t.Errorf("its kind is %q and its ID %d, want %q and an ID", got.Kind, got.ID, tt.want)
			}
			if got.Items != tt.items {
				t.Errorf("it holds %+v items, want %+v", got.Items, tt.items)
			}
			if tt.bytes != (basin.Holdings{}) && got.Bytes != tt.bytes {
				t.Errorf("it holds %+v bytes, want %+v", got.Bytes, tt.bytes)
			}
			runtime.KeepAlive(tt.pool)
		})
	}
}

// TestExportTrim trims a pool of each kind, and pools that do not exist.
func TestExportTrim(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	bytes := &basin.BytePool{Name: "bytes"}
	bytes.Put(bytes.Get(1000))
	ceiling := &basin.BytePool{Name: "ceiling", MaxInUse: 1 << 20}
	ceiling.Put(ceiling.Get(1000))
	other := &basin.BytePool{Name: "other"}
	other.Put(other.Get(1000))
	values := &basin.Pool[entry]{Name: "values"}
	values.Put(0)
	buffers := &basin.BufferPool{Name: "buffers", InitialSize: 1024}
	buffers.Put(buffers.Get())
	std := &basin.StdBufferPool{Name: "std", InitialSize: 1024}
	std.Put(std.Get())
	fixed := &basin.FixedPool{Count: 4, Size: 100}
	fixed.Name = "fixed"
	fixed.Put(fixed.Get())

	find := func(name string) (found basin.Stats) {
		for _, s := range basinexport.Append(nil) {
			if s.Name == name {
				found = s
			}
		}
		return found
	}
	for _, tt := range []struct {
		name string
		pool any
		left int64
	}{
		{"bytes", bytes, 0}, {"ceiling", ceiling, 0}, {"values", values, 0}, {"buffers", buffers, 0}, {"std", std, 0}, {"fixed", fixed, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := find(tt.name)
			if before.Items.Idle == 0 {
				t.Fatalf("nothing idle in %+v", before)
			}
			if !basinexport.Trim(before.ID) {
				t.Error("there is no such pool")
			}
			if s := find(tt.name); s.Items.Idle != tt.left || tt.left == 0 && (max(0, s.Bytes.Idle) != 0 || s.Trimmed != uint64(before.Items.Idle)) {
				t.Errorf("left %+v of %+v", s, before)
			}
			runtime.KeepAlive(tt.pool)
		})
	}
	if s := find("other"); s.Items.Idle != 1 {
		t.Errorf("another pool was trimmed: %+v", s)
	}
	id := find("other").ID
	runtime.KeepAlive(other)
	for _, id := range []uint64{0, id + 1<<32, math.MaxUint64} {
		if basinexport.Trim(id) {
			t.Errorf("there is a pool %d", id)
		}
	}
	other = nil
	testenv.CollectUntil(func() bool { return !basinexport.Trim(id) })
}

// TestExportUnused makes pools that stay unused.
func TestExportUnused(t *testing.T) {
	a := &basin.BytePool{Name: t.Name()}
	b := &basin.FixedPool{Count: 1, Size: 1}
	b.Name = t.Name()
	c := &basin.Pool[int]{Name: t.Name()}
	c.Stats()
	if found := statsOf(t, t.Name()); len(found) > 0 {
		t.Errorf("there are %v", found)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
}

// TestExportDropped drops pools, with and without calls that read them.
func TestExportDropped(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	use := func(n int) {
		for range n {
			basin.Put(nil)
			p := &basin.BytePool{Name: t.Name()}
			p.Put(p.Get(100))
			f := &basin.FixedPool{Count: 1, Size: 64}
			f.Name = t.Name()
			f.Put(f.Get())
			v := &basin.Pool[int]{Name: t.Name()}
			v.Put(1)
			b := &basin.BufferPool{Name: t.Name()}
			b.Put(b.Get())
		}
	}
	use(10)
	testenv.CollectUntil(func() bool {
		return !slices.ContainsFunc(basinexport.Append(nil), func(s basin.Stats) bool { return s.Name == t.Name() })
	})
	// Dropped pools leave little behind.
	round := func() int64 {
		before := pooltest.Heap()
		for range 20 {
			use(50)
			collectAll()
		}
		return pooltest.Heap() - before
	}
	round()
	if grown := round(); grown > 64<<10 {
		t.Errorf("4,000 pools that were dropped leave %d bytes", grown)
	}
}

// TestExportAllocatesNothing reads a hundred pools many times.
func TestExportAllocatesNothing(t *testing.T) {
	pooltest.Alone(t)
	pools := hundredPools()
	s := basinexport.Append(nil)
	least := math.Inf(1)
	for range 5 { // other goroutines may allocate meanwhile
		least = min(least, testing.AllocsPerRun(10, func() { s = basinexport.Append(s[:0]) }))
	}
	if least > 0 {
		t.Errorf("a reading makes %v allocations", least)
	}
	runtime.KeepAlive(pools)
}

func hundredPools() []*basin.BytePool {
	pools := make([]*basin.BytePool, 100)
	for i := range pools {
		p := &basin.BytePool{Name: "one of a hundred"}
		for _, size := range pooltest.ClassSizes(1 << 20) {
			p.Put(p.Get(size))
		}
		pools[i] = p
	}
	return pools
}

func BenchmarkExport100Pools(b *testing.B) {
	pools := hundredPools()
	s := basinexport.Append(nil)
	b.ReportAllocs()
	for b.Loop() {
		s = basinexport.Append(s[:0])
	}
	b.ReportMetric(float64(len(s)), "pools")
	runtime.KeepAlive(pools)
}

// TestOneEntryPerPool calls each method of each kind of pool first, on a new pool. Whichever method
// is the first, there is one pool.
func TestOneEntryPerPool(t *testing.T) {
	pooltest.Misuses(t)
	for _, kind := range []struct {
		name string
		new  func(name string) any
	}{
		{"BytePool", func(name string) any { return &basin.BytePool{Name: name} }},
		{"BytePool with MaxInUse", func(name string) any {
			return &basin.BytePool{Name: name, MaxInUse: 1 << 20}
		}},
		{"Sized with MaxInUse", func(name string) any {
			return (&basin.BytePool{Name: name, MaxInUse: 1 << 20}).Sized(100)
		}},
		{"BufferPool", func(name string) any { return &basin.BufferPool{Name: name} }},
		{"StdBufferPool", func(name string) any { return &basin.StdBufferPool{Name: name} }},
		{"Pool", func(name string) any { return &basin.Pool[entry]{Name: name} }},
		{"FixedPool", func(name string) any {
			p := &basin.FixedPool{Count: 4, Size: 100}
			p.Name = name
			return p
		}},
	} {
		methods := reflect.TypeOf(kind.new(""))
		for i := range methods.NumMethod() {
			method := methods.Method(i)
			t.Run(kind.name+"."+method.Name, func(t *testing.T) {
				name := fmt.Sprintf("%s %p", t.Name(), t) // works with -count, too
				pool := reflect.ValueOf(kind.new(name))
				callMethodOf(t, pool, method.Name)
				pool.MethodByName("Put").Call(callMethodOf(t, pool, "Get"))
				n := 0
				for _, s := range basinexport.Append(nil) {
					if s.Name == name {
						n++
						if s.Gets == 0 {
							t.Errorf("a snapshot without the Get: %+v", s)
						}
					}
				}
				if n != 1 {
					t.Errorf("%d snapshots, want 1", n)
				}
				runtime.KeepAlive(pool.Interface())
			})
		}
	}
}
