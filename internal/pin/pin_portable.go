//go:build go1.25 && !basin_sched && (!gc || race || wasm || basin_portable)

package pin

// Available reports whether pinning works in this build.
const Available = false

// Pin returns an ID that, as an unsigned number, is larger than that of any P.
func Pin() int { return -1 }

// Unpin does nothing.
func Unpin() {}

// Quiesce returns at once, because no section is pinned.
func Quiesce() {}
