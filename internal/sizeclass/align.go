//go:build go1.25 && !asan

package sizeclass

// aligned limits the alignment that arrays of small classes are sure to have. Here it is no limit:
// arrays are aligned to the largest power of two that divides their size, up to a page.
const aligned = page
