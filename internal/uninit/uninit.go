// Package uninit allocates bytes without clearing them.
package uninit

// Bytes returns length bytes with the given capacity, of arbitrary content:
// whatever the heap held there before. It panics as make does if the sizes are
// out of range.
func Bytes(length, capacity int) []byte {
	if length < 0 || capacity < length {
		return make([]byte, length, capacity) // for its panic
	}
	if capacity == 0 {
		return []byte{}
	}
	return allocate(capacity)[:length:capacity]
}
