//go:build !basin_sched && gc && !race && !wasm && !basin_portable

package pin

import (
	"runtime"
	"runtime/metrics"
	_ "unsafe" // for go:linkname
)

// Available reports whether pinning works in this build.
const Available = true

// Pin keeps the calling goroutine on its P until [Unpin] and returns the P's
// id, from 0 to GOMAXPROCS-1.
//
//go:linkname Pin runtime.procPin
func Pin() int

// Unpin ends what [Pin] began.
//
//go:linkname Unpin runtime.procUnpin
func Unpin()

// Quiesce returns once every section that was pinned when it was called has
// ended. The caller must not be pinned.
func Quiesce() {
	// Reading MemStats stops the world, and a pinned section holds off the
	// stop. Nobody promises that it will always stop the world, so believe
	// only the runtime's own count of such stops. One stop may have ended
	// before the call and be counted during it; two cannot.
	before := stops()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.ReadMemStats(&m)
	if stops()-before < 2 {
		runtime.GC() // stops the world by its nature, at a higher price
	}
}

// stops counts the stops of the world so far that were not the collector's.
func stops() (n uint64) {
	s := []metrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
	metrics.Read(s)
	if s[0].Value.Kind() == metrics.KindFloat64Histogram {
		for _, c := range s[0].Value.Float64Histogram().Counts {
			n += c
		}
	}
	return n
}
