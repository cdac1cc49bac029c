//go:build go1.25

package basinscope_test

import (
	"testing"

	"github.com/basin-go/basin/basinscope"
)

type pair[A, B any] struct {
	_ A
	_ B
	n *int
}

// A kindOfValues makes a value with a number in s, and returns a function that reports the number, which may have
// been changed.
type kindOfValues func(s *basinscope.Scope, n int) func() int

func ofType[A, B any](s *basinscope.Scope, n int) func() int {
	x := basinscope.New[pair[A, B]](s)
	if x.n != nil {
		return func() int { return -1 } // not zero
	}
	x.n = &n
	list := basinscope.Slice[pair[A, B]](s, 1+n%3)
	for i := range list {
		if list[i].n != nil {
			return func() int { return -1 }
		}
		list[i].n = &n
	}
	return func() int {
		for i := range list {
			if list[i].n != x.n {
				return -1
			}
		}
		return *x.n
	}
}

func withFirst[A any]() []kindOfValues {
	return []kindOfValues{ofType[A, bool], ofType[A, int16], ofType[A, int64], ofType[A, string], ofType[A, any], ofType[A, *int]}
}

// TestManyTypes uses 36 types by turns: some of them share one of the 64 places of core.recent.
func TestManyTypes(t *testing.T) {
	var all []kindOfValues
	for _, some := range [][]kindOfValues{withFirst[bool](), withFirst[int16](), withFirst[int64](),
		withFirst[string](), withFirst[any](), withFirst[*int]()} {
		all = append(all, some...)
	}
	for _, fresh := range []bool{false, true} {
		for range 3 { // lives of the same slabs
			s := basinscope.Scope{Fresh: fresh}
			var numbers []func() int
			for n := range 10 * len(all) {
				numbers = append(numbers, all[n*7%len(all)](&s, n))
			}
			for n, f := range numbers {
				if got := f(); got != n {
					t.Fatalf("value %d has the number %d", n, got)
				}
			}
			s.End()
		}
	}
}
