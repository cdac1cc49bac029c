//go:build go1.25

package basinhttp

import (
	"fmt"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
)

// Limits on items in use that may be garbage: fewer are not worth a sentence.
const (
	fewestItems = 100
	fewestShare = 100 // one in so many of all gets
)

// garbage fills in the fields about memory in use that is garbage, or may be. To
// watch the death of each slice would cost more than a Get. The heap proves it for free: memory in
// use that is no garbage is on the heap, so any excess over the heap is garbage. Long before the excess, in
// use is suspicious if it is at its peak and a part of all gets that does not fade, as a working set does.
func (r *Report) garbage() {
	heap, c := r.Go.HeapBytes, r.Checking
	var bytes int64
	var worst, largest *basin.Stats
	for i := range r.Pools {
		p := &r.Pools[i]
		if p.Kind == "FixedPool" || p.Bytes.MaxInUse > 0 || basinexport.OfLimit(p) {
			continue // these have a ceiling, or notice
		}
		bytes += max(0, p.Bytes.InUse)
		if largest == nil || p.Bytes.InUse > largest.Bytes.InUse {
			largest = p
		}
		n := p.Items.InUse
		if n < fewestItems || uint64(n) < p.Gets/fewestShare || n < p.PeakInUse.Items-p.PeakInUse.Items/10 {
			continue
		}
		if worst == nil || n > worst.Items.InUse {
			worst = p
		}
	}
	how := "BASIN_CHECK=sampled in the environment of the program names the lines."
	if c != nil && c.Level != basincheck.Off.String() {
		how = "Checks have not seen such lines yet."
		for _, s := range c.Sites {
			if s.Leaks > 0 || s.Unfreed > 0 {
				how = "Checks list the lines, with leaks and unfreed items."
			}
		}
	}
	const causes = "slices without Put, or Buffers without Free. Pools without a limit count them as in use for ever. "
	switch {
	case bytes > 0 && uint64(bytes) > heap && !basincheck.Now().Guard: // guarded memory is not on the heap
		r.GarbageID, r.GarbageBytes = largest.ID, bytes-int64(heap)
		or := ""
		if largest.Adopted > 0 {
			or = ", or was adopted and is not on the heap"
		}
		r.Garbage = fmt.Sprintf("Of the %s in use, at least %s is garbage%s, because the heap has only %s: ", size(bytes), size(bytes-int64(heap)), or, size(int64(heap))) + causes + how
	case worst != nil:
		r.GarbageID = worst.ID
		r.Garbage = fmt.Sprintf("In use is at its peak in pool %.100q: %d of its %d gets were not put back. If the program does not hold that many, they are garbage: ",
			worst.Name, worst.Items.InUse, worst.Gets) + causes + how
	}
}

// size formats bytes.
func size(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
