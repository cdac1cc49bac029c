//go:build go1.25 && !basin_sched && gc && !race && !wasm && !basin_portable

package pin

import (
	"runtime"
	"runtime/metrics"
	_ "unsafe" // for go:linkname
)

// Available reports whether pinning works in this build.
const Available = true

// Pin keeps the calling goroutine on its P until [Unpin]. It returns the P's ID, from 0 to
// GOMAXPROCS-1.
//
//go:linkname Pin runtime.procPin
func Pin() int

// Unpin lets the goroutine leave its P again.
//
//go:linkname Unpin runtime.procUnpin
func Unpin()

// Quiesce returns after all sections that were pinned when it was called have ended. The caller
// must not be pinned.
func Quiesce() {
	// ReadMemStats stops the world, and a pinned section delays the stop. But Go does not promise
	// that ReadMemStats will always do so. Therefore, trust only the runtime's own count of stops.
	// One stop may have ended before the call and be counted during it, but not two.
	before := stops()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.ReadMemStats(&m)
	if stops()-before < 2 {
		runtime.GC() // must stop the world, but costs more
	}
}

// stops returns the number of stops of the world so far, without those of the collector.
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
