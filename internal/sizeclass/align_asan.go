//go:build asan

package sizeclass

// aligned is less than elsewhere, because the allocator puts what the address sanitizer
// watches behind each array, which makes it one of another size: of 96 bytes for the
// class of 64. So less of what is not the pool's own is recognised.
const aligned = 32
