//go:build go1.25 && !race

package race

// Enabled reports whether the race detector is on.
const Enabled = false

// Write does nothing without the race detector.
func Write(x *byte, size int) {}
