//go:build !basin_sched && gc && !basin_portable

package pin

import (
	"time"
	_ "unsafe" // for go:linkname
)

// Now returns the time on a clock that only advances, from a beginning of its own. It is the
// machine's also inside a bubble of testing/synctest, where package time has another:
// a pool may be used inside and outside.
func Now() time.Duration { return time.Duration(nanotime()) }

//go:linkname nanotime runtime.nanotime
func nanotime() int64
