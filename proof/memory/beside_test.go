//go:build go1.25

package memory_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A sizedPool is a pool whose items have sizes that the test chooses.
type sizedPool struct {
	name  string
	get   func(size int) (item any, bytes int)
	put   func(item any)
	stats func() basin.Stats
	grows bool // its users may make an item larger
}

// sizedPools returns pools of all kinds with several classes, in which no item ages.
func sizedPools() []sizedPool {
	const idleTime = 24 * time.Hour
	bytePool := func(name string, p *basin.BytePool) sizedPool {
		p.IdleTime, p.MaxIdle = idleTime, 1<<30
		return sizedPool{
			name,
			func(size int) (any, int) { b := p.Get(size); return b, cap(b) },
			func(item any) { p.Put(item.([]byte)) },
			p.Stats,
			false,
		}
	}
	std := &basin.StdBufferPool{MaxIdle: 1 << 30}
	values := &basin.Pool[[]byte]{
		Size: func(b []byte) int { return cap(b) }, New: func() []byte { return nil }, IdleTime: idleTime, MaxIdle: 1 << 30,
	}
	return []sizedPool{
		bytePool("BytePool", &basin.BytePool{}),
		bytePool("BytePool, MaxFit 1", &basin.BytePool{MaxFit: 1}),
		bytePool("BytePool, MaxFit 16", &basin.BytePool{MaxFit: 16}),
		bytePool("BytePool, MaxInUse", &basin.BytePool{MaxInUse: 1 << 30}),
		bytePool("BytePool, Zero", &basin.BytePool{Zero: true}),
		{
			"StdBufferPool",
			func(size int) (any, int) { b := std.Get(); b.Grow(size); return b, b.Cap() },
			func(item any) { std.Put(item.(*bytes.Buffer)) },
			std.Stats,
			true,
		},
		{
			"Pool with a Size",
			func(size int) (any, int) {
				b := values.Get()
				if cap(b) < size {
					b = make([]byte, size)
				}
				return b, cap(b)
			},
			func(item any) { values.Put(item.([]byte)) },
			values.Stats,
			true,
		},
	}
}

// orders are orders of sizes. Each returns the size of step i of n, from 64 bytes to 1 MiB.
var orders = []struct {
	name string
	size func(r *rand.Rand, i, n int) int
}{
	{"ascending", func(_ *rand.Rand, i, n int) int { return 64 << (i * 15 / n) * (8 + i*15*8/n%8) / 8 }},
	{"descending", func(_ *rand.Rand, i, n int) int { return 1 << 20 >> (i * 15 / n) * 8 / (8 + i*15*8/n%8) }},
	{"sawtooth", func(_ *rand.Rand, i, n int) int { return 64 << (i * 60 / n % 15) * (8 + i%8) / 8 }},
	{"random", func(r *rand.Rand, _, _ int) int { return 1 + r.IntN(64<<r.IntN(15)) }},
	{"walk", func(r *rand.Rand, i, n int) int {
		return 64 << ((i*4/n*4 + r.IntN(3)) % 15) * (8 + r.IntN(8)) / 8
	}},
	{"hot and cold", func(r *rand.Rand, i, n int) int {
		if r.IntN(8) > 0 {
			return 4096
		}
		return 64 << (i * 15 / n)
	}},
}

// TestIdleBesideUse: in any order of sizes, a pool holds at most twice the peak of the memory in use
// and a mebibyte, or half of one for each P. That memory is what the users have, in capacities.
func TestIdleBesideUse(t *testing.T) {
	pooltest.Reuses(t)
	seed := testenv.Uint64(t, "BASIN_TEST_SEED", 1)
	rounds, steps := 1, 60
	if pooltest.Long() {
		rounds, steps = 3, 240
	}
	for _, users := range []int{1, 3} {
		for o := range orders {
			for k := range sizedPools() {
				t.Run(fmt.Sprintf("%d users, %s, %s", users, orders[o].name, sizedPools()[k].name), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(users + users/2)) // with one P, all magazines are in reach
					for round := range rounds {
						besideUse(t, sizedPools()[k], orders[o].size, users, steps, seed+uint64(round))
					}
				})
			}
		}
	}
}

func besideUse(t *testing.T, p sizedPool, size func(r *rand.Rand, i, n int) int, users, steps int, seed uint64) {
	const mib = 1 << 20
	slack := max(mib, int64(runtime.GOMAXPROCS(0))*mib/2)
	classes := pooltest.ClassSizes(64 << 20)
	if p.name == "StdBufferPool" {
		steps /= 8 // bytes.Buffer copies
	}
	var used, peak, largest atomic.Int64
	worst, atPeak := int64(0), int64(0)
	var mu sync.Mutex
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		idle, bound := p.stats().Bytes.Idle, peak.Load() // the peak is read later, so it is not too low
		// Magazines of other Ps need grace periods.
		for n := 0; n < 4 && users > 1 && idle > 2*bound+slack; n++ {
			pooltest.Collect()
			idle, bound = p.stats().Bytes.Idle, peak.Load()
		}
		if idle-2*bound > worst-2*atPeak || atPeak == 0 {
			worst, atPeak = idle, bound
		}
	}
	var all sync.WaitGroup
	for user := range users {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(user)))
			for i := range steps {
				s := min(max(size(r, i, steps), 1), 1<<20)
				var items []any
				var sizes []int
				for n := min(max((1+r.IntN(4))<<20/s, 1), 2000); n > 0; n-- {
					item, c := p.get(s)
					k, _ := slices.BinarySearch(classes, c) // the pool counts whole classes
					if k < len(classes) {
						c = classes[k]
					}
					items, sizes = append(items, item), append(sizes, c)
					now := used.Add(int64(c))
					largest.Store(max(largest.Load(), int64(c)))
					for {
						before := peak.Load()
						if now <= before || peak.CompareAndSwap(before, now) {
							break
						}
					}
				}
				if r.IntN(4) == 0 {
					look()
				}
				for j, item := range items {
					p.put(item)
					used.Add(-int64(sizes[j]))
				}
				look()
			}
		})
	}
	all.Wait()
	look()
	t.Logf("seed %d: %.1f MiB idle beside a peak of %.1f MiB in use", seed, float64(worst)/mib, float64(atPeak)/mib)
	if p.grows {
		worst -= mib // a value that has grown may be in a magazine, where the engine does not see that
	}
	flying := int64(users-1) * 4 * largest.Load() // items that other users have just got count a moment later
	if worst > 2*(atPeak+flying)+slack {
		t.Errorf("%d bytes are idle, beside a peak of %d in use", worst, atPeak)
	}
}

// TestBurstsStayHits: bursts of one size, of values that grow, or of several sizes in turn, are served
// from the pool, although the memory in use is much less in between.
func TestBurstsStayHits(t *testing.T) {
	pooltest.Reuses(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for k := range sizedPools() {
		t.Run(sizedPools()[k].name, func(t *testing.T) {
			p := sizedPools()[k]
			burst := func(n, size int) {
				items := make([]any, n)
				for i := range items {
					items[i], _ = p.get(size)
				}
				for _, item := range items {
					p.put(item)
				}
			}
			for round := range 8 {
				before := p.stats().Misses
				burst(500, 16<<10)
				for _, size := range []int{1000, 16 << 10, 100_000} {
					burst(10, size)
				}
				pooltest.Collect()
				if made := p.stats().Misses - before; round > 4 && made > 3 {
					t.Errorf("round %d: %d misses", round, made)
				}
			}
		})
	}
}
