package basin_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pin"
)

// checkIdentities checks what is true of all statistics at all times.
func checkIdentities(t testing.TB, s basin.Stats) {
	t.Helper()
	equal := func(class int, what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s of class %d is %d, want %d", what, class, got, want)
		}
	}
	last := 0
	var sum basin.Stats
	for _, c := range s.Classes {
		if c.Size <= last {
			t.Errorf("class %d comes after class %d", c.Size, last)
		}
		last = c.Size
		if c.Gets == 0 && c.Puts == 0 && c.Double == 0 {
			t.Errorf("class %d was never used, but is listed", c.Size)
		}
		if c.AskedBytes > c.HandedOutBytes {
			t.Errorf("class %d handed out %d bytes for %d", c.Size, c.HandedOutBytes, c.AskedBytes)
		}
		if c.IdleBytes < 0 || c.IdleBytes%int64(c.Size) != 0 {
			t.Errorf("class %d has %d bytes idle", c.Size, c.IdleBytes)
		}
		inUse := int64(0)
		if c.Gets > c.Puts {
			inUse = int64(c.Gets-c.Puts) * int64(c.Size)
		}
		equal(c.Size, "InUseBytes", c.InUseBytes, inUse)
		equal(c.Size, "Gets", int64(c.Gets), int64(c.Hits+c.Misses))
		equal(c.Size, "HandedOutBytes", int64(c.HandedOutBytes), int64(c.Gets)*int64(c.Size))
		sum.Hits += c.Hits
		sum.Misses += c.Misses
		sum.Puts += c.Puts
		sum.DropsBy.Full += c.Full
		sum.DropsBy.Double += c.Double
		sum.AskedBytes += c.AskedBytes
		sum.HandedOutBytes += c.HandedOutBytes
		sum.InUseBytes += c.InUseBytes
		sum.IdleBytes += c.IdleBytes
	}
	const all = 0
	d := s.DropsBy
	equal(all, "Gets", int64(s.Gets), int64(s.Hits+s.Misses+s.Oversize))
	equal(all, "Drops", int64(s.Drops), int64(d.Empty+d.Small+d.Large+d.Foreign+d.Misaligned+d.Double+d.Full))
	equal(all, "Hits", int64(s.Hits), int64(sum.Hits))
	equal(all, "Misses", int64(s.Misses), int64(sum.Misses))
	equal(all, "Puts", int64(s.Puts), int64(sum.Puts))
	equal(all, "DropsBy.Full", int64(d.Full), int64(sum.DropsBy.Full))
	equal(all, "DropsBy.Double", int64(d.Double), int64(sum.DropsBy.Double))
	equal(all, "AskedBytes", int64(s.AskedBytes), int64(sum.AskedBytes+s.OversizeBytes))
	equal(all, "HandedOutBytes", int64(s.HandedOutBytes), int64(sum.HandedOutBytes+s.OversizeBytes))
	equal(all, "InUseBytes", s.InUseBytes, sum.InUseBytes)
	equal(all, "IdleBytes", s.IdleBytes, sum.IdleBytes)
}

// TestStatsCount keeps its own books beside those of the pool.
func TestStatsCount(t *testing.T) {
	misuses(t)
	for _, config := range []basin.Config{
		{Name: "default"},
		{Name: "range", MinSize: 1024, MaxSize: 64 << 10},
		{Name: "little room", MaxIdle: 100_000},
		{Name: "no room", MaxIdle: 1},
		{Name: "Zero", Zero: true, MaxSize: 64 << 10},
	} {
		t.Run(config.Name, func(t *testing.T) {
			p := basin.NewBytePool(config)
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
			for range 20_000 {
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
					if !p.TryPut(live[i]) {
						c.full++
					}
					live[i] = live[len(live)-1]
					live = live[:len(live)-1]
				}
			}
			s := p.Stats()
			checkIdentities(t, s)
			if s.Name != config.Name || config.MaxIdle != 0 && s.MaxIdle != config.MaxIdle {
				t.Errorf("the pool says it is %q with a MaxIdle of %d", s.Name, s.MaxIdle)
			}
			if s.Oversize != oversize || s.OversizeBytes != oversizeBytes {
				t.Errorf("%d Gets of %d bytes beyond MaxSize are counted, want %d of %d", s.Oversize, s.OversizeBytes, oversize, oversizeBytes)
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
				if got.Trimmed == 0 { // nothing was let go: all that came and did not leave is here
					if want := int64(c.puts-c.full-got.Hits) * int64(size); got.IdleBytes != want {
						t.Errorf("class %d has %d bytes idle, want %d", size, got.IdleBytes, want)
					}
				}
				full += c.full
				idle += got.IdleBytes
			}
			if len(s.Classes) != len(classes) {
				t.Errorf("%d classes are listed, want %d", len(s.Classes), len(classes))
			}
			if want := (basin.Drops{Empty: empty, Large: large, Foreign: foreign, Full: full}); s.DropsBy != want {
				t.Errorf("drops are %+v, want %+v", s.DropsBy, want)
			}
			inUse := int64(0)
			for _, b := range live {
				inUse += int64(cap(b))
			}
			if s.InUseBytes != inUse || s.IdleBytes != idle {
				t.Errorf("%d bytes in use and %d idle, want %d and %d", s.InUseBytes, s.IdleBytes, inUse, idle)
			}
			if config.MaxIdle > 0 && s.IdleBytes > config.MaxIdle {
				t.Errorf("%d bytes idle, more than %d", s.IdleBytes, config.MaxIdle)
			}
			for _, b := range live {
				p.Put(b)
			}
			if s := p.Stats(); s.InUseBytes != 0 {
				t.Errorf("%d bytes in use after all was put back", s.InUseBytes)
			}
		})
	}
}

// TestStatsFollowsItems lets garbage collections and Trim move everything
// around: nothing that was counted changes, and nothing is lost.
func TestStatsFollowsItems(t *testing.T) {
	reuses(t)
	p := basin.NewBytePool(basin.Config{})
	var live [][]byte
	for i := range 1000 {
		live = append(live, p.Get(1+i*10))
	}
	for _, b := range live[:500] {
		p.Put(b)
	}
	want := p.Stats()
	for i := range 5 {
		collect()
		s := p.Stats()
		checkIdentities(t, s)
		if s.Gets != want.Gets || s.Hits != want.Hits || s.Puts != want.Puts || s.AskedBytes != want.AskedBytes || s.InUseBytes != want.InUseBytes || s.IdleBytes != want.IdleBytes {
			t.Errorf("garbage collection %d makes %+v of %+v", i+1, s, want)
		}
	}
	p.Trim()
	s := p.Stats()
	checkIdentities(t, s)
	if s.Gets != want.Gets || s.Puts != want.Puts || s.InUseBytes != want.InUseBytes || s.IdleBytes != 0 {
		t.Errorf("Trim makes %+v of %+v", s, want)
	}
	trimmed := int64(0)
	for _, c := range s.Classes {
		trimmed += int64(c.Trimmed) * int64(c.Size)
	}
	if trimmed != want.IdleBytes {
		t.Errorf("%d bytes were trimmed, want %d", trimmed, want.IdleBytes)
	}
	for _, b := range live[500:] {
		p.Put(b)
	}
	if s := p.Stats(); s.InUseBytes != 0 {
		t.Errorf("%d bytes in use after all was put back", s.InUseBytes)
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
		{"after Gets of nothing", func(p *basin.BytePool) { p.Get(0); p.Make(-1); p.GetZeroed(0) }},
		{"after Clone of nil", func(p *basin.BytePool) { p.Clone(nil) }},
		{"after Append of nothing", func(p *basin.BytePool) { p.Append(nil) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := basin.NewBytePool(basin.Config{Name: "unused", MaxIdle: 1000})
			tt.use(p)
			s := p.Stats()
			checkIdentities(t, s)
			if s.Name != "unused" || s.MaxIdle != 1000 {
				t.Errorf("it is %q with a MaxIdle of %d", s.Name, s.MaxIdle)
			}
			if s.Gets+s.Puts+s.Drops+s.AskedBytes+s.HandedOutBytes != 0 || s.InUseBytes != 0 || s.IdleBytes != 0 || len(s.Classes) != 0 || len(s.Top(10)) != 0 {
				t.Errorf("it counts %+v", s)
			}
		})
	}
}

// TestStatsAdopted puts more than was gotten.
func TestStatsAdopted(t *testing.T) {
	misuses(t)
	p := basin.NewBytePool(basin.Config{})
	for range 10 {
		p.Put(make([]byte, 4096))
	}
	s := p.Stats()
	checkIdentities(t, s)
	if s.Puts != 10 || s.Gets != 0 || s.InUseBytes != 0 || s.IdleBytes != 10*4096 {
		t.Errorf("after 10 Puts of foreign slices: %+v", s)
	}
}

func TestTop(t *testing.T) {
	s := basin.Stats{Classes: []basin.ClassStats{{Size: 64, Hits: 5}, {Size: 128, Hits: 7}, {Size: 192}, {Size: 256, Hits: 7}, {Size: 320, Hits: 100}}}
	before := slices.Clone(s.Classes)
	for _, tt := range []struct {
		name string
		n    int
		want []int
	}{
		{"smallest int", math.MinInt, nil},
		{"negative", -1, nil},
		{"none", 0, nil},
		{"one", 1, []int{320}},
		{"some", 3, []int{320, 128, 256}},
		{"all", 5, []int{320, 128, 256, 64, 192}},
		{"more than there are", 6, []int{320, 128, 256, 64, 192}},
		{"largest int", math.MaxInt, []int{320, 128, 256, 64, 192}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, c := range s.Top(tt.n) {
				got = append(got, c.Size)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Top(%d) is %v, want %v", tt.n, got, tt.want)
			}
			if !slices.Equal(s.Classes, before) {
				t.Error("Top changed the order of Classes")
			}
		})
	}
	if got := (basin.Stats{}).Top(3); len(got) != 0 {
		t.Errorf("Top of nothing is %v", got)
	}
}

// TestTopOfPool has a pool of which one size is reused more than the others.
func TestTopOfPool(t *testing.T) {
	reuses(t)
	p := basin.NewBytePool(basin.Config{})
	for _, use := range []struct{ size, times int }{{64, 10}, {4096, 1000}, {1024, 100}, {1 << 20, 1}} {
		for range use.times {
			p.Put(p.Get(use.size))
		}
	}
	var got []int
	for _, c := range p.Stats().Top(2) {
		got = append(got, c.Size)
	}
	if !slices.Equal(got, []int{4096, 1024}) {
		t.Errorf("Top(2) is %v", got)
	}
}

// TestStatsWhileOthersWork reads while slices move from goroutine to goroutine.
// Nobody puts what is not the pool's, so no reading may show more Puts than
// Gets, or more bytes asked for than handed out, and no counter goes back.
func TestStatsWhileOthersWork(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config basin.Config
		sizes  []int
	}{
		{"one class", basin.Config{MinSize: 4096, MaxSize: 4096}, []int{4096}},
		{"one class, little room", basin.Config{MinSize: 4096, MaxSize: 4096, MaxIdle: 20 * 4096}, []int{4096}},
		{"many classes", basin.Config{}, []int{1, 64, 1000, 4096, 10_000, 100_000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			procs := max(4, runtime.GOMAXPROCS(0))
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			p := basin.NewBytePool(tt.config)
			var stop atomic.Bool
			var wg sync.WaitGroup
			for range 2 { // pairs: one gets, the other puts
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
			readings := 20_000 / len(tt.sizes)
			if !pin.Available { // then a reader and those it reads about share locks
				readings /= 10
			}
			var last basin.Stats
			for i := 0; i < readings || last.Hits < 1000 && !fullChecks; i++ {
				s := p.Stats()
				checkIdentities(t, s)
				for _, c := range s.Classes {
					if c.Puts > c.Gets {
						t.Errorf("class %d: %d Puts of %d Gets", c.Size, c.Puts, c.Gets)
					}
					if tt.config.MaxIdle > 0 && c.IdleBytes > tt.config.MaxIdle {
						t.Errorf("class %d: %d bytes idle, more than %d", c.Size, c.IdleBytes, tt.config.MaxIdle)
					}
				}
				if s.Gets < last.Gets || s.Hits < last.Hits || s.Misses < last.Misses || s.Puts < last.Puts || s.AskedBytes < last.AskedBytes || s.Drops < last.Drops {
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
			checkIdentities(t, s)
			// What the getting half had in hand at the end was taken or is lost.
			if s.InUseBytes > 8*102_400 {
				t.Errorf("%d bytes in use at the end", s.InUseBytes)
			}
		})
	}
}
