package gccycle_test

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/gccycle"
)

// TestCollectionBetweenRounds: a collection that happens while a round is under way does not
// schedule the next one. Between the end of a round and the begin of the next
// there is a collection of its own, which stops the world; that is the grace period
// of the engine's reclaim.
func TestCollectionBetweenRounds(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // none but the test's
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumGC
	}
	rounds := make(chan bool)
	var under atomic.Bool // a round is under way
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
			} else if idle > 1000 { // a round that is due already has had its chance
				runtime.GC()
			}
		}
	}
}
