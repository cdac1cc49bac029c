//go:build go1.25

package memory_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/pooltest"
)

// fill makes n slices of the given size idle in p.
func fill(p *basin.BytePool, n, size int) {
	live := make([][]byte, n)
	for i := range live {
		live[i] = p.Get(size)
	}
	for _, b := range live {
		p.Put(b)
	}
}

// TestRetentionGradual has a pool that needs much memory once, and then little.
func TestRetentionGradual(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	// The part that each collection releases depends on the time between collections, which the
	// test does not control. So it tries longer and longer times.
	for idleTime := 20 * time.Millisecond; ; idleTime *= 2 {
		steps, inTime := gradually(t, idleTime)
		switch {
		case steps >= 5:
			return
		case inTime && idleTime > 5*time.Second:
			t.Fatalf("idle memory does not go gradually, but in %d steps", steps)
		}
	}
}

// gradually returns the number of steps in which memory that was needed once is released. It
// gives up if the machine is so slow that a whole window passes without a use: then the pool
// may release memory that is still needed.
func gradually(t *testing.T, idleTime time.Duration) (steps int, inTime bool) {
	const once, still, size = 1000, 10, 4096
	p := &basin.BytePool{IdleTime: idleTime}
	last := time.Now()
	late := func() bool {
		before := last
		last = time.Now()
		return last.Sub(before) >= idleTime/4 // the same slices are touched within a window, a quarter of an IdleTime
	}
	fill(p, once, size)
	first := p.Stats()
	if late() {
		return 0, false
	}
	if first.Bytes.Idle != once*size {
		t.Fatalf("%d bytes idle, want %d", first.Bytes.Idle, once*size)
	}
	// Until few slices are idle in addition to those in use.
	for idle := first.Bytes.Idle; idle > 2*still*size; {
		fill(p, still, size)
		pooltest.Collect()
		s := p.Stats()
		if late() {
			return 0, false
		}
		if s.Bytes.Idle > idle {
			t.Fatalf("idle memory grows from %d to %d bytes", idle, s.Bytes.Idle)
		}
		if s.Bytes.Idle < idle {
			steps++
		}
		if s.Bytes.Idle < still*size {
			t.Fatalf("%d bytes are idle, fewer than are needed again and again", s.Bytes.Idle)
		}
		idle = s.Bytes.Idle
	}
	var s basin.Stats
	for range 20 {
		fill(p, still, size)
		pooltest.Collect()
		s = p.Stats()
		if late() {
			return 0, false
		}
	}
	if s.Misses != first.Misses {
		t.Errorf("IdleTime %v: %d slices that are needed again and again were released", idleTime, s.Misses-first.Misses)
	}
	if s.Classes[0].Trimmed == 0 {
		t.Errorf("IdleTime %v: nothing is reported as trimmed", idleTime)
	}
	t.Logf("IdleTime %v: %d steps, %d of %d slices left", idleTime, steps, s.Bytes.Idle/size, once)
	return steps, true
}

// TestRetentionUnusedGoes leaves pools unused until nothing is idle. Its only time limit is
// that of the whole test run.
func TestRetentionUnusedGoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		fill func(p *basin.BytePool)
	}{
		{"one", func(p *basin.BytePool) { fill(p, 1, 64) }},
		{"as many as a P keeps", func(p *basin.BytePool) { fill(p, 28, 64) }},
		{"many", func(p *basin.BytePool) { fill(p, 1000, 4096) }},
		{"large", func(p *basin.BytePool) { fill(p, 10, 4<<20) }},
		{"of all sizes", func(p *basin.BytePool) {
			for _, size := range pooltest.ClassSizes(1 << 20) {
				fill(p, 10, size)
			}
		}},
		{"on all Ps", func(p *basin.BytePool) { onEachP(func() { fill(p, 100, 1000) }) }},
		{"more than MaxIdle", func(p *basin.BytePool) { fill(p, 300, 1<<20) }},
	} {
		for _, idleTime := range []time.Duration{1, time.Millisecond, 50 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s, IdleTime %v", tt.name, idleTime), func(t *testing.T) {
				p := &basin.BytePool{IdleTime: idleTime}
				tt.fill(p)
				last := p.Stats().Bytes.Idle
				for last > 0 {
					pooltest.Collect()
					idle := p.Stats().Bytes.Idle
					if idle > last {
						t.Fatalf("idle memory grows from %d to %d bytes", last, idle)
					}
					last = idle
				}
				// The pool works again.
				b := p.Get(1000)
				if !pooltest.Kept(p, b) {
					t.Error("the pool keeps nothing any more")
				}
			})
		}
	}
}

// TestRetentionNotYet: before IdleTime has passed nothing is released, however often the
// collector runs.
func TestRetentionNotYet(t *testing.T) {
	p := &basin.BytePool{IdleTime: 24 * time.Hour}
	fill(p, 1000, 4096)
	want := p.Stats().Bytes.Idle
	for range 20 {
		pooltest.Collect()
	}
	if got := p.Stats().Bytes.Idle; got != want {
		t.Errorf("%d bytes are idle, want %d", got, want)
	}
}

// TestRetentionMemoryLimit lowers the memory limit of the program.
func TestRetentionMemoryLimit(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	unlimited := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(unlimited)
	p := &basin.BytePool{MaxIdle: 64 << 20} // the default follows the memory limit
	const idle = 48 << 20
	for _, tt := range []struct {
		name string
		room int64 // memory limit beyond the memory in use, including idle slices
		goes bool
	}{
		{"none", 1 << 40, false},
		{"far", 1 << 30, false},
		{"near", 1 << 20, true},
		{"reached", 0, true},
		{"exceeded", -idle / 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.room > 1<<30 && pointerSize == 4 {
				t.Skip("there is less than that")
			}
			fill(p, idle>>20, 1<<20)
			if got := p.Stats().Bytes.Idle; got != idle {
				t.Fatalf("%d bytes idle, want %d", got, idle)
			}
			debug.SetMemoryLimit(memoryUsed() + tt.room)
			defer debug.SetMemoryLimit(unlimited)
			pooltest.Collect()
			pooltest.Collect()
			got := p.Stats().Bytes.Idle
			if tt.goes && got != 0 {
				t.Errorf("%d bytes are still idle", got)
			}
			if !tt.goes && got != idle {
				t.Errorf("%d bytes are idle, want %d: the limit is far", got, idle)
			}
		})
	}
}

// memoryUsed returns the memory that the program needs, in bytes. It first collects until the
// garbage of other tests is gone. The heap is larger, because some spans are only partly used.
func memoryUsed() int64 {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
	for least := int64(math.MaxInt64); ; {
		runtime.GC()
		metrics.Read(samples)
		used := int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
		for _, s := range samples[2:] {
			used -= int64(s.Value.Uint64())
		}
		if used > least-1<<20 {
			return used
		}
		least = used
	}
}

const pointerSize = 4 << (^uintptr(0) >> 63)

func TestTrim(t *testing.T) {
	pooltest.Reuses(t)
	for _, tt := range []struct {
		name string
		fill func(p *basin.BytePool)
	}{
		{"nothing", func(*basin.BytePool) {}},
		{"the items that a P keeps", func(p *basin.BytePool) { fill(p, 20, 100_000) }},
		{"more than a P keeps", func(p *basin.BytePool) { fill(p, 500, 100_000) }},
		{"large", func(p *basin.BytePool) { fill(p, 10, 4<<20) }},
		{"of all sizes", func(p *basin.BytePool) {
			for _, size := range pooltest.ClassSizes(1 << 20) {
				fill(p, 10, size)
			}
		}},
		{"on all Ps", func(p *basin.BytePool) { onEachP(func() { fill(p, 100, 100_000) }) }},
		{"after collections", func(p *basin.BytePool) { fill(p, 200, 100_000); pooltest.Collect(); pooltest.Collect() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const others = 64 << 10 // most that the rest of the program changes the heap
			p := &basin.BytePool{}
			before := pooltest.Heap()
			for range 3 { // a pool can be trimmed repeatedly
				tt.fill(p)
				idle := p.Stats().Bytes.Idle
				full := pooltest.Heap()
				if full-before < idle-others {
					t.Fatalf("%d bytes are idle, but the heap grew by %d only", idle, full-before)
				}
				p.Trim()
				if got := p.Stats().Bytes.Idle; got != 0 {
					t.Errorf("%d of %d bytes are still idle", got, idle)
				}
				runtime.GC()
				if freed := full - pooltest.HeapNow(); freed < idle-others {
					t.Errorf("%d bytes were idle, the heap shrank by %d", idle, freed)
				}
				s := p.Stats()
				trimmed := int64(0)
				for _, c := range s.Classes {
					trimmed += int64(c.Trimmed) * int64(c.Size)
				}
				if idle > 0 && trimmed == 0 {
					t.Error("nothing is reported as trimmed")
				}
				p.Trim() // with nothing idle
			}
		})
	}
}

// TestTrimLeavesWhatIsInUse trims while slices are outstanding.
func TestTrimLeavesWhatIsInUse(t *testing.T) {
	p := &basin.BytePool{}
	live := make([][]byte, 100)
	for i := range live {
		live[i] = p.Get(1000)
		live[i][0] = byte(i)
	}
	fill(p, 100, 1000)
	p.Trim()
	s := p.Stats()
	if want := int64(100 * cap(live[0])); s.Bytes.InUse != want || s.Bytes.Idle != 0 {
		t.Errorf("%d bytes in use and %d idle, want %d and 0", s.Bytes.InUse, s.Bytes.Idle, want)
	}
	runtime.GC()
	for i, b := range live {
		if b[0] != byte(i) {
			t.Fatalf("slice %d was overwritten", i)
		}
		if !pooltest.Kept(p, b) {
			t.Fatalf("slice %d is not kept any more", i)
		}
	}
}

// TestDroppedPool drops a pool. The collector must free it, with its idle slices, its
// magazines, and the hooks that look at it.
func TestDroppedPool(t *testing.T) {
	pooltest.Reuses(t)
	for _, tt := range []struct {
		name string
		use  func(p *basin.BytePool) (buffers []weak.Pointer[byte])
	}{
		{"unused", func(*basin.BytePool) []weak.Pointer[byte] { return nil }},
		{"used", func(p *basin.BytePool) (buffers []weak.Pointer[byte]) {
			for _, size := range []int{64, 4096, 1 << 20} {
				b := p.Get(size)
				p.Put(b)
				buffers = append(buffers, weak.Make(unsafe.SliceData(b)))
			}
			return buffers
		}},
		{"used on all Ps", func(p *basin.BytePool) (buffers []weak.Pointer[byte]) {
			var mu sync.Mutex
			onEachP(func() {
				b := p.Get(1000)
				w := weak.Make(unsafe.SliceData(b))
				p.Put(b)
				fill(p, 100, 1000)
				mu.Lock()
				defer mu.Unlock()
				buffers = append(buffers, w)
			})
			return buffers
		}},
		{"used, collected, trimmed", func(p *basin.BytePool) (buffers []weak.Pointer[byte]) {
			fill(p, 100, 1000)
			pooltest.Collect()
			p.Trim()
			b := p.Get(1000)
			p.Put(b)
			return append(buffers, weak.Make(unsafe.SliceData(b)))
		}},
		{"one size of it", func(p *basin.BytePool) (buffers []weak.Pointer[byte]) {
			s := p.Sized(1000)
			b := s.Get()
			s.Put(b)
			return append(buffers, weak.Make(unsafe.SliceData(b)))
		}},
		{"once the default", func(p *basin.BytePool) (buffers []weak.Pointer[byte]) {
			basin.SetDefault(p)
			b := basin.Get(1000)
			basin.Put(b)
			basin.SetDefault(nil)
			return append(buffers, weak.Make(unsafe.SliceData(b)))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pool, buffers := func() (weak.Pointer[basin.BytePool], []weak.Pointer[byte]) {
				p := &basin.BytePool{IdleTime: 24 * time.Hour}
				return weak.Make(p), tt.use(p)
			}()
			for pool.Value() != nil { // no time limit but that of the whole test run
				pooltest.Collect()
			}
			for _, b := range buffers {
				for b.Value() != nil {
					pooltest.Collect()
				}
			}
		})
	}
}

// TestTakenIsNotKept drops outstanding slices: nothing in the pool may keep them alive.
func TestTakenIsNotKept(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, tt := range []struct{ n, size int }{{1, 64}, {20, 1000}, {200, 1000}, {10, 1 << 20}, {3, 4 << 20}} {
		t.Run(fmt.Sprintf("%d of %d", tt.n, tt.size), func(t *testing.T) {
			p := &basin.BytePool{IdleTime: 24 * time.Hour}
			fill(p, tt.n, tt.size)
			before := p.Stats()
			taken := func() (taken []weak.Pointer[byte]) {
				for range tt.n {
					taken = append(taken, weak.Make(unsafe.SliceData(p.Get(tt.size))))
				}
				return taken
			}()
			if after := p.Stats(); after.Misses != before.Misses {
				t.Errorf("%d slices were not recycled ones", after.Misses-before.Misses)
			}
			for i := 0; i < 20 && slices.ContainsFunc(taken, func(w weak.Pointer[byte]) bool { return w.Value() != nil }); i++ {
				pooltest.Collect()
			}
			for i, w := range taken {
				if w.Value() != nil {
					t.Errorf("something keeps slice %d alive", i)
				}
			}
			runtime.KeepAlive(p)
		})
	}
}

// TestManyDroppedPools: dropped pools leave nothing behind.
func TestManyDroppedPools(t *testing.T) {
	use := func() {
		for range 300 {
			p := &basin.BytePool{}
			fill(p, 3, 1000)
			fill(p, 3, 100_000)
		}
	}
	use()
	before := pooltest.Heap()
	use()
	if grown := pooltest.Heap() - before; grown > 100<<10 {
		t.Errorf("300 pools that were dropped left %d bytes", grown)
	}
}

// TestMaxIdle has goroutines put more than MaxIdle, and reads statistics all the time.
func TestMaxIdle(t *testing.T) {
	pooltest.Reuses(t)
	for _, maxIdle := range []int64{1, 100, 4 << 10, 10_000, 1 << 20, 1 << 30} {
		for _, procs := range []int{1, 2, 4, 16} {
			t.Run(fmt.Sprintf("%d bytes, GOMAXPROCS %d", maxIdle, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				before := pooltest.Heap()
				p := &basin.BytePool{MaxIdle: maxIdle}
				puts := 600
				if pooltest.Long() {
					puts = 2000
				}
				if !pin.Available {
					puts /= 4
				}
				for _, size := range []int{64, 4096, 100_000} {
					var busy atomic.Int32
					for range procs {
						busy.Add(1)
						go func() {
							defer busy.Add(-1)
							live := make([][]byte, 0, 20)
							for i := 0; i < puts/procs; {
								for len(live) < 1+i%20 {
									live = append(live, p.Get(size))
								}
								for _, b := range live {
									p.Put(b)
									i++
								}
								live = live[:0]
							}
						}()
					}
					for looks := 0; busy.Load() > 0 || looks == 0; looks++ {
						if idle := p.Stats().Bytes.Idle; idle > maxIdle && looks < 1<<20 {
							t.Errorf("%d bytes of size %d are idle", idle, size)
							looks = 1 << 20 // report it once
						}
						runtime.Gosched()
					}
				}
				// No goroutine uses the pool any more, so the heap can be compared.
				s := p.Stats()
				if s.Bytes.Idle > maxIdle || s.Bytes.InUse != 0 {
					t.Errorf("%d bytes are idle and %d in use", s.Bytes.Idle, s.Bytes.InUse)
				}
				if held := pooltest.Heap() - before; held > maxIdle+256<<10 { // allowance for the pool's own memory
					t.Errorf("the heap holds %d bytes", held)
				}
				if maxIdle < 64 && (s.Bytes.Idle != 0 || s.Hits != 0) {
					t.Errorf("%d bytes are idle and %d Gets found some, though there is room for none", s.Bytes.Idle, s.Hits)
				}
				if maxIdle >= 4<<10 && s.Hits == 0 {
					t.Error("nothing was ever reused")
				}
				if maxIdle == 1<<30 && s.Drops.Full != 0 {
					t.Errorf("%d slices were dropped though there was room", s.Drops.Full)
				}
				p.Trim()
			})
		}
	}
}

// TestMaxIdleMakesRoom fills a pool with one size, and then uses another: slices that were not
// touched lately make room.
func TestMaxIdleMakesRoom(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{MaxIdle: 1 << 20, IdleTime: 50 * time.Millisecond}
	for p.Stats().Drops.Full == 0 { // a pause makes room
		fill(p, 300, 4096)
	}
	for {
		fill(p, 30, 10_000) // half of it fits once the others are released
		pooltest.Collect()
		before := p.Stats()
		fill(p, 30, 10_000)
		after := p.Stats()
		if after.Bytes.Idle > 1<<20 {
			t.Fatalf("%d bytes are idle", after.Bytes.Idle)
		}
		if after.Misses == before.Misses && after.Drops == before.Drops {
			return // all slices in use fit; otherwise the loop runs until the whole test run times out
		}
	}
}

// TestQuietPs fills the magazines of many Ps, and then uses their slices on one P only.
func TestQuietPs(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, procs := range []int{2, 4, 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			runtime.GOMAXPROCS(procs)
			defer runtime.GOMAXPROCS(1)
			const size, each = 4096, 20
			p := &basin.BytePool{IdleTime: 24 * time.Hour}
			var mu sync.Mutex
			ps := map[int]bool{}
			for len(ps) < 2 { // no time limit but that of the whole test run
				onEachP(func() {
					fill(p, each, size)
					id := pin.Pin()
					pin.Unpin()
					mu.Lock()
					ps[id] = true
					mu.Unlock()
				})
				if !pin.Available {
					break
				}
			}
			runtime.GOMAXPROCS(1)
			idle := p.Stats().Bytes.Idle / size
			if idle < each {
				t.Fatalf("%d slices are idle", idle)
			}
			for range 3 {
				pooltest.Collect()
			}
			before := p.Stats()
			if got := before.Bytes.Idle / size; got != idle {
				t.Errorf("%d slices are idle, want %d", got, idle)
			}
			for range idle {
				p.Get(size)
			}
			after := p.Stats()
			t.Logf("%d slices of %d Ps", idle, len(ps))
			if misses := after.Misses - before.Misses; misses != 0 {
				t.Errorf("%d of %d slices did not come back from the Ps that are gone", misses, idle)
			}
			if after.Bytes.Idle != 0 {
				t.Errorf("%d slices are still idle", after.Bytes.Idle/size)
			}
		})
	}
}
