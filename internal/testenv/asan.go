//go:build go1.25 && asan

package testenv

// ASan reports whether the address sanitizer is on. It reduces the alignment of arrays, makes them
// take more memory, and moves more of them to the heap.
const ASan = true
