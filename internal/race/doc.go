//go:build go1.25

// Package race tells the race detector about accesses that it cannot see.
package race
