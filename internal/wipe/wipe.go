// Package wipe clears memory of which nobody knows whether it can be written to.
package wipe

import "runtime/debug"

// Foreign clears b, which is not a pool's. If b cannot be written to, as the bytes of a
// constant, it is left as it is, and the program goes on.
func Foreign(b []byte) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { recover() }() // of the fault, if there is one
	clear(b)
}
