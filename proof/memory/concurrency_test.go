//go:build go1.25

package memory_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// The memory that a pool holds must follow the number of concurrent users, not the number of
// Ps.

// A crowd uses a pool and a sync.Pool at the same time. Each use of the sync.Pool begins before
// that of the pool and ends after it, so the sync.Pool needs at least as many values at a time.
type crowd struct {
	use  func() (done func())
	pool func() basin.Stats
	sync sync.Pool
	made atomic.Int64 // by the sync.Pool
}

// idle returns the number of idle items, and the number of items made.
func (c *crowd) idle() (idle, made int) {
	s := c.pool()
	return int(s.Items.Idle), int(s.Misses)
}

// user uses the pools until stop, with a pause after each use.
func (c *crowd) user(stop *atomic.Bool, rest time.Duration) {
	for !stop.Load() {
		x := c.sync.Get()
		done := c.use()
		time.Sleep(rest)
		done()
		c.sync.Put(x)
		time.Sleep(rest)
	}
}

// crowds are the kinds of pools.
var crowds = []struct {
	name string
	make func(idleTime time.Duration) (use func() (done func()), pool func() basin.Stats)
}{
	{"Pool of heavy values", func(idleTime time.Duration) (func() func(), func() basin.Stats) {
		p := &basin.Pool[*[800 << 10]byte]{New: func() *[800 << 10]byte { return new([800 << 10]byte) }, IdleTime: idleTime}
		return func() func() { x := p.Get(); return func() { p.Put(x) } }, p.Stats
	}},
	{"Pool with a Size", func(idleTime time.Duration) (func() func(), func() basin.Stats) {
		p := &basin.Pool[*[]byte]{
			New:      func() *[]byte { b := make([]byte, 1<<20); return &b },
			Size:     func(b *[]byte) int { return cap(*b) },
			IdleTime: idleTime,
		}
		return func() func() { x := p.Get(); return func() { p.Put(x) } }, p.Stats
	}},
	{"BytePool, 4 KiB", bytesOf(4 << 10)},
	{"BytePool, 64 KiB", bytesOf(64 << 10)},
	{"BytePool, 1 MiB", bytesOf(1 << 20)},
}

func bytesOf(size int) func(time.Duration) (func() func(), func() basin.Stats) {
	return func(idleTime time.Duration) (func() func(), func() basin.Stats) {
		p := &basin.BytePool{IdleTime: idleTime}
		return func() func() { b := p.Get(size); return func() { p.Put(b) } }, p.Stats
	}
}

func newCrowd(kind int, idleTime time.Duration) *crowd {
	c := new(crowd)
	c.use, c.pool = crowds[kind].make(idleTime)
	c.sync.New = func() any { c.made.Add(1); return new([64]byte) }
	return c
}

// TestIdleFollowsConcurrentUse has a few users on many Ps, who sleep between Get and Put, so
// that they wake up on any P. At each reading, idle is at most twice the number of users plus
// two. The pool makes at most as many items as the sync.Pool, or four.
//
// BASIN_TEST_LONG=1 is the measurement of docs/decisions/need.md: a collection every 250 ms, an
// IdleTime of 2 s.
func TestIdleFollowsConcurrentUse(t *testing.T) {
	pooltest.Reuses(t)
	// An hour: a machine that stalls must not have items released, which are then made again.
	idleTime, cycle, rest, cycles := time.Hour, 5*time.Millisecond, 500*time.Microsecond, 12
	numbers := []int{8, 64} // of Ps
	if pooltest.Long() {
		numbers = []int{2, 8, 16, 32, 64}
		idleTime, cycle, rest, cycles = 2*time.Second, 250*time.Millisecond, time.Millisecond, 16
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range numbers {
		t.Run(fmt.Sprintf("%d Ps", procs), func(t *testing.T) {
			runtime.GOMAXPROCS(procs)
			// All crowds at the same time: the test is mostly sleep.
			type place struct {
				*crowd
				kind, users, most int
			}
			var places []*place
			var stop atomic.Bool
			var all sync.WaitGroup
			for kind := range crowds {
				for _, users := range []int{1, 3, 10} {
					c := newCrowd(kind, idleTime)
					for range users {
						all.Go(func() { c.user(&stop, rest) })
					}
					places = append(places, &place{crowd: c, kind: kind, users: users})
				}
			}
			read := func() {
				for _, p := range places {
					idle, _ := p.idle()
					p.most = max(p.most, idle)
				}
			}
			for range cycles {
				time.Sleep(cycle)
				runtime.GC()
				read()
			}
			stop.Store(true)
			all.Wait()
			read()
			for _, p := range places {
				name := fmt.Sprintf("%s, %d users", crowds[p.kind].name, p.users)
				_, made := p.idle()
				t.Logf("%s: idle at most %d, made %d; sync.Pool %d", name, p.most, made, p.made.Load())
				if want := 2*p.users + 2; p.most > want {
					t.Errorf("%s: %d are idle, want at most %d", name, p.most, want)
				}
				if want := max(int(p.made.Load()), 4); made > want {
					t.Errorf("%s: %d were made, want at most %d", name, made, want)
				}
			}
		})
	}
}

// TestIdleFollowsBursts has bursts of sixteen users with one user between them, until few items
// are idle. The test judges bursts in which the pool released nothing: on a machine that stalls, a
// burst may last longer than an IdleTime. Its only time limit is that of the whole test run.
func TestIdleFollowsBursts(t *testing.T) {
	pooltest.Reuses(t)
	idleTime, burst, rest, bursts := 200*time.Millisecond, 10*time.Millisecond, 500*time.Microsecond, 2
	if pooltest.Long() {
		idleTime, burst, rest = 2*time.Second, time.Second, time.Millisecond
	}
	const attempts = 50 // a pool that releases in each of them is wrong
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	for kind := range crowds {
		t.Run(crowds[kind].name, func(t *testing.T) {
			c := newCrowd(kind, idleTime)
			judged := 0
			for range attempts {
				before := c.pool()
				var stop atomic.Bool
				var all sync.WaitGroup
				for range 16 {
					all.Go(func() { c.user(&stop, rest) })
				}
				time.Sleep(burst)
				runtime.GC()
				stop.Store(true)
				all.Wait()
				after := c.pool()
				made := after.Misses - before.Misses
				if after.Trimmed == before.Trimmed {
					judged++
					if made > 16 {
						t.Errorf("%d were made in a burst of 16 users", made)
					}
				}
				stop.Store(false)
				all.Go(func() { c.user(&stop, rest) })
				quiet := time.Now()
				for { // TestIdleGoesWithinIdleTime of the engine tests the time
					time.Sleep(idleTime / 8)
					runtime.GC()
					if idle, _ := c.idle(); idle <= 4 {
						t.Logf("%d were made; %d are idle after %v", made, idle, time.Since(quiet))
						break
					}
				}
				stop.Store(true)
				all.Wait()
				if judged == bursts {
					return
				}
			}
			t.Errorf("the pool released items in all but %d of %d bursts", judged, attempts)
		})
	}
}
