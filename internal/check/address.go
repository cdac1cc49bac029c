//go:build go1.25

package check

import "unsafe"

// addr returns the address of x, which does not keep x alive.
func addr(x *byte) uintptr { return uintptr(unsafe.Pointer(x)) }

// hash spreads addresses, which are usually multiples of 64 or more.
func hash(a uintptr) uint { return uint(uint64(a) * 0x9E3779B97F4A7C15 >> 40) }

// shardCount is the number of parts that a table, and the index, is divided into.
const shardCount = 64
