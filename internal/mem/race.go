//go:build go1.25 && race

package mem

import (
	"runtime"
	"unsafe"
)

// RaceWrite tells the race detector that the size bytes at x are written to. Put calls it, so that the
// detector reports goroutines that still use the bytes without an order between their use and the
// Put. The locks of the depots order a Put before the next Get, so the next user is not reported.
func RaceWrite(x *byte, size int) { runtime.RaceWriteRange(unsafe.Pointer(x), size) }
