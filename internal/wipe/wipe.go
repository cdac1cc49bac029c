//go:build go1.25

// Package wipe clears memory that may be read-only.
package wipe

import "runtime/debug"

// Foreign clears b, which belongs to no pool. If b cannot be written to, like the bytes of a
// constant, Foreign leaves it unchanged and the program goes on.
func Foreign(b []byte) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { recover() }() // of a fault
	clear(b)
}
