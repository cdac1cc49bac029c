//go:build go1.25

package check

import (
	"reflect"
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

// TestLateValues puts more values than a sample remembers. The oldest have no records then; a second Put
// of the others is misuse.
func TestLateValues(t *testing.T) {
	tr := New(1, false, false)
	defer stop(tr)
	o := new(Owner)
	kind := reflect.TypeFor[*[16]int]()
	put := func(v *[16]int) Verdict {
		verdict, _ := tr.PutValue(o, unsafe.Pointer(v), kind, 128)
		return verdict
	}
	values := make([]*[16]int, lateValues+10)
	for i := range values {
		values[i] = new([16]int)
		tr.GetValue(o, unsafe.Pointer(values[i]), kind, 128)
		if v := put(values[i]); v != Accepted {
			t.Fatalf("Put of value %d: verdict %d", i, v)
		}
	}
	if n := len(tr.values.records); n != lateValues {
		t.Errorf("%d records", n)
	}
	for i, want := range map[int]Verdict{0: Unknown, 9: Unknown, 10: Rejected, len(values) - 1: Rejected} {
		if got := put(values[i]); got != want {
			t.Errorf("second Put of value %d: verdict %d, want %d", i, got, want)
		}
	}
}
