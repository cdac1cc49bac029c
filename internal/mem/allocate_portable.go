//go:build go1.25 && (!gc || basin_portable)

package mem

import (
	"strings"
	"unsafe"
)

// allocate returns at least n bytes.
func allocate(n int) []byte {
	// strings.Builder is the standard library's only access to memory that is not cleared first.
	// The builder is dropped here, so only the result refers to its array, and nobody has the
	// string, which must not change. By the contract of Grow, the array has at least n bytes.
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // because StringData of an empty string is unspecified
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
