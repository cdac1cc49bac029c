// Package guard allocates memory that ends where the page after it cannot be touched,
// and that cannot be touched at all once it is freed: the idea of Electric Fence. Each
// array takes pages of its own, outside of the Go heap.
package guard
