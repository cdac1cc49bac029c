//go:build !asan

package sizeclass

// aligned is the largest alignment that arrays of small classes are sure to have, up to that of
// their size.
const aligned = page
