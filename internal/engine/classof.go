//go:build go1.25

package engine

// localBytes is the most bytes of one class that a P may keep for itself.
const localBytes = 256 << 10

// ClassOf returns the class of objects of size bytes. A P may keep 256 KiB of them for itself, but
// at least one object.
func ClassOf(size int) Class {
	return Class{Size: int64(size), Local: uint(min(max(localBytes/size, 1), Slots))}
}
