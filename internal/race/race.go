//go:build race

package race

import (
	"runtime"
	"unsafe"
)

// Enabled says that the race detector watches every access, which makes all of it ten
// times as slow.
const Enabled = true

// Write tells the race detector that the size bytes at x are written to. It is for a Put. So
// the detector reports who still reads or writes what was put, if nothing orders that before
// the Put. The locks of the depots order a Put before the next Get: who gets the
// array is not reported.
func Write(x *byte, size int) { runtime.RaceWriteRange(unsafe.Pointer(x), size) }
