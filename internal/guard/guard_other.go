//go:build go1.25 && !linux

package guard

// Available reports whether there is guarded memory on this system.
const Available = false

// Alloc returns nil.
func Alloc(size int) []byte { return nil }

// Free does nothing.
func Free(x *byte, forget func(array uintptr)) {}
