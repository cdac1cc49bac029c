//go:build go1.25

package pooltest

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
)

// IdleFollowsUse fails if a few goroutines that call use again and again, on any number of Ps, make
// a pool keep more idle items than they need. use should sleep, to wake up on another P. stats
// returns the statistics of the pools. proof/memory also tests how many items pools make.
func IdleFollowsUse(t *testing.T, use func(), stats func() []basin.Stats) {
	t.Helper()
	Reuses(t)
	const users = 3
	numbers, cycle, cycles := []int{8, 64}, 5*time.Millisecond, 12 // numbers of Ps
	if Long() {
		numbers, cycle, cycles = []int{2, 8, 16, 32, 64}, 250*time.Millisecond, 16
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range numbers {
		runtime.GOMAXPROCS(procs)
		var stop atomic.Bool
		var all sync.WaitGroup
		for range users {
			all.Go(func() {
				for !stop.Load() {
					use()
				}
			})
		}
		for range cycles {
			time.Sleep(cycle)
			runtime.GC()
			for _, s := range stats() {
				if s.Items.Idle > 2*users+2 {
					t.Errorf("%d Ps: %d of the pool %q are idle, want at most %d", procs, s.Items.Idle, s.Name, 2*users+2)
				}
			}
		}
		stop.Store(true)
		all.Wait()
	}
	for _, s := range stats() {
		if s.Misses == 0 {
			t.Errorf("the pool %q was not used", s.Name)
		}
	}
}
