//go:build go1.25

package gccycle_test

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/gccycle"
)

// TestCollectionBetweenRounds: a collection during a round does not schedule the next round.
// Between the end of a round and the start of the next one, there is a separate collection, which
// stops the world. That is the grace period of the engine's reclaim.
func TestCollectionBetweenRounds(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collections but the test's
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumGC
	}
	rounds := make(chan bool)
	var under atomic.Bool // a round is running
	var ended uint32
	n := 0
	gccycle.Register(func(gccycle.Pressure) bool {
		under.Store(true)
		apart := n == 0 || collections() > ended
		runtime.GC()
		runtime.GC()
		ended = collections()
		n++
		rounds <- apart
		return n < 5
	})
	for i, idle := 0, 0; i < 5; {
		select {
		case apart := <-rounds:
			if !apart {
				t.Fatalf("round %d begins without a collection since the one before", i)
			}
			i, idle = i+1, 0
			under.Store(false)
		default:
			runtime.Gosched()
			if idle++; under.Load() {
				idle = 0
			} else if idle > 1000 { // a round that was due has had its chance
				runtime.GC()
			}
		}
	}
}
