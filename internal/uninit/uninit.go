// Package uninit allocates bytes without clearing them.
package uninit

import (
	"strings"
	"unsafe"
)

// Bytes returns length bytes with a capacity of at least capacity, of
// arbitrary content: whatever the heap held there before. It panics as make
// does if the sizes are out of range.
func Bytes(length, capacity int) []byte {
	if length < 0 || capacity < length {
		return make([]byte, length, capacity) // for its panic
	}
	if capacity == 0 {
		return []byte{}
	}
	// strings.Builder is the one way the standard library offers to memory that
	// is not cleared first. The builder is dropped here, so nothing but the
	// result refers to its array, and nobody holds the string that is taken
	// to be immutable. Its array is at least capacity bytes: that is Grow's
	// contract.
	var b strings.Builder
	b.Grow(capacity)
	b.WriteByte(0) // StringData is unspecified for the empty string
	return unsafe.Slice(unsafe.StringData(b.String()), capacity)[:length]
}
