//go:build !basin_sched && (!gc || race || wasm || basin_portable)

package pin

// Available reports whether pinning works in this build.
const Available = false

// Pin returns an id that is larger than that of any P.
func Pin() int { return -1 }

// Unpin does nothing.
func Unpin() {}

// Quiesce has nothing to wait for.
func Quiesce() {}
