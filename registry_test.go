package basin_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/basin-go/basin"
)

// snapshotsOf returns the snapshots of the pools whose name begins with prefix, by name.
func snapshotsOf(t *testing.T, prefix string) map[string]basin.Snapshot {
	t.Helper()
	found := map[string]basin.Snapshot{}
	last := uint64(0)
	for _, s := range basin.AppendSnapshots(nil) {
		if s.ID <= last {
			t.Errorf("pool %d comes after pool %d", s.ID, last)
		}
		last = s.ID
		if !strings.HasPrefix(s.Name, prefix) {
			continue
		}
		if _, ok := found[s.Name]; ok {
			t.Errorf("pool %q is there twice", s.Name)
		}
		found[s.Name] = s
	}
	return found
}

type entry [2]int

// TestSnapshotKinds has something in use and something idle in a pool of each kind.
func TestSnapshotKinds(t *testing.T) {
	reuses(t)
	misuses(t)
	alone(t)
	runtime.GOMAXPROCS(1) // what is put is what is got next
	name := func(kind string) string { return t.Name() + " " + kind }

	bytes := basin.NewBytePool(basin.Config{Name: name("bytes")})
	ceiling := basin.NewBytePool(basin.Config{Name: name("ceiling"), MaxInUse: 1 << 20})
	for _, p := range []*basin.BytePool{bytes, ceiling} {
		a, b := p.Get(1000), p.Get(5000)
		p.Put(a)
		defer p.Put(b)
	}
	values := &basin.Pool[entry]{Name: name("values"), MaxIdle: 77}
	values.Put(entry{})
	values.Put(entry{})
	values.Get()
	fixed := basin.NewFixedPool(8, 100)
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

	found := snapshotsOf(t, t.Name())
	for _, tt := range []struct {
		kind  string
		want  basin.Snapshot
		stats any
	}{
		{"bytes", basin.Snapshot{Kind: "BytePool", Stats: bytes.Stats(), InUse: 1, Idle: 1}, bytes},
		{"ceiling", basin.Snapshot{Kind: "BytePool", Stats: ceiling.Stats(), InUse: 1, Idle: 1}, ceiling},
		{"values", basin.Snapshot{Kind: "Pool[basin_test.entry]", InUse: 0, Idle: 1, MaxIdleItems: 77, Stats: basin.Stats{
			Name: name("values"), Gets: 1, Hits: 1, Puts: 2,
		}}, values},
		{"fixed", basin.Snapshot{Kind: "FixedPool", InUse: 1, Idle: 7, Stats: basin.Stats{
			Name: name("fixed"), Gets: 1, Hits: 1, Drops: 1, DropsBy: basin.Drops{Foreign: 1},
			AskedBytes: 100, HandedOutBytes: 100, InUseBytes: 100, IdleBytes: 700, MaxIdle: 800, MaxInUse: 800,
			Classes: []basin.ClassStats{{Size: 100, Gets: 1, Hits: 1, AskedBytes: 100, HandedOutBytes: 100, InUseBytes: 100, IdleBytes: 700}},
		}}, fixed},
		{"buffers", basin.Snapshot{Kind: "BufferPool", Stats: buffers.Stats(), InUse: 1, Idle: 1}, buffers},
		{"std", basin.Snapshot{Kind: "StdBufferPool", Stats: std.Stats(), InUse: 1, Idle: 1}, std},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			got, ok := found[name(tt.kind)]
			if !ok {
				t.Fatal("it is not there")
			}
			tt.want.ID = got.ID
			if got, want := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", tt.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			runtime.KeepAlive(tt.stats)
		})
	}
}

// TestTrimByID trims a pool of each kind, and pools that are not there.
func TestTrimByID(t *testing.T) {
	reuses(t)
	alone(t)
	bytes := basin.NewBytePool(basin.Config{Name: "bytes"})
	bytes.Put(bytes.Get(1000))
	ceiling := basin.NewBytePool(basin.Config{Name: "ceiling", MaxInUse: 1 << 20})
	ceiling.Put(ceiling.Get(1000))
	other := basin.NewBytePool(basin.Config{Name: "other"})
	other.Put(other.Get(1000))
	values := &basin.Pool[entry]{Name: "values"}
	values.Put(entry{})
	buffers := &basin.BufferPool{Name: "buffers", InitialSize: 1024}
	buffers.Put(buffers.Get())
	std := &basin.StdBufferPool{Name: "std", InitialSize: 1024}
	std.Put(std.Get())
	fixed := basin.NewFixedPool(4, 100)
	fixed.Name = "fixed"
	fixed.Put(fixed.Get())

	find := func(name string) (found basin.Snapshot) {
		for _, s := range basin.AppendSnapshots(nil) {
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
			if before.Idle == 0 {
				t.Fatalf("nothing idle in %+v", before)
			}
			if !basin.TrimByID(before.ID) {
				t.Error("there is no such pool")
			}
			if s := find(tt.name); s.Idle != tt.left || tt.left == 0 && (s.IdleBytes != 0 || s.Trimmed != uint64(before.Idle)) {
				t.Errorf("left %+v of %+v", s, before)
			}
			runtime.KeepAlive(tt.pool)
		})
	}
	if s := find("other"); s.Idle != 1 {
		t.Errorf("another pool was trimmed: %+v", s)
	}
	id := find("other").ID
	runtime.KeepAlive(other)
	for _, id := range []uint64{0, id + 1<<32, math.MaxUint64} {
		if basin.TrimByID(id) {
			t.Errorf("there is a pool %d", id)
		}
	}
	other = nil
	collectAll()
	if basin.TrimByID(id) {
		t.Error("there still is a pool that is garbage")
	}
}

// TestSnapshotUnused makes pools that nobody uses.
func TestSnapshotUnused(t *testing.T) {
	a := basin.NewBytePool(basin.Config{Name: t.Name()})
	b := basin.NewFixedPool(1, 1)
	b.Name = t.Name()
	c := &basin.Pool[int]{Name: t.Name()}
	c.Stats()
	if found := snapshotsOf(t, t.Name()); len(found) > 0 {
		t.Errorf("there are %v", found)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
}

// TestSnapshotDropped drops pools, once nobody reads and once somebody does.
func TestSnapshotDropped(t *testing.T) {
	reuses(t)
	alone(t)
	use := func(n int) {
		for range n {
			basin.Put(nil)
			p := basin.NewBytePool(basin.Config{Name: t.Name()})
			p.Put(p.Get(100))
			f := basin.NewFixedPool(1, 64)
			f.Name = t.Name()
			f.Put(f.Get())
			v := &basin.Pool[int]{Name: t.Name()}
			v.Put(1)
			b := &basin.BufferPool{Name: t.Name()}
			b.Put(b.Get())
		}
	}
	use(10)
	collectAll()
	for _, s := range basin.AppendSnapshots(nil) {
		if s.Name == t.Name() {
			t.Errorf("%s %d is still there", s.Kind, s.ID)
		}
	}
	// What a pool that was dropped leaves behind is bounded.
	round := func() int64 {
		before := heap()
		for range 20 {
			use(50)
			collectAll()
		}
		return heap() - before
	}
	round()
	if grown := round(); grown > 64<<10 {
		t.Errorf("4,000 pools that were dropped leave %d bytes", grown)
	}
}

// collectAll collects what only finalizers keep alive, too.
func collectAll() {
	for range 4 {
		runtime.GC()
	}
}

// TestSnapshotsAllocateNothing reads a hundred pools again and again.
func TestSnapshotsAllocateNothing(t *testing.T) {
	alone(t)
	pools := hundredPools()
	s := basin.AppendSnapshots(nil)
	least := math.Inf(1)
	for range 5 { // others may allocate meanwhile
		least = min(least, testing.AllocsPerRun(10, func() { s = basin.AppendSnapshots(s[:0]) }))
	}
	if least > 0 {
		t.Errorf("a reading makes %v allocations", least)
	}
	runtime.KeepAlive(pools)
}

func hundredPools() []*basin.BytePool {
	pools := make([]*basin.BytePool, 100)
	for i := range pools {
		p := basin.NewBytePool(basin.Config{Name: "one of a hundred"})
		for _, size := range classSizes(1 << 20) {
			p.Put(p.Get(size))
		}
		pools[i] = p
	}
	return pools
}

func BenchmarkSnapshotsOf100Pools(b *testing.B) {
	pools := hundredPools()
	s := basin.AppendSnapshots(nil)
	b.ReportAllocs()
	for b.Loop() {
		s = basin.AppendSnapshots(s[:0])
	}
	b.ReportMetric(float64(len(s)), "pools")
	runtime.KeepAlive(pools)
}
