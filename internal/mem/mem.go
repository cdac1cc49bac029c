//go:build go1.25

// Package mem touches the bytes of arrays as plain Go cannot: it allocates without clearing, clears
// memory that may be read-only, and tells the race detector about writes that it cannot see.
//
// Touch it when a version of Go changes the functions of the runtime that it uses. internal/guard has
// memory outside the Go heap.
package mem

import "runtime/debug"

// MakeUninit returns a slice with the given length and capacity. It contains arbitrary bytes that the
// heap held before. Like make, it panics if the sizes are out of range.
func MakeUninit(length, capacity int) []byte {
	if length < 0 || capacity < length {
		return make([]byte, length, capacity) // for its panic
	}
	if capacity == 0 {
		return []byte{}
	}
	return allocate(capacity)[:length:capacity]
}

// ClearForeign clears b, which belongs to no pool. If b cannot be written to, like the bytes of a
// constant, ClearForeign leaves it unchanged and the program goes on.
func ClearForeign(b []byte) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { recover() }() // of a fault
	clear(b)
}
