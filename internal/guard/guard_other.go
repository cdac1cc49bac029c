//go:build !linux

package guard

// Available reports whether there is guarded memory on this system.
const Available = false

// Alloc returns nil: there is none.
func Alloc(size int) []byte { return nil }

// Free has nothing to free.
func Free(x *byte, forget func(array uintptr)) {}
