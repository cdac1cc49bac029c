package advise

import (
	"fmt"
	"testing"
)

// TestReasonsOfOutgrown has slices that are made with a capacity, which an append outgrows. The capacity is not the reason if
// the slice may begin without one, or a slice expression takes room from it, or it is a parameter.
func TestReasonsOfOutgrown(t *testing.T) {
	const owner = "Its last user would have to put it back."
	judged(t, `package p

import "strconv"

var kept [][]byte

func constant(b []byte, more bool) {
	list := make([]byte, 1, 3)
	list[0] = 1
	if more {
		list = append(list, 2)
	}
	list = append(list, b...) // : needs an owner; The memory leaves constant: it is stored in the variable kept of the package. `+owner+` It outgrows the capacity of 3 with which it is made at line 8.$
	kept = append(kept, list)
}

func computed(steps int) []int {
	list := make([]int, 0, steps+1)
	for i := 0.0; i <= 1; i += 1 / float64(steps) {
		list = append(list, int(i))
	}
	list = append(list, list[0]) // : needs an owner; The memory leaves computed: it is returned from p.computed. `+owner+` It outgrows the capacity steps + 1 with which it is made at line 18.$
	return list
}

func lengthOnly(b []byte, n int) []byte {
	list := make([]byte, n)
	return append(list, b...) // : needs an owner; The memory leaves lengthOnly: it is returned from p.lengthOnly. `+owner+` It outgrows the capacity n with which it is made at line 27.$
}

func long(b []byte, names []string) []byte {
	list := make([]byte, 0, 2*len(names)+len(b)+512)
	return append(list, b...) // : needs an owner; The memory leaves long: it is returned from p.long. `+owner+` It outgrows the capacity with which it is made at line 32.$
}

func standard(n int) []byte {
	list := make([]byte, 0, 8)
	list = append(list, "number "...)
	return strconv.AppendInt(list, int64(n), 10) // strconv.AppendInt: needs an owner; The memory leaves standard: it is returned from p.standard. `+owner+` It outgrows the capacity of 8 with which it is made at line 37.$
}

func either(b []byte, large bool) []byte {
	list := make([]byte, 0, 8)
	if large {
		list = make([]byte, 0, 512)
	}
	return append(list, b...) // : needs an owner; The memory leaves either: it is returned from p.either. `+owner+` It outgrows each of the 2 capacities with which it may be made.$
}

func orNil(b []byte, large bool) []byte {
	var list []byte
	if large {
		list = make([]byte, 0, 512)
	}
	return append(list, b...) // : needs an owner; The memory leaves orNil: it is returned from p.orNil. `+owner+`$
}

func orGiven(b, list []byte, large bool) []byte {
	if large {
		list = make([]byte, 0, 512)
	}
	return append(list, b...) // : needs an owner; The memory leaves orGiven: it is returned from p.orGiven. `+owner+`$
}

func cutAtFront(b []byte) []byte {
	list := make([]byte, 64, 512)
	list = list[1:]
	return append(list, b...) // : needs an owner; The memory leaves cutAtFront: it is returned from p.cutAtFront. `+owner+`$
}

func cutCapacity(b []byte, n int) []byte {
	list := make([]byte, 64, 512)
	return append(list[:n:n], b...) // : needs an owner; The memory leaves cutCapacity: it is returned from p.cutCapacity. `+owner+`$
}

func full(b []byte) []byte {
	list := make([]byte, 64, 512)
	return append(list[:0:0], b...) // : needs an owner; The memory leaves full: it is returned from p.full. `+owner+`$
}

func cutAtEnd(b []byte, n int) []byte {
	list := make([]byte, 64, 512)
	list = list[:n]
	return append(list, b...) // : needs an owner; The memory leaves cutAtEnd: it is returned from p.cutAtEnd. `+owner+` It outgrows the capacity of 512 with which it is made at line 82.$
}

func boxed(n int, all []int) []any {
	list := make([]any, 0, n)
	for i := 0; i < n && i < len(all); i += 2 {
		list = append(list, all[i]) // : needs an owner; The memory leaves boxed: it is returned from p.boxed. `+owner+` It outgrows the capacity n with which it is made at line 88.$
	}
	return list
}

func named(b []byte, n int, m map[int][]byte) {
	list := make([]byte, 0, n)
	m[n] = append(list, b...) // : needs an owner; The memory leaves named: it is stored in a map. `+owner+`$
}

func without(b []byte) []byte {
	list := make([]byte, 0)
	return append(list, b...) // : needs an owner; The memory leaves without: it is returned from p.without. `+owner+`$
}

func here(b []byte, n int) []byte {
	return append(make([]byte, 0, n), b...) // : needs an owner; The memory leaves here: it is returned from p.here. `+owner+`
}

func shared(b []byte) []byte {
	var list []byte
	add := func() { list = append(list, b...) }
	if len(b) > 3 {
		list = make([]byte, 0, 512)
	}
	add()
	return append(list, b...) // : needs an owner; The memory leaves shared: it is returned from p.shared. `+owner+`$
}
`, nil)
}

// TestReasonsBesideGrowth has literals in the arguments of appends. If an array that the append makes is larger, their size
// tells the two apart. Without a capacity it does not.
func TestReasonsBesideGrowth(t *testing.T) {
	const owner = "Its last user would have to put it back."
	judged(t, `package p

type value struct {
	list []value
	rest [64]int
}

func of(list []value) value { return value{list: list} }

var kept []value

func made(a, b value) {
	vals := make([]value, 1, 3)
	vals[0] = a
	vals = append(vals, of([]value{a, b})) // 1152: needs an owner; The memory leaves made: it is stored in another slice. `+owner+`$
	vals = append(vals, of([]value{a, b})) // 3456: needs an owner; The memory leaves made: it is stored in the variable kept of the package. `+owner+` It outgrows the capacity of 3 with which it is made at line 13.$
	kept = append(kept, of(vals))
}

func alone(a, b value) (vals []value) {
	vals = append(vals, of([]value{a, b})) // 1152: needs an owner; The memory leaves alone: it is returned from p.alone. `+owner+`
	return vals
}

func one(a, b value, n int) {
	vals := make([]value, 1, 1)
	vals[0] = a
	vals = append(vals, of([]value{a, b})) // 1152: needs an owner; The memory leaves one: it is stored in the variable kept of the package. `+owner+` The line also makes slice literal: the sizes do not tell which has most of the bytes.
	kept = append(kept, of(vals))
}

func computed(a, b value, n int) {
	vals := make([]value, 1, n)
	vals[0] = a
	vals = append(vals, of([]value{a, b})) // 1152: needs an owner; The memory leaves computed: it is stored in the variable kept of the package. `+owner+` The line also makes slice literal
	kept = append(kept, of(vals))
}
`, func(_ int, s *synthetic) {
		n := uint64(0)
		fmt.Sscan(s.std, &n)
		s.std, s.objects = "", s.bytes/n
		s.bytes = s.objects * n
	})
}
