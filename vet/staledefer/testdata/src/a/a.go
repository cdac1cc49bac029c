package a

import (
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { return make([]int, 0, 8) }}

func grown(in []int) int {
	s := pool.Get().([]int)
	defer pool.Put(s) // want `append may move it`
	for _, n := range in {
		s = append(s, n)
	}
	return len(s)
}

func recycled(p []byte) int {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return len(b)
}

func cleared(keep func([]byte) bool) {
	b := basin.Get(8)
	defer basin.Put(b) // want `set to nil later`
	if keep(b) {
		b = nil
	}
}

func another(n int) int {
	b := basin.Get(8)
	defer basin.Put(b) // want `another value afterwards`
	if n > 8 {
		b = basin.Get(n)
	}
	return len(b)
}

func legalClosure(p []byte) int {
	b := basin.Get(8)
	defer func() { basin.Put(b) }()
	b = basin.Append(b, p...)
	return len(b)
}

func legalResliced(n int) int {
	b := basin.Get(8)
	defer basin.Put(b)
	b = b[:n]
	return len(b)
}

func legalBefore(p []byte) int {
	b := basin.Get(8)
	b = basin.Append(b, p...)
	defer basin.Put(b)
	return len(b)
}

func legalOtherBranch(p []byte, short bool) int {
	b := basin.Get(8)
	if short {
		defer basin.Put(b)
	} else {
		b = basin.Append(b, p...)
		defer basin.Put(b)
	}
	return len(b)
}

func legalDelete(i int) {
	s := pool.Get().([]int)
	defer pool.Put(s)
	s = append(s[:i], s[i+1:]...)
	_ = s
}

func legalTwo(n int) {
	b := basin.Get(8)
	defer basin.Put(b)
	b = basin.Get(n)
	basin.Put(b)
}

func legalSized(all []int, skip func(int) bool) int {
	s := sizedPool(len(all))
	defer pool.Put(s)
	for i := range all {
		if !skip(i) {
			s = append(s, all[i:i+1]...)
		}
	}
	return len(s)
}

func sizedPool(n int) []int {
	if s, ok := pool.Get().([]int); ok && cap(s) >= n {
		return s[:0]
	}
	return make([]int, 0, n)
}

type table struct{ rows []int }

func fill([]int) int { return 0 }

func outgrown() int {
	t := pool.Get().(*table)
	defer pool.Put(t) // want `a longer one replaces it`
	for {
		if n := fill(t.rows); n < len(t.rows) {
			return n
		}
		t = newTable(2 * len(t.rows))
	}
}

func newTable(n int) *table { return &table{make([]int, n)} }

func legalOutgrownPut() int {
	t := pool.Get().(*table)
	defer pool.Put(t)
	for {
		if n := fill(t.rows); n < len(t.rows) {
			return n
		}
		t = newTable(2 * len(t.rows))
		pool.Put(t)
	}
}

func legalCopied(n int) {
	s := pool.Get().([]int)
	defer pool.Put(s)
	for range n {
		s = append(make([]int, 0, 2*len(s)), s...)
	}
}
