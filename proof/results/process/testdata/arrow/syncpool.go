//go:build go1.25 && sync

package main

import (
	"math/bits"
	"sync"
	"unsafe"
)

// A syncAllocator has classes of powers of two from 64 bytes to 64 MiB, a sync.Pool of pointers each: no allocation in Get or Put.
type syncAllocator struct{ classes [21]sync.Pool }

func class(n int) int { return max(bits.Len(uint(n-1)), 6) - 6 }

func (a *syncAllocator) get(n int) []byte {
	if n == 0 {
		return nil
	}
	c := class(n)
	if c >= len(a.classes) {
		return make([]byte, n)
	}
	if p, _ := a.classes[c].Get().(*byte); p != nil {
		return unsafe.Slice(p, 64<<c)[:n]
	}
	return make([]byte, 64<<c)[:n]
}
func (a *syncAllocator) Allocate(n int) []byte { b := a.get(n); clear(b); return b }
func (a *syncAllocator) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		old := len(b)
		b = b[:n]
		if n > old {
			clear(b[old:])
		}
		return b
	}
	g := a.get(n)
	copy(g, b)
	clear(g[len(b):])
	a.Free(b)
	return g
}
func (a *syncAllocator) Free(b []byte) {
	c := cap(b)
	if c < 64 || c > 64<<20 || c&(c-1) != 0 {
		return
	}
	a.classes[class(c)].Put(unsafe.SliceData(b))
}

func init() { allocator = &syncAllocator{} }
