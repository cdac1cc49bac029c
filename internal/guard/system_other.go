//go:build go1.25 && !(linux || darwin || windows)

package guard

// Available reports whether there is guarded memory on this system.
const Available = false

func reserve(int) []byte  { return nil }
func open([]byte) bool    { return false }
func shut([]byte)         {}
func addressSpace() int64 { return 0 }
