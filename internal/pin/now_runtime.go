//go:build go1.25 && !basin_sched && gc && !basin_portable

package pin

import (
	"time"
	_ "unsafe" // for go:linkname
)

// Now returns the time on a monotonic clock with an arbitrary start. It is the machine's clock,
// even inside a bubble of testing/synctest, where package time has another clock. So a pool may be
// used inside and outside a bubble.
func Now() time.Duration { return time.Duration(nanotime()) }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
