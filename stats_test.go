//go:build go1.25

package basin_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestStatsCount compares the pool's counts with counts of its own.
func TestStatsCount(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	for _, config := range []pooltest.Config{
		{Name: "default"},
		{Name: "range", MinSize: 1024, MaxSize: 64 << 10},
		{Name: "little room", MaxIdle: 100_000},
		{Name: "no room", MaxIdle: 1},
		{Name: "Zero", Zero: true, MaxSize: 64 << 10},
	} {
		t.Run(config.Name, func(t *testing.T) {
			p := config.Pool()
			r := rand.New(rand.NewPCG(1, 2))
			type class struct{ gets, puts, asked, full uint64 }
			classes := map[int]*class{}
			of := func(size int) *class {
				if classes[size] == nil {
					classes[size] = &class{}
				}
				return classes[size]
			}
			largest := config.MaxSize
			if largest == 0 {
				largest = basin.DefaultMaxSize
			}
			var live [][]byte
			var oversize, oversizeBytes, empty, large, foreign uint64
			idle := int64(0)
			steps := 20_000
			if testing.Short() {
				steps = 3000
			}
			for range steps {
				switch n := 1 << r.IntN(18); {
				case r.IntN(1000) == 0:
					b := p.Get(largest + n)
					oversize++
					oversizeBytes += uint64(len(b))
					p.Put(b)
					large++
				case r.IntN(1000) == 0:
					p.Put(p.Get(-n))
					empty++
				case r.IntN(1000) == 0 && config.MinSize < 5000:
					p.Put(make([]byte, 5001))
					foreign++
				case r.IntN(2) == 0 || len(live) == 0:
					n = min(1+r.IntN(n), largest)
					b := p.Get(n)
					c := of(cap(b))
					c.gets++
					c.asked += uint64(n)
					live = append(live, b)
				default:
					i := r.IntN(len(live))
					c := of(cap(live[i]))
					c.puts++
					if !pooltest.Kept(p, live[i]) {
						c.full++
					}
					live[i] = live[len(live)-1]
					live = live[:len(live)-1]
				}
			}
			s := p.Stats()
			pooltest.CheckStats(t, s, false)
			if s.Name != config.Name || config.MaxIdle != 0 && s.Bytes.MaxIdle != config.MaxIdle {
				t.Errorf("the pool says it is %q with a MaxIdle of %d", s.Name, s.Bytes.MaxIdle)
			}
			if s.Outside != oversize || s.OutsideBytes != oversizeBytes {
				t.Errorf("%d Gets of %d bytes beyond MaxSize are counted, want %d of %d", s.Outside, s.OutsideBytes, oversize, oversizeBytes)
			}
			var full uint64
			for size, c := range classes {
				i := slices.IndexFunc(s.Classes, func(c basin.ClassStats) bool { return c.Size == size })
				if i < 0 {
					t.Errorf("class %d is missing", size)
					continue
				}
				got := s.Classes[i]
				if got.Gets != c.gets || got.Puts != c.puts || got.AskedBytes != c.asked || got.Full != c.full || got.Double != 0 {
					t.Errorf("class %d counts %+v, want %+v", size, got, *c)
				}
				if got.Trimmed == 0 { // nothing was released, so all values put and not popped are idle
					if want := int64(c.puts-c.full-got.Hits) * int64(size); got.Bytes.Idle != want {
						t.Errorf("class %d has %d bytes idle, want %d", size, got.Bytes.Idle, want)
					}
				}
				full += c.full
				idle += got.Bytes.Idle
			}
			if len(s.Classes) != len(classes) {
				t.Errorf("%d classes are listed, want %d", len(s.Classes), len(classes))
			}
			if want := (basin.Drops{Empty: empty, Large: large, Foreign: foreign, Full: full}); s.Drops != want {
				t.Errorf("drops are %+v, want %+v", s.Drops, want)
			}
			inUse := int64(0)
			for _, b := range live {
				inUse += int64(cap(b))
			}
			if s.Bytes.InUse != inUse || s.Bytes.Idle != idle {
				t.Errorf("%d bytes in use and %d idle, want %d and %d", s.Bytes.InUse, s.Bytes.Idle, inUse, idle)
			}
			if config.MaxIdle > 0 && s.Bytes.Idle > config.MaxIdle {
				t.Errorf("%d bytes idle, more than %d", s.Bytes.Idle, config.MaxIdle)
			}
			for _, b := range live {
				p.Put(b)
			}
			if s := p.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%d bytes in use after all was put back", s.Bytes.InUse)
			}
		})
	}
}

// TestStatsFollowsItems: garbage collections and Trim move all items, which changes no count and
// loses nothing.
func TestStatsFollowsItems(t *testing.T) {
	pooltest.Reuses(t)
	p := &basin.BytePool{IdleTime: time.Hour}
	var live [][]byte
	for i := range 1000 {
		live = append(live, p.Get(1+i*10))
	}
	for _, b := range live[:500] {
		p.Put(b)
	}
	want := p.Stats()
	for i := range 5 {
		pooltest.Collect()
		s := p.Stats()
		pooltest.CheckStats(t, s, false)
		if s.Gets != want.Gets || s.Hits != want.Hits || s.Puts != want.Puts || s.AskedBytes != want.AskedBytes || s.Bytes.InUse != want.Bytes.InUse || s.Bytes.Idle != want.Bytes.Idle {
			t.Errorf("garbage collection %d makes %+v of %+v", i+1, s, want)
		}
	}
	p.Trim()
	s := p.Stats()
	pooltest.CheckStats(t, s, false)
	if s.Gets != want.Gets || s.Puts != want.Puts || s.Bytes.InUse != want.Bytes.InUse || s.Bytes.Idle != 0 {
		t.Errorf("Trim makes %+v of %+v", s, want)
	}
	trimmed := int64(0)
	for _, c := range s.Classes {
		trimmed += int64(c.Trimmed) * int64(c.Size)
	}
	if trimmed != want.Bytes.Idle {
		t.Errorf("%d bytes were trimmed, want %d", trimmed, want.Bytes.Idle)
	}
	for _, b := range live[500:] {
		p.Put(b)
	}
	if s := p.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d bytes in use after all was put back", s.Bytes.InUse)
	}
}

func TestStatsOfUnusedPool(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  func(p *basin.BytePool)
	}{
		{"not at all", func(*basin.BytePool) {}},
		{"after Trim", (*basin.BytePool).Trim},
		{"after Stats", func(p *basin.BytePool) { p.Stats() }},
		{"after Gets of nothing", func(p *basin.BytePool) { p.Get(0); p.Get(-1); p.GetZeroed(0) }},
		{"after Append of nil", func(p *basin.BytePool) { p.Append(nil, nil...) }},
		{"after Append of nothing", func(p *basin.BytePool) { p.Append(nil) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{Name: "unused", MaxIdle: 1000}
			tt.use(p)
			s := p.Stats()
			pooltest.CheckStats(t, s, false)
			if s.Name != "unused" || s.Bytes.MaxIdle != 1000 {
				t.Errorf("it is %q with a MaxIdle of %d", s.Name, s.Bytes.MaxIdle)
			}
			if s.Gets+s.Puts+s.Drops.Total()+s.AskedBytes+s.HandedOutBytes != 0 || s.Bytes.InUse != 0 || s.Bytes.Idle != 0 || len(s.Classes) != 0 {
				t.Errorf("it counts %+v", s)
			}
		})
	}
}

// TestStatsAdopted puts more slices than it gets.
func TestStatsAdopted(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.BytePool{}
	for range 10 {
		p.Put(make([]byte, 4096))
	}
	s := p.Stats()
	pooltest.CheckStats(t, s, false)
	if s.Puts != 10 || s.Gets != 0 || s.Bytes.InUse != 0 || s.Bytes.Idle != 10*4096 {
		t.Errorf("after 10 Puts of foreign slices: %+v", s)
	}
}

// TestStatsWhileOthersWork reads statistics while slices move between goroutines. Nobody puts
// foreign slices, so no reading may show more Puts than Gets, or more bytes asked for than handed
// out, and no counter may decrease.
func TestStatsWhileOthersWork(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		sizes  []int
	}{
		{"one class", pooltest.Config{MinSize: 4096, MaxSize: 4096}, []int{4096}},
		{"one class, little room", pooltest.Config{MinSize: 4096, MaxSize: 4096, MaxIdle: 20 * 4096}, []int{4096}},
		{"many classes", pooltest.Config{}, []int{1, 64, 1000, 4096, 10_000, 100_000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			procs := max(4, runtime.GOMAXPROCS(0))
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			p := tt.config.Pool()
			var stop atomic.Bool
			var wg sync.WaitGroup
			for range 2 { // pairs: one goroutine gets, the other puts
				var between [4]struct {
					array atomic.Pointer[byte]
					cap   int
				}
				wg.Add(2)
				go func() {
					defer wg.Done()
					for i := 0; !stop.Load(); {
						slot := &between[i%len(between)]
						if slot.array.Load() != nil {
							runtime.Gosched()
							continue
						}
						b := p.Get(tt.sizes[i%len(tt.sizes)])
						slot.cap = cap(b)
						slot.array.Store(array(b))
						i++
					}
				}()
				go func() {
					defer wg.Done()
					for i := 0; ; {
						slot := &between[i%len(between)]
						x := slot.array.Load()
						if x == nil {
							if stop.Load() {
								return
							}
							runtime.Gosched()
							continue
						}
						b := unsafe.Slice(x, slot.cap)
						slot.array.Store(nil)
						p.Put(b)
						i++
					}
				}()
			}
			readings := 4000 / len(tt.sizes)
			if pooltest.Long() {
				readings *= 5
			}
			if !pin.Available { // readers and users share locks then
				readings /= 10
			}
			var last basin.Stats
			for i := 0; i < readings || last.Hits < 1000 && !pooltest.FullChecks; i++ {
				s := p.Stats()
				pooltest.CheckStats(t, s, false)
				for _, c := range s.Classes {
					if c.Puts > c.Gets {
						t.Errorf("class %d: %d Puts of %d Gets", c.Size, c.Puts, c.Gets)
					}
					if tt.config.MaxIdle > 0 && c.Bytes.Idle > tt.config.MaxIdle {
						t.Errorf("class %d: %d bytes idle, more than %d", c.Size, c.Bytes.Idle, tt.config.MaxIdle)
					}
				}
				if s.Gets < last.Gets || s.Hits < last.Hits || s.Misses < last.Misses || s.Puts < last.Puts || s.AskedBytes < last.AskedBytes || s.Drops.Total() < last.Drops.Total() {
					t.Errorf("a counter went back: %+v after %+v", s, last)
				}
				if t.Failed() {
					break
				}
				last = s
				if i%100 == 0 {
					runtime.Gosched()
				}
			}
			stop.Store(true)
			wg.Wait()
			s := p.Stats()
			pooltest.CheckStats(t, s, false)
			// Slices that the getting goroutine had at the end were put or are lost.
			if s.Bytes.InUse > 8*102_400 {
				t.Errorf("%d bytes in use at the end", s.Bytes.InUse)
			}
		})
	}
}

// TestPeakInUse gets three slices, puts two back, and then the last.
func TestPeakInUse(t *testing.T) {
	unseen, seen := basin.Amount{Items: 1, Bytes: 1024}, basin.Amount{Items: 3, Bytes: 3072}
	for _, tt := range []struct {
		name string
		pool *basin.BytePool
		read bool // read statistics at the peak
		want basin.Amount
	}{
		{"with a ceiling", &basin.BytePool{MaxInUse: 1 << 20}, true, seen},
		{"with a ceiling, unseen", &basin.BytePool{MaxInUse: 1 << 20}, false, basin.Amount{Items: 1, Bytes: 3072}},
		{"without", &basin.BytePool{}, true, seen},
		{"without, unseen", &basin.BytePool{}, false, unseen},
		{"larger than MaxSize", &basin.BytePool{MaxSize: 64}, true, seen},
		{"larger than MaxSize, with a ceiling", &basin.BytePool{MaxSize: 64, MaxInUse: 1 << 20}, false, basin.Amount{Items: 1, Bytes: 3072}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pool := tt.pool
			a, b, c := pool.Get(1024), pool.Get(1024), pool.Get(1024)
			if tt.read {
				pool.Stats()
			}
			pool.Put(a)
			pool.Put(b)
			if got := pool.Stats().PeakInUse; got != tt.want {
				t.Errorf("the peak is %+v, want %+v", got, tt.want)
			}
			pool.Put(c)
			if s := pool.Stats(); s.PeakInUse != tt.want || s.Bytes.InUse != 0 || s.Items.InUse != 0 {
				t.Errorf("at last: %v, with a peak of %+v", s, s.PeakInUse)
			}
		})
	}
}

// TestPeakInUseOfKinds tests the peak of other kinds than BytePool.
func TestPeakInUseOfKinds(t *testing.T) {
	values := &basin.Pool[int]{}
	if got := values.Stats().PeakInUse; got != (basin.Amount{Bytes: basin.Unknown}) {
		t.Errorf("of a Pool that was not used: %+v", got)
	}
	values.Get()
	values.Get()
	if got := values.Stats().PeakInUse; got != (basin.Amount{Items: 2, Bytes: basin.Unknown}) {
		t.Errorf("of a Pool: %+v", got)
	}
	buffers := &basin.StdBufferPool{}
	b := buffers.Get()
	buffers.Stats()
	buffers.Put(b)
	if got := buffers.Stats().PeakInUse; got != (basin.Amount{Items: 1, Bytes: basin.Unknown}) {
		t.Errorf("of a StdBufferPool: %+v", got)
	}
	fixed := &basin.FixedPool{Count: 2, Size: 100}
	x, y := fixed.Get(), fixed.Get()
	fixed.TryGet() // tells the pool that all buffers are outstanding
	fixed.Put(x)
	fixed.Put(y)
	if got := fixed.Stats().PeakInUse; got != (basin.Amount{Items: 2, Bytes: 200}) {
		t.Errorf("of a FixedPool: %+v", got)
	}
}

// TestOutsideInUse gets slices above MaxSize, and puts these and foreign ones.
func TestOutsideInUse(t *testing.T) {
	for _, tt := range []struct {
		name     string
		maxInUse int64
	}{{"without a ceiling", 0}, {"with a ceiling", 1 << 20}} {
		t.Run(tt.name, func(t *testing.T) {
			pool := &basin.BytePool{MaxSize: 1024, MaxInUse: tt.maxInUse}
			check := func(what string, items, bytes int64) {
				t.Helper()
				s := pool.Stats()
				if s.OutsideInUse != (basin.Amount{Items: items, Bytes: bytes}) {
					t.Errorf("%s: %+v, want %d and %d", what, s.OutsideInUse, items, bytes)
				}
				inUse := s.OutsideInUse
				for _, c := range s.Classes {
					inUse.Items += c.Items.InUse
					inUse.Bytes += c.Bytes.InUse
				}
				if s.Items.InUse != inUse.Items || s.Bytes.InUse != inUse.Bytes {
					t.Errorf("%s: %d and %d bytes in use, of which classes and outside have %+v", what, s.Items.InUse, s.Bytes.InUse, inUse)
				}
			}
			small, a, b := pool.Get(100), pool.Get(4096), pool.Get(8192)
			check("two large ones", 2, 12288)
			pool.Put(a)
			check("one put", 1, 8192)
			pool.Put(b)
			pool.Put(b)                   //basin:ok twice
			pool.Put(make([]byte, 1<<20)) //basin:ok a foreign slice
			pool.Put(small)
			check("more put than there was", 0, 0)
			pool.Get(4096)
			check("another one", 1, 4096)
		})
	}
}

// TestCheckedIsNotTrimmed: checks track items of each kind of pool. They are never idle, so they do
// not count as trimmed, whatever IdleTime is.
func TestCheckedIsNotTrimmed(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	var slices basin.BytePool
	var handles basin.BufferPool
	var std basin.StdBufferPool
	values := basin.Pool[*int]{New: func() *int { return new(int) }}
	sized := basin.Pool[[]byte]{New: func() []byte { return make([]byte, 100) }, Size: func(b []byte) int { return cap(b) }}
	for range 10 {
		slices.Put(slices.Get(100))
		handles.Put(handles.Get())
		std.Put(std.Get())
		values.Put(values.Get())
		sized.Put(sized.Get())
	}
	for _, s := range []basin.Stats{slices.Stats(), handles.Stats(), std.Stats(), values.Stats(), sized.Stats()} {
		if s.Gets != 10 || s.Puts != 10 || s.Trimmed != 0 || s.Drops != (basin.Drops{Checked: 10}) || s.Items.InUse != 0 || s.Items.Idle != 0 {
			t.Errorf("%v: %d gets, %d puts, %d trimmed, drops %+v, %+v, want each put dropped as checked", s.Kind, s.Gets, s.Puts, s.Trimmed, s.Drops, s.Items)
		}
		for _, c := range s.Classes {
			if c.Trimmed != 0 || c.Checked != c.Puts {
				t.Errorf("%v, class %d: %d puts, %d checked, %d trimmed", s.Kind, c.Size, c.Puts, c.Checked, c.Trimmed)
			}
		}
	}
}
