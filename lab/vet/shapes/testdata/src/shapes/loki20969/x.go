// Put is deferred with the slice as it is before it grows.
package loki20969

import (
	"sync"

	"github.com/basin-go/basin"
	"github.com/prometheus/prometheus/util/pool"
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

// A pool that hands out as much as it is asked for.
type buckets[T any] struct{ p *pool.Pool }

func (b *buckets[T]) Get(n int) []T { return b.p.Get(n).([]T) }
func (b *buckets[T]) Put(s []T)     { b.p.Put(s[:0]) }

type sizes []int

var bucketed buckets[int]

func LegalOneEach(in map[string]int) (sum int) {
	s := sizes(bucketed.Get(len(in)))
	defer bucketed.Put(s)
	for _, v := range in {
		if v > 0 {
			sum += v
		}
		s = append(s, v)
	}
	return sum + len(s)
}

func BugTwoEach(in map[string]int) int {
	s := sizes(bucketed.Get(len(in)))
	defer bucketed.Put(s) // BUG
	for k, v := range in {
		s = append(s, v, len(k))
	}
	return len(s)
}

func BugNested(in map[string][]int) int {
	s := sizes(bucketed.Get(len(in)))
	defer bucketed.Put(s) // BUG
	for _, vs := range in {
		for _, v := range vs {
			s = append(s, v)
		}
	}
	return len(s)
}

func BugOneMore(in map[string]int) int {
	s := sizes(bucketed.Get(len(in)))
	defer bucketed.Put(s) // BUG
	for _, v := range in {
		s = append(s, v)
	}
	s = append(s, len(in))
	return len(s)
}

func BugBasin(in []string) int {
	b := basin.Get(64)[:0]
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
	b := basin.Get(64)[:0]
	defer func() { basin.Put(b) }()
	for _, s := range in {
		b = basin.AppendString(b, s)
	}
	return len(b)
}

func LegalAfter(in []string) int {
	b := basin.Get(64)[:0]
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
