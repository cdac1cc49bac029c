//go:build go1.25

// Package guard allocates arrays that end at an inaccessible page, and become inaccessible when
// they are freed: the idea of Electric Fence. Each array has its own pages, outside the Go heap.
//
// Touch it for another operating system, or for the limits on mappings. internal/check decides which
// arrays are guarded.
package guard
