//go:build go1.25

package memory_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// The costs that basin promises, measured at the heap. Each test logs its measurements: go test
// -v -run Cost ./proof/memory

// allocated returns the number of bytes that f allocates: the least of a few trials, because
// other goroutines allocate as well.
func allocated(f func()) int64 {
	least := int64(-1)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if n := int64(after.TotalAlloc - before.TotalAlloc); least < 0 || n < least {
			least = n
		}
	}
	return least
}

// onEachP runs f at the same time on as many goroutines as there are Ps. They spin until all of
// them run.
func onEachP(f func()) {
	procs := runtime.GOMAXPROCS(0)
	var running atomic.Int32
	var wg sync.WaitGroup
	for range procs {
		wg.Go(func() {
			for running.Add(1); running.Load() < int32(procs); {
			}
			f()
		})
	}
	wg.Wait()
}

// fileSizes returns the sizes of all files in the source of the Go distribution that are not
// empty, in random order. They stand for lengths in real programs.
var fileSizes = sync.OnceValues(func() (sizes []int, err error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(out)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			if n := int(info.Size()); n > 0 {
				sizes = append(sizes, n)
			}
		}
		return nil
	})
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes, err
})

// needFileSizes returns fileSizes or skips the test.
func needFileSizes(t *testing.T) []int {
	sizes, err := fileSizes()
	if err != nil || len(sizes) < 1000 {
		t.Skipf("the sizes of the files of GOROOT/src cannot be read here: %d files, error %v", len(sizes), err)
	}
	return sizes
}

// TestCostWarm: repeated operations allocate nothing.
func TestCostWarm(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, config := range []pooltest.Config{{Name: "default"}, {Name: "Zero", Zero: true}, {Name: "default pool"}} {
		p := config.Pool()
		var froms []pooltest.Source
		if all := pooltest.Sources(t, p); config.Name == "default pool" {
			froms = all[4:]
		} else {
			froms = all[:4]
		}
		putter := p.Put
		if config.Name == "default pool" {
			putter = basin.Put
		}
		for _, size := range pooltest.ClassSizes(basin.DefaultMaxSize) {
			runs := min(100, 1+32<<20/size)
			for _, from := range froms {
				t.Run(fmt.Sprintf("%s/%s/%d", config.Name, from.Name, size), func(t *testing.T) {
					if n := pooltest.Allocs(runs, func() { putter(from.Get(size)) }); n != 0 {
						t.Errorf("a warm Get and Put makes %v allocations", n)
					}
					if n := pooltest.Allocs(runs, func() {
						a, b := from.Get(size), from.Get(size-10)
						putter(a)
						putter(b)
					}); n != 0 {
						t.Errorf("two of them at a time make %v allocations", n)
					}
				})
			}
		}
	}
}

// TestCostWarmMany has more slices of a size than the magazine of a P holds.
func TestCostWarmMany(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{}
	live := make([][]byte, 500)
	for _, size := range []int{64, 4096, 32 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if n := pooltest.Allocs(20, func() {
				for i := range live {
					live[i] = p.Get(size)
				}
				for _, b := range live {
					p.Put(b)
				}
			}); n != 0 {
				t.Errorf("%d slices at a time make %v allocations", len(live), n)
			}
		})
	}
}

func TestCostWarmAppend(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{}
	src := make([]byte, 100)
	text := string(src)
	r := bytes.NewReader(nil)
	large := make([]byte, 1<<20)
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"Append in place", func() { p.Put(p.Append(p.Get(1000)[:0], src...)) }},
		{"AppendString in place", func() { p.Put(p.AppendString(p.Get(1000)[:0], text)) }},
		{"Grow in place", func() { p.Put(p.Grow(p.Get(1000)[:0], 900)) }},
		{"Append that grows", func() {
			b := p.Get(64)[:0]
			for range 1000 {
				b = p.Append(b, src...)
			}
			p.Put(b)
		}},
		{"Clone", func() { p.Put(p.Append(nil, src...)) }},
		{"ReadAll of 100 bytes", func() { r.Reset(src); b, _ := p.ReadAll(r); p.Put(b) }},
		{"ReadAll of 1 MiB", func() { r.Reset(large); b, _ := p.ReadAll(r); p.Put(b) }},
		{"ReadAll of nothing", func() { r.Reset(nil); b, _ := p.ReadAll(r); p.Put(b) }},
		{"Stats of an unused pool", func() { unused.Stats() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 50 { // until ReadAll has learned
				tt.call()
			}
			if n := pooltest.Allocs(20, tt.call); n != 0 {
				t.Errorf("it makes %v allocations", n)
			}
			if n := allocated(func() {
				for range 10 {
					tt.call()
				}
			}); n != 0 {
				t.Errorf("ten times allocate %d bytes", n)
			}
		})
	}
}

var unused = &basin.BytePool{}

// TestCostMiss: a new slice costs its size and nothing more.
func TestCostMiss(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, zero := range []bool{false, true} {
		for _, size := range pooltest.ClassSizes(basin.DefaultMaxSize) {
			t.Run(fmt.Sprintf("Zero %v/%d", zero, size), func(t *testing.T) {
				p := &basin.BytePool{Zero: zero}
				p.Get(size)
				n := min(50, 1+4<<20/size)
				if got, want := allocated(func() {
					for range n {
						p.Get(size)
					}
				}), int64(n*size); got != want {
					t.Errorf("%d misses allocate %d bytes, want %d", n, got, want)
				}
				runtime.GC() // there are no automatic collections here
			})
		}
		t.Run(fmt.Sprintf("Zero %v/oversize", zero), func(t *testing.T) {
			p := &basin.BytePool{Zero: zero, MaxSize: 4096}
			if got, want := allocated(func() { p.Get(8192) }), int64(8192); got != want {
				t.Errorf("it allocates %d bytes, want %d", got, want)
			}
		})
	}
}

// TestCostUnusedPool makes a thousand pools.
func TestCostUnusedPool(t *testing.T) {
	const pools, limit = 1000, 4 << 10
	for _, tt := range []struct {
		name   string
		config func(i int) pooltest.Config
	}{
		{"default", func(int) pooltest.Config { return pooltest.Config{} }},
		{"unusual", func(int) pooltest.Config {
			return pooltest.Config{Name: "unusual", MinSize: 200, MaxSize: 1 << 29, MaxIdle: 12345, IdleTime: 12345, Zero: true}
		}},
		{"each with its own range of sizes", func(i int) pooltest.Config {
			sizes := pooltest.ClassSizes(1 << 30)
			return pooltest.Config{MinSize: sizes[i/25%25], MaxSize: sizes[25+i%25+25*(i/625)]}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			configs := make([]pooltest.Config, pools)
			for i := range configs {
				configs[i] = tt.config(i)
			}
			made := make([]*basin.BytePool, pools)
			before := pooltest.Heap()
			for i := range made {
				made[i] = configs[i].Pool()
			}
			each := (pooltest.Heap() - before) / pools
			t.Logf("%d bytes", each)
			if each > limit {
				t.Errorf("a pool that is not used costs %d bytes, want at most %d", each, limit)
			}
			runtime.KeepAlive(made)
			runtime.KeepAlive(configs)
		})
	}
}

// TestCostPoolUsedOnce makes pools of each kind and uses each once, at several GOMAXPROCS.
func TestCostPoolUsedOnce(t *testing.T) {
	pooltest.Reuses(t)
	const pools = 1000
	for _, tt := range []struct {
		name  string
		limit int64
		pool  func() any // makes a pool and uses it once
	}{
		{"BytePool", 1024, func() any { p := &basin.BytePool{}; p.Put(p.Get(64)); return p }},
		{"BytePool with a ceiling", 1840, func() any { p := &basin.BytePool{MaxInUse: 1 << 20}; p.Put(p.Get(64)); return p }},
		{"Pool", 1024, func() any { p := &basin.Pool[*int]{New: func() *int { return new(int) }}; p.Put(p.Get()); return p }},
		{"BufferPool", 1088, func() any { p := new(basin.BufferPool); p.Put(p.Get()); return p }},
		{"StdBufferPool", 1120, func() any { p := new(basin.StdBufferPool); p.Put(p.Get()); return p }},
	} {
		for _, procs := range []int{1, 16, 256} {
			t.Run(fmt.Sprintf("%s, GOMAXPROCS %d", tt.name, procs), func(t *testing.T) {
				pooltest.Alone(t)
				runtime.GOMAXPROCS(procs)
				tt.pool() // one-time costs of the kind
				least := int64(-1)
				for trial := 0; trial == 0 || trial < 10 && least > tt.limit; trial++ { // other goroutines use the heap, too
					basinexport.Append(nil) // forgets the pools of earlier trials
					made := make([]any, pools)
					before := pooltest.Heap()
					for i := range made {
						made[i] = tt.pool()
					}
					if each := (pooltest.Heap() - before) / pools; least < 0 || each < least {
						least = each
					}
					runtime.KeepAlive(made)
				}
				t.Logf("%d bytes", least)
				const stray = 32 // of others, by pool: the runtime and other tests use the heap, too
				if least > tt.limit+stray {
					t.Errorf("a pool that was used once costs %d bytes, want at most %d", least, tt.limit)
				}
			})
		}
	}
}

// TestCostUsedPool uses all size classes on all Ps and measures the memory in addition to the
// slices.
func TestCostUsedPool(t *testing.T) {
	pooltest.Reuses(t)
	const limit = 30 << 10 // per P, including costs per pool
	for _, procs := range []int{1, 2, 4} {
		for _, inHand := range []int{1, 3} {
			t.Run(fmt.Sprintf("GOMAXPROCS %d, %d slices at a time", procs, inHand), func(t *testing.T) {
				pooltest.Alone(t)
				runtime.GOMAXPROCS(procs)
				sizes := pooltest.ClassSizes(basin.DefaultMaxSize)
				least, idle := int64(-1), int64(0)
				var pools [5]*basin.BytePool
				for i := 0; i == 0 || i < len(pools) && least > limit; i++ { // other goroutines use the heap, too
					before := pooltest.Heap()
					p := &basin.BytePool{MaxIdle: 1 << 40}
					pools[i] = p // keeps the pools of earlier trials alive, so that their end does not change the heap
					for range 5 {
						onEachP(func() {
							live := make([][]byte, inHand)
							for _, size := range sizes {
								for i := range live {
									live[i] = p.Get(size)
								}
								for _, b := range live {
									p.Put(b)
								}
							}
						})
					}
					runtime.GC() // only once, so that every P keeps its items
					used := pooltest.HeapNow() - before
					kept := p.Stats().Bytes.Idle
					if each := (used - kept) / int64(procs); least < 0 || each < least {
						least, idle = each, kept
					}
					p.Trim()
				}
				runtime.KeepAlive(&pools)
				t.Logf("%d bytes per P beside %d bytes idle", least, idle)
				if least > limit {
					t.Errorf("a pool costs %d bytes per P beside its slices, want at most %d", least, limit)
				}
			})
		}
	}
}

// TestCostRoundingUp compares outstanding memory with the lengths asked for.
func TestCostRoundingUp(t *testing.T) {
	sizes := needFileSizes(t)
	if testenv.Race {
		sizes = sizes[:len(sizes)/4] // the race detector takes three times the memory
	}
	pooltest.Alone(t)
	runtime.GC()
	p := &basin.BytePool{}
	live := make([][]byte, len(sizes))
	var before, after runtime.MemStats
	pooltest.Heap()
	runtime.ReadMemStats(&before)
	for i, n := range sizes {
		live[i] = p.Get(n)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	asked, held := 0, 0
	for i, b := range live {
		asked += sizes[i]
		held += cap(b)
	}
	for _, tt := range []struct {
		name string
		held int64
	}{
		{"capacities", int64(held)},
		{"HandedOutBytes", int64(p.Stats().HandedOutBytes)},
		{"heap, objects", int64(after.HeapAlloc - before.HeapAlloc)},
		{"heap, spans", int64(after.HeapInuse - before.HeapInuse)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ratio := float64(tt.held) / float64(asked)
			t.Logf("%d bytes held for %d asked: %.4f", tt.held, asked, ratio)
			if ratio > 1.15 {
				t.Errorf("%d bytes are held for %d asked for: %.3f, want at most 1.15", tt.held, asked, ratio)
			}
		})
	}
	if got := p.Stats().AskedBytes; got != uint64(asked) {
		t.Errorf("AskedBytes is %d, want %d", got, asked)
	}
	runtime.KeepAlive(live)
}

// TestCostBursts has bursts of work with pauses between, in which the collector runs.
func TestCostBursts(t *testing.T) {
	pooltest.Reuses(t)
	sizes := needFileSizes(t)
	const live = 500
	bursts := 20
	if pooltest.Long() {
		bursts = 60
	}
	for _, tt := range []struct {
		name string
		size func(r *rand.Rand, i int) int
	}{
		{"of the same sizes", func(_ *rand.Rand, i int) int { return sizes[i] }},
		{"of any sizes", func(r *rand.Rand, _ int) int { return sizes[r.IntN(len(sizes))] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{IdleTime: time.Hour} // so that a slow machine does not release slices that only some bursts need
			r := rand.New(rand.NewPCG(3, 4))
			burst := make([][]byte, live)
			most, now := map[int]int{}, map[int]int{} // slices of each capacity in a burst
			run := func(n int) (asked, needed, allocated int64) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range n {
					clear(now)
					for i := range burst {
						size := tt.size(r, i)
						asked += int64(size)
						burst[i] = p.Get(size)
						c := cap(burst[i])
						if now[c]++; now[c] > most[c] {
							most[c]++
							needed += int64(c)
						}
					}
					for _, b := range burst {
						p.Put(b)
					}
					for range 3 {
						pooltest.Collect()
					}
				}
				runtime.ReadMemStats(&after)
				return asked, needed, int64(after.TotalAlloc - before.TotalAlloc)
			}
			run(1)
			asked, needed, allocated := run(bursts)
			// Slices that this burst needed and no earlier one had must be new. make would
			// allocate more than the lengths asked for.
			total := 100 * float64(allocated) / float64(asked)
			extra := 100 * float64(allocated-needed) / float64(asked)
			t.Logf("%d bursts: %d bytes asked for, %d allocated: %.3f %%, %d per Get", bursts, asked, allocated, total, allocated/int64(bursts*live))
			t.Logf("%d of them because no burst before was as large; beyond those %.3f %%, %d per Get", needed, extra, (allocated-needed)/int64(bursts*live))
			if extra > 1 {
				t.Errorf("%.2f %% of the bytes asked for are allocated although a burst before had them, want at most 1 %%", extra)
			}
		})
	}
}

// misses runs work twice, the first time to warm up. The second time at most one Get in a
// thousand may miss.
func misses(t *testing.T, p *basin.BytePool, work func()) {
	t.Helper()
	work()
	before := p.Stats()
	work()
	after := p.Stats()
	gets, misses := after.Gets-before.Gets, after.Misses-before.Misses
	t.Logf("%d of %d Gets miss: %.5f %%", misses, gets, 100*float64(misses)/float64(gets))
	if misses*1000 > gets {
		t.Errorf("%d of %d Gets miss, want at most one in a thousand", misses, gets)
	}
}

// TestCostCollections runs the collector all the time.
func TestCostCollections(t *testing.T) {
	pooltest.Reuses(t)
	const workers, inFlight, gets = 2, 32, 2048 // gets of each worker per collection
	collections := int32(15)
	if pooltest.Long() {
		collections = 50
	}
	for _, tt := range []struct {
		name string
		work func(p *basin.BytePool, live [][]byte)
	}{
		{"one by one", func(p *basin.BytePool, live [][]byte) {
			for i := range gets {
				slot := &live[i%inFlight]
				p.Put(*slot)
				*slot = p.Get(4096)
			}
		}},
		{"all at once", func(p *basin.BytePool, live [][]byte) {
			for range gets / inFlight {
				for _, b := range live {
					p.Put(b)
				}
				for i := range live {
					live[i] = p.Get(4096)
				}
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{}
			var live [workers][inFlight][]byte
			for w := range live {
				for i := range live[w] {
					live[w][i] = p.Get(4096)
				}
			}
			misses(t, p, func() {
				var done atomic.Int32 // collections
				var wg sync.WaitGroup
				for w := range workers {
					wg.Go(func() {
						for done.Load() < collections {
							now := done.Load()
							tt.work(p, live[w][:])
							for done.Load() == now { // no more gets per collection, or misses would not show
								runtime.Gosched()
							}
						}
					})
				}
				for range collections {
					runtime.GC()
					done.Add(1)
				}
				wg.Wait()
			})
		})
	}
}

// TestCostHandOver gets on one goroutine and puts on another.
func TestCostHandOver(t *testing.T) {
	pooltest.Reuses(t)
	gets := 200_000
	if !pin.Available {
		gets /= 4
	}
	for _, collector := range []bool{false, true} {
		t.Run(fmt.Sprintf("collector %v", collector), func(t *testing.T) {
			p := &basin.BytePool{}
			misses(t, p, func() {
				flight := make(chan []byte, 64)
				go func() {
					defer close(flight)
					for i := range gets {
						if collector && i%5000 == 0 {
							runtime.GC()
						}
						flight <- p.Get(4096)
					}
				}()
				for b := range flight {
					p.Put(b)
				}
			})
		})
	}
}

// TestCostWorkingSetStays: all slices are reused after three collections, if nobody else uses
// the pool.
func TestCostWorkingSetStays(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{IdleTime: time.Hour}
	for _, tt := range []struct{ n, size int }{{1, 64}, {1000, 64}, {1000, 4096}, {100, 100_000}, {10, 4 << 20}, {1, 4 << 20}} {
		for _, collections := range []int{1, 2, 3, 10} {
			t.Run(fmt.Sprintf("%d of %d, %d collections", tt.n, tt.size, collections), func(t *testing.T) {
				live := make([][]byte, tt.n)
				for i := range live {
					live[i] = p.Get(tt.size)
				}
				want := map[*byte]bool{}
				for _, b := range live {
					want[unsafe.SliceData(b)] = true
					p.Put(b)
				}
				for range collections {
					pooltest.Collect()
				}
				before := p.Stats().Misses
				for i := range live {
					live[i] = p.Get(tt.size)
					if !want[unsafe.SliceData(live[i])] {
						t.Fatalf("slice %d is a new one", i)
					}
				}
				if after := p.Stats().Misses; after != before {
					t.Errorf("%d misses", after-before)
				}
				for _, b := range slices.Backward(live) {
					p.Put(b)
				}
			})
		}
	}
}

// TestHeldOnRealSizes has requests in flight, each with two slices as long as one of Go's own source
// files. The pools hold all slices that they made, except those that larger ones replaced, and those
// beyond twice the peak of use. The result depends on the order of the few very large files, so the test takes the median of several
// orders.
func TestHeldOnRealSizes(t *testing.T) {
	pooltest.Reuses(t)
	if testenv.Race {
		t.Skip("one goroutine, and the race detector makes it take minutes")
	}
	pooltest.Alone(t)
	sizes := needFileSizes(t)
	const requests = 200_000
	orders := 9
	if pooltest.Long() {
		orders = 45
	}
	for _, tt := range []struct {
		name                     string
		maxFit, inFlight         int
		held, perRequest, handed float64 // at most
	}{
		{"4 in flight", 0, 4, 2.3, 125, 1.5},
		{"16 in flight", 0, 16, 2.3, 145, 1.5},
		{"32 in flight", 0, 32, 2.3, 165, 1.5},
		{"own class only", 1, 16, 2.5, 4000, 1.10},
		{"any larger one", math.MaxInt, 16, 2.3, 140, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var held, perRequest, handed []float64
			for order := range orders {
				p := &basin.BytePool{MaxFit: tt.maxFit, MaxIdle: 1 << 40, IdleTime: 1000 * time.Hour}
				r := rand.New(rand.NewPCG(uint64(order), 2))
				flying := make([][2][]byte, tt.inFlight)
				asked, most := 0, 0
				for range requests {
					f := &flying[r.IntN(tt.inFlight)]
					for i := range f {
						asked -= len(f[i])
						p.Put(f[i])
					}
					n := sizes[r.IntN(len(sizes))]
					for i := range f {
						f[i] = p.Get(n)
					}
					asked += 2 * n
					most = max(most, asked)
				}
				s := p.Stats()
				made := 0
				for _, c := range s.Classes {
					made += int(c.Misses) * c.Size
				}
				if s.Drops.Full > 0 || tt.maxFit != 1 && s.Trimmed > 50 {
					t.Fatalf("%d slices trimmed, %d dropped", s.Trimmed, s.Drops.Full)
				}
				// Held memory hardly shrinks, because only misses release slices here.
				held = append(held, float64(s.Bytes.InUse+s.Bytes.Idle)/float64(most))
				perRequest = append(perRequest, float64(made)/requests)
				handed = append(handed, float64(s.HandedOutBytes-s.OutsideBytes)/float64(s.AskedBytes-s.OutsideBytes))
			}
			for _, f := range []struct {
				name    string
				figures []float64
				most    float64
			}{
				{"most bytes held / most bytes asked for at one time", held, tt.held},
				{"newly allocated bytes per request", perRequest, tt.perRequest},
				{"bytes handed out / bytes asked for", handed, tt.handed},
			} {
				slices.Sort(f.figures)
				middle := f.figures[orders/2]
				t.Logf("%s: %.2f, from %.2f to %.2f", f.name, middle, f.figures[0], f.figures[orders-1])
				if middle > f.most {
					t.Errorf("%s: %.2f, want at most %v", f.name, middle, f.most)
				}
			}
		})
	}
}

// TestHeldByFourGoroutines has four goroutines with eight slices in flight each, as long as Go's own
// source files. The pool releases only slices that larger ones replace, and holds at most the sum of
// the most bytes that each of them had at a time: four pools could hold no less. The result
// depends on how many goroutines have one of the few very large files at the same time. So the test
// takes the median of several orders.
func TestHeldByFourGoroutines(t *testing.T) {
	pooltest.Reuses(t)
	if testenv.Race {
		t.Skip("with the race detector, every Get and Put takes a lock")
	}
	sizes := needFileSizes(t)
	const goroutines, inFlight, uses, orders = 4, 8, 20_000, 61
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var ofAsked, ofHanded []float64
	for order := range orders {
		p := &basin.BytePool{MaxIdle: 1 << 40, IdleTime: 1000 * time.Hour}
		var asked, handed atomic.Int64 // sums of peaks
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(order), uint64(g)))
				var flying [inFlight][]byte
				var length, capacity, mostLength, mostCapacity int
				for range uses {
					b := &flying[r.IntN(inFlight)]
					length -= len(*b)
					capacity -= cap(*b)
					p.Put(*b)
					*b = p.Get(sizes[r.IntN(len(sizes))])
					length += len(*b)
					capacity += cap(*b)
					mostLength = max(mostLength, length)
					mostCapacity = max(mostCapacity, capacity)
				}
				asked.Add(int64(mostLength))
				handed.Add(int64(mostCapacity))
				for _, b := range flying {
					p.Put(b)
				}
			})
		}
		all.Wait()
		s := p.Stats()
		if s.Drops.Full > 0 || s.Bytes.InUse != 0 {
			t.Fatalf("in use %d, dropped %d", s.Bytes.InUse, s.Drops.Full)
		}
		ofAsked = append(ofAsked, float64(s.Bytes.Idle)/float64(asked.Load()))
		ofHanded = append(ofHanded, float64(s.Bytes.Idle)/float64(handed.Load()))
	}
	slices.Sort(ofAsked)
	slices.Sort(ofHanded)
	t.Logf("held of the sum of peaks, handed out: %.2f, from %.2f to %.2f; asked for: %.2f, from %.2f to %.2f",
		ofHanded[orders/2], ofHanded[0], ofHanded[orders-1], ofAsked[orders/2], ofAsked[0], ofAsked[orders-1])
	if middle := ofHanded[orders/2]; middle > 1 {
		t.Errorf("held %.2f of the sum of peaks, want at most 1", middle)
	}
}

// TestCostPoolOnceBusy: pools that were busy on 64 Ps cost little once they are idle again.
func TestCostPoolOnceBusy(t *testing.T) {
	pooltest.Reuses(t)
	if !pin.Available {
		t.Skip("no tables in this build")
	}
	pooltest.Alone(t)
	const procs, limit = 64, 4 << 10
	pools := 5
	if pooltest.Long() {
		pools = 50
	}
	runtime.GOMAXPROCS(procs) // until Alone ends
	use := func() *basin.BytePool {
		p := &basin.BytePool{IdleTime: time.Millisecond}
		onEachP(func() {
			for k := range 4000 {
				size := 64 << (k % 8)
				b, c := p.Get(size), p.Get(size)
				p.Put(b)
				p.Put(c)
			}
		})
		return p
	}
	all := make([]*basin.BytePool, pools)
	before := pooltest.Heap()
	for i := range all {
		all[i] = use()
	}
	busy := (pooltest.HeapNow() - before) / int64(pools)
	if busy < 10*limit {
		t.Errorf("a busy pool costs %d bytes, too few for a table", busy)
	}
	for range 10 {
		pooltest.Collect()
	}
	idle := pooltest.Heap()
	runtime.KeepAlive(all)
	clear(all) // the runtime's own memory for so many Ps stays
	each := (idle - pooltest.Heap()) / int64(pools)
	t.Logf("%d bytes while it is busy, %d when it is idle", busy, each)
	if each > limit {
		t.Errorf("an idle pool costs %d bytes, want at most %d", each, limit)
	}
}
