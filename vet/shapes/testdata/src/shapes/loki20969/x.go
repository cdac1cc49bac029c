// Put is deferred with the slice as it is before it grows.
package loki20969

import (
	"sync"

	"github.com/basin-go/basin"
)

type slices struct{ pool sync.Pool }

func (p *slices) Get(n int) []int {
	if v := p.pool.Get(); v != nil {
		return v.([]int)[:0]
	}
	return make([]int, 0, n)
}

func (p *slices) Put(s []int) { p.pool.Put(s) }

var ints slices

func BugGrown(in []int) (sum int) {
	s := ints.Get(len(in))
	defer ints.Put(s) // BUG
	for _, v := range in {
		s = append(s, v)
	}
	for _, v := range s {
		sum += v
	}
	return sum
}

func BugBasin(in []string) int {
	b := basin.Make(64)
	defer basin.Put(b) // BUG
	for _, s := range in {
		b = basin.AppendString(b, s)
	}
	return len(b)
}

func BugGrow(n int) int {
	b := basin.Get(64)
	defer basin.Put(b) // BUG
	b = basin.Grow(b, n)
	return len(b)
}

func LegalClosure(in []int) int {
	s := ints.Get(len(in))
	defer func() { ints.Put(s) }()
	for _, v := range in {
		s = append(s, v)
	}
	return len(s)
}

func LegalBasin(in []string) int {
	b := basin.Make(64)
	defer func() { basin.Put(b) }()
	for _, s := range in {
		b = basin.AppendString(b, s)
	}
	return len(b)
}

func LegalAfter(in []string) int {
	b := basin.Make(64)
	for _, s := range in {
		b = basin.AppendString(b, s)
	}
	defer basin.Put(b)
	return len(b)
}

// The slice is cut in place: the array stays the one that is put.
func LegalShortened(n int) int {
	b := basin.Get(64)
	defer basin.Put(b)
	b = b[:n]
	return len(b)
}
