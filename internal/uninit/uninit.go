//go:build go1.25

// Package uninit allocates bytes without clearing them.
package uninit

// Bytes returns a slice with the given length and capacity. It contains arbitrary bytes that the
// heap held before. Like make, it panics if the sizes are out of range.
func Bytes(length, capacity int) []byte {
	if length < 0 || capacity < length {
		return make([]byte, length, capacity) // for its panic
	}
	if capacity == 0 {
		return []byte{}
	}
	return allocate(capacity)[:length:capacity]
}
