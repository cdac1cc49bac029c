//go:build race

package basin

import (
	"runtime"
	"unsafe"
)

// raceWrite tells the race detector that the size bytes at x are written to. So it
// reports who still reads or writes what was put, if nothing orders that before
// the Put. The locks of the depots order a Put before the next Get: who gets the
// array is not reported.
func raceWrite(x *byte, size int) { runtime.RaceWriteRange(unsafe.Pointer(x), size) }
