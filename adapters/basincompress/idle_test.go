package basincompress

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestIdleFollowsUse: a few handlers that wait while they write a response need few writers, on any
// number of Ps. proof/memory tests the same of other pools, and how many items they make.
func TestIdleFollowsUse(t *testing.T) {
	pooltest.Reuses(t)
	const users = 3
	numbers, cycle, cycles := []int{8, 64}, 5*time.Millisecond, 12 // numbers of Ps
	if pooltest.Long() {
		numbers, cycle, cycles = []int{2, 8, 16, 32, 64}, 250*time.Millisecond, 16
	}
	var w Writers
	openGzip, openZstd := w.Gzip().New, w.Zstd().New
	respond := func(z writer.ZstdWriter) {
		time.Sleep(500 * time.Microsecond) // to wake up on another P
		if _, err := io.WriteString(z, "a text\n"); err != nil {
			t.Error(err)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range numbers {
		runtime.GOMAXPROCS(procs)
		var stop atomic.Bool
		var all sync.WaitGroup
		for range users {
			all.Go(func() {
				for !stop.Load() {
					respond(openGzip(io.Discard, gzip.BestSpeed))
					respond(openZstd(io.Discard, int(zstd.SpeedFastest)))
				}
			})
		}
		for range cycles {
			time.Sleep(cycle)
			runtime.GC()
			for _, s := range []basin.Stats{w.gzip[gzip.BestSpeed-gzip.StatelessCompression].Stats(), w.zstd[0].Stats()} {
				if s.Items.Idle > 2*users+2 {
					t.Errorf("%d Ps: %d of the pool %q are idle, want at most %d", procs, s.Items.Idle, s.Name, 2*users+2)
				}
			}
		}
		stop.Store(true)
		all.Wait()
	}
	for _, s := range []basin.Stats{w.gzip[gzip.BestSpeed-gzip.StatelessCompression].Stats(), w.zstd[0].Stats()} {
		if s.Misses == 0 {
			t.Errorf("the pool %q was not used", s.Name)
		}
	}
}
