//go:build go1.25

package check

import (
	"runtime"
	"testing"
	"unsafe"
)

var global [8]int

// TestFresh lets New return the same values again, and new values at the addresses of garbage.
func TestFresh(t *testing.T) {
	heap := new([8]int)
	for name, x := range map[string]*[8]int{"on the heap": heap, "global": &global} {
		tr, o := New(4, false, false), new(Owner)
		for n := range 4 {
			if fresh := tr.Fresh(o, unsafe.Pointer(x)); fresh != (n == 0) {
				t.Errorf("%s, after %d times: fresh is %t", name, n, fresh)
			}
			runtime.GC()
		}
	}
	runtime.KeepAlive(heap)

	tr, o := New(4, false, false), new(Owner)
	times := make(map[uintptr]int)
	for most := 0; most < 5; runtime.GC() {
		x := new([8]int)
		fresh := tr.Fresh(o, unsafe.Pointer(x))
		if len(times) == len(o.made.Load().at) { // it forgets the first address
			clear(times)
			o = new(Owner)
			continue
		}
		at := addr((*byte)(unsafe.Pointer(x)))
		times[at]++
		if most = max(most, times[at]); fresh == (times[at] == 2) {
			t.Errorf("a new value, the address for the %dth time: fresh is %t", times[at], fresh)
		}
	}
}
