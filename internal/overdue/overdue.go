//go:build go1.25

// Package overdue releases unneeded memory of all pools in time, in a program that rarely collects
// garbage, and makes the collector free it once.
package overdue

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// Run begins a round for all pools at each interval unless collections do. It collects garbage when
// its watch says so. It returns when ctx is done.
func Run(ctx context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	r := now()
	w := watch{last: r, freed: r.released}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		gccycle.Overdue(pin.Now(), every)
		if w.look(now()) {
			runtime.GC()
		}
	}
}

// A reading has the figures that a watch needs.
type reading struct {
	released int64  // bytes that pools have released so far
	cycles   uint64 // collections completed so far
	live     int64  // bytes that the latest collection found alive
}

// now returns the current reading.
func now() reading {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return reading{gccycle.Released(), samples[0].Value.Uint64(), int64(samples[1].Value.Uint64())}
}

// A watch decides when to collect memory that pools have released: when they have released much and
// release no more, and the program has not collected for two readings.
type watch struct {
	last  reading
	freed int64 // the part of last.released that a collection has freed since
	quiet int   // readings without a collection
}

// Much is at least a mebibyte and an eighth of the live heap.
const (
	least = 1 << 20
	share = 8
)

// look reports whether to collect now.
func (w *watch) look(r reading) bool {
	before := w.last
	w.last = r
	if r.cycles != before.cycles {
		w.freed = before.released // later releases may have come too late for that collection
		w.quiet = 0
		return false
	}
	w.quiet++
	if w.quiet < 2 || r.released > before.released || r.released-w.freed < max(least, r.live/share) {
		return false
	}
	w.freed = r.released
	return true
}
