//go:build go1.25

package gccycle

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// TrimIdle begins a round after each interval in which none has ended. every is the interval, and
// must be positive. When pools have released much memory, TrimIdle collects garbage, at most twice:
// see watch. It returns when ctx is done.
func TrimIdle(ctx context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	r := readNow()
	w := watch{last: r, freed: r.released, returned: r.released}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		Overdue(pin.Now(), every)
		if w.due(readNow()) {
			runtime.GC()
		}
	}
}

// A reading has the figures that a watch needs.
type reading struct {
	released int64  // bytes that pools have released so far
	cycles   uint64 // collections completed so far
	live     int64  // bytes that the latest collection found alive
	free     int64  // bytes of the heap that are free and that the runtime has not returned to the system
}

// readNow returns the current reading.
func readNow() reading {
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	return reading{Released(), samples[0].Value.Uint64(), int64(samples[1].Value.Uint64()), int64(samples[2].Value.Uint64())}
}

// A watch decides when to collect memory that pools have released: when they have released much and
// release no more, and the program has not collected for two readings.
//
// One collection frees the memory, but the runtime goes on to keep as much as the heap had in use
// when that collection ended, before the sweep. The next collection ends with a smaller heap in use,
// so the runtime then returns the rest to the system. If the program does not collect by itself, and
// much is still free at a reading after the first collection, the watch collects again. There is no
// third time before pools release more.
type watch struct {
	last     reading
	freed    int64 // the part of last.released that a collection has freed since
	returned int64 // the part of freed that a second collection has followed
	quiet    int   // readings without a collection
}

// Much is at least a mebibyte, and at least an eighth of the live heap.
const (
	least = 1 << 20
	share = 8
)

// due reports whether to collect now.
func (w *watch) due(r reading) bool {
	before := w.last
	w.last = r
	if n := int64(r.cycles - before.cycles); n > 0 {
		w.returned = w.freed
		if n > 1 {
			w.returned = before.released
		}
		w.freed = before.released // later releases may have come too late for that collection
		w.quiet = 0
		return false
	}
	w.quiet++
	much := max(least, r.live/share)
	switch {
	case w.quiet < 2 || r.released > before.released:
		return false
	case r.released-w.freed >= much: // the first collection
	case w.freed-w.returned >= much && r.free >= much: // the second one
	default:
		return false
	}
	w.returned, w.freed = w.freed, r.released
	w.quiet = 0
	w.last.cycles++ // the collection that follows
	return true
}
