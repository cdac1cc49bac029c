//go:build go1.25

package memory_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

// Triggers that release idle memory, in any state of the rest of the program.

// TestRetentionBlockedFinalizer has a finalizer that never returns, so that no other finalizer
// runs afterwards.
func TestRetentionBlockedFinalizer(t *testing.T) {
	pooltest.Reuses(t)
	const variable = "BASIN_TEST_BLOCKED"
	for _, tt := range []struct {
		name     string
		idleTime time.Duration
		limit    int64
		cleanups bool // cleanups are blocked, too
	}{
		{"IdleTime", 20 * time.Millisecond, 0, false},
		{"memory limit", 24 * time.Hour, 8 << 20, false},
		{"memory limit, and cleanups", 24 * time.Hour, 8 << 20, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if os.Getenv(variable) == "" {
				cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=10m")
				cmd.Env = append(os.Environ(), variable+"=1")
				if out, err := cmd.CombinedOutput(); err != nil {
					if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
						t.Skip("there are no processes here")
					}
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			blocked := make(chan bool)
			func() { runtime.SetFinalizer(new([16]*int), func(*[16]*int) { close(blocked); select {} }) }()
			for done := false; !done; {
				runtime.GC()
				select {
				case <-blocked:
					done = true
				default:
					runtime.Gosched()
				}
			}
			if tt.cleanups {
				var begun atomic.Int32
				for range 64 { // more than there are goroutines for cleanups
					runtime.AddCleanup(new([16]*int), func(int) { begun.Add(1); select {} }, 0)
				}
				for begun.Load() == 0 {
					runtime.GC()
					runtime.Gosched()
				}
			}
			p := &basin.BytePool{IdleTime: tt.idleTime}
			fill(p, 20, 1<<20)
			if tt.limit > 0 {
				debug.SetMemoryLimit(tt.limit)
			}
			for p.Stats().Bytes.Idle > 0 { // no time limit but the test's own
				runtime.GC()
				runtime.Gosched()
			}
		})
	}
}

// TestRetentionWithoutCollections: reading statistics suffices to release unused memory.
func TestRetentionWithoutCollections(t *testing.T) {
	pooltest.Reuses(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // not Alone, where statistics begin no round
	for _, tt := range []struct {
		name string
		look func(p *basin.BytePool) int64
	}{
		{"Stats", func(p *basin.BytePool) int64 { return p.Stats().Bytes.Idle }},
		{"Append", func(p *basin.BytePool) int64 {
			for _, s := range basinexport.Append(nil) {
				if s.Name == p.Stats().Name {
					return s.Bytes.Idle
				}
			}
			return 0
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{Name: t.Name(), IdleTime: 50 * time.Millisecond}
			for _, size := range []int{64, 4096, 1 << 20, 4 << 20} {
				fill(p, 10, size)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			before := m.NumGC
			for tt.look(p) > 0 { // no time limit but that of the whole test run
				runtime.Gosched()
			}
			if runtime.ReadMemStats(&m); m.NumGC != before {
				t.Errorf("there were %d collections", m.NumGC-before)
			}
		})
	}
}

// TestRetentionBubble uses a pool first within a synctest bubble, where the clock differs.
func TestRetentionBubble(t *testing.T) {
	pooltest.Reuses(t)
	p := &basin.BytePool{IdleTime: 20 * time.Millisecond}
	synctest.Test(t, func(t *testing.T) {
		fill(p, 100, 4096)
		time.Sleep(time.Hour)
		p.Stats()
		fill(p, 100, 4096)
	})
	for p.Stats().Bytes.Idle > 0 { // no time limit but that of the whole test run
		pooltest.Collect()
	}
	fill(p, 100, 4096)
	for p.Stats().Bytes.Idle > 0 {
		pooltest.Collect()
	}
}

// TestManyPoolsStopTheWorldOnce: near the memory limit, all pools release after one stop of the
// world. Sometimes two are needed to be sure of one.
func TestManyPoolsStopTheWorldOnce(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	stops := func() (n uint64) {
		s := []metrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
		metrics.Read(s)
		for _, c := range s[0].Value.Float64Histogram().Counts {
			n += c
		}
		return n
	}
	for _, n := range []int{1, 10, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			pools := make([]*basin.BytePool, n)
			for i := range pools {
				pools[i] = &basin.BytePool{}
				fill(pools[i], 3, 64)
			}
			pooltest.Collect() // garbage of other tests
			limit := debug.SetMemoryLimit(1 << 20)
			defer debug.SetMemoryLimit(limit)
			before := stops()
			pooltest.Collect()
			pooltest.Collect() // all work that the first one began has ended
			if got := stops() - before; got > 2 {
				t.Errorf("the world was stopped %d times", got)
			}
			for _, p := range pools {
				if idle := p.Stats().Bytes.Idle; idle > 0 {
					t.Fatalf("%d bytes are still idle", idle)
				}
			}
		})
	}
}

// TestStatsUnderLoad tests the promises of statistics under load: each figure is within its
// bounds, and sums equal the sum of their parts.
func TestStatsUnderLoad(t *testing.T) {
	pooltest.Reuses(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const maxIdle = 1 << 20
	p := &basin.BytePool{MaxIdle: maxIdle}
	done := make(chan struct{})
	var users sync.WaitGroup
	for range 2 {
		users.Go(func() {
			var live [][]byte
			for i := 0; ; i++ {
				for _, size := range []int{64, 4096, 1 << 18} {
					for range min(maxIdle/size, 100) {
						live = append(live, p.Get(size))
					}
					for _, b := range live {
						p.Put(b)
					}
					live = live[:0]
					select {
					case <-done:
						return
					default:
					}
				}
				if i%10 == 0 {
					p.Trim()
				}
			}
		})
	}
	defer users.Wait()
	defer close(done)
	var last basin.Stats
	for reads := 0; reads < 20_000 || last.Gets < 30_000; reads++ {
		s := p.Stats()
		var sum basin.Stats
		for _, c := range s.Classes {
			if c.Puts > c.Gets || c.Gets != c.Hits+c.Misses || c.Bytes.InUse < 0 || c.Bytes.Idle < 0 {
				t.Fatalf("class %+v", c)
			}
			sum.Gets += c.Gets
			sum.Puts += c.Puts
			sum.Bytes.Idle += c.Bytes.Idle
			sum.Bytes.InUse += c.Bytes.InUse
		}
		if s.Bytes.Idle > maxIdle {
			t.Fatalf("%d bytes are idle of at most %d", s.Bytes.Idle, maxIdle)
		}
		if sum.Gets != s.Gets || sum.Puts != s.Puts || sum.Bytes.Idle != s.Bytes.Idle || sum.Bytes.InUse != s.Bytes.InUse {
			t.Fatalf("classes sum up to %+v in %+v", sum, s)
		}
		if s.Gets < last.Gets || s.Puts < last.Puts || s.Trimmed < last.Trimmed || s.AskedBytes < last.AskedBytes {
			t.Fatalf("%+v after %+v", s, last)
		}
		last = s
	}
}
