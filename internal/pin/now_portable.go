//go:build go1.25 && !basin_sched && (!gc || basin_portable)

package pin

import "time"

var began = time.Now()

// Now returns the time on a monotonic clock with an arbitrary start.
func Now() time.Duration { return time.Since(began) }
