//go:build go1.25 && race

package testenv

// Race reports whether the race detector is on. It watches every access, which makes programs ten
// times slower.
const Race = true
