//go:build !unix

package adaptertest

import "time"

var began = time.Now()

// cpu returns the time that has passed, for want of the processor's.
func cpu() time.Duration { return time.Since(began) }
