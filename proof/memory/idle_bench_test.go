//go:build go1.25

package memory_test

import (
	"runtime"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// BenchmarkRoundOfIdlePools measures the work that many unused pools add to a garbage
// collection.
func BenchmarkRoundOfIdlePools(b *testing.B) {
	for _, idle := range []struct {
		name string
		keep bool
	}{{"empty", false}, {"with a slice", true}} {
		b.Run(idle.name, func(b *testing.B) {
			pools := make([]*basin.BytePool, 10_000)
			for i := range pools {
				pools[i] = &basin.BytePool{}
				x := pools[i].Get(64)
				if idle.keep {
					pools[i].Put(x)
				}
			}
			gccycle.Overdue(pin.Now(), 0) // the first round sees that they were used
			b.ResetTimer()
			for range b.N {
				gccycle.Overdue(pin.Now(), 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(pools)), "ns/pool")
			runtime.KeepAlive(pools)
		})
	}
}
