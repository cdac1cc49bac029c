//go:build asan

package pooltest

// ASan says that arrays are aligned less than elsewhere and take more memory, and that more of them are on the heap.
const ASan = true
