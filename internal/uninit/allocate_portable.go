//go:build !gc || basin_portable

package uninit

import (
	"strings"
	"unsafe"
)

// allocate returns at least n bytes.
func allocate(n int) []byte {
	// strings.Builder is the one way the standard library offers to memory that
	// is not cleared first. The builder is dropped here, so nothing but the
	// result refers to its array, and nobody holds the string that is taken
	// to be immutable. Its array is at least n bytes: that is Grow's
	// contract.
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // StringData is unspecified for the empty string
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
