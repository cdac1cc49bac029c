// Package mcache stands in for the real one.
package mcache

import "sync"

var caches [46]sync.Pool

func Malloc(size int, capacity ...int) []byte {
	if v := caches[size%46].Get(); v != nil {
		return v.([]byte)[:size]
	}
	return make([]byte, size)
}

func Free(b []byte) { caches[cap(b)%46].Put(b) }
