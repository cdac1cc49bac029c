//go:build !basin_sched && (!gc || basin_portable)

package pin

import "time"

var began = time.Now()

// Now returns the time on a clock that only advances, from a beginning of its own.
func Now() time.Duration { return time.Since(began) }
