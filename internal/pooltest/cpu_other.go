//go:build go1.25 && !unix

package pooltest

import "time"

var began = time.Now()

// cpu returns the elapsed time, because the processor time is not available.
func cpu() time.Duration { return time.Since(began) }
