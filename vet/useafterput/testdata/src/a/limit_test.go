package a

import (
	"sync"
	"testing"
)

type queue struct {
	pool sync.Pool
	max  int
}

func (q *queue) recycle(s *[]int) {
	if cap(*s) > q.max {
		return
	}
	q.pool.Put(s)
}

func recycleSmall(q *queue, s *[]int) {
	if cap(*s) > 1024 {
		return
	}
	q.pool.Put(s)
}

// The test may have set the limit so that nothing is put.
func legalLimitInTest(q *queue) int {
	s := []int{1}
	q.recycle(&s)
	return len(s)
}

func constantLimit(q *queue) int {
	s := []int{1}
	recycleSmall(q, &s)
	return s[0] // want `after`
}

// The test looks at lengths after the package's own Put.
func legalLengthInTest(q *queue) int {
	s := []int{1}
	recycleSmall(q, &s)
	return len(s) + cap(s)
}

func recycleTwice(q *queue, t *testing.T) {
	s := []int{1}
	recycleSmall(q, &s)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	recycleSmall(q, &s)
	_ = s[0]
}

// It is called by a test that expects a panic.
func useAfter() {
	a := pool.Get().(*item)
	pool.Put(a)
	a.n++
}

func legalPanicInHelper(t *testing.T) {
	defer mustPanic(t)
	useAfter()
}

func legalSameInTest(t *testing.T) {
	a := pool.Get().(*item)
	pool.Put(a)
	b := pool.Get().(*item)
	if a.n != b.n {
		t.Fatal("another one")
	}
}

func legalPanicExpected(t *testing.T) {
	a := pool.Get().(*item)
	pool.Put(a)
	defer mustPanic(t)
	a.n++
}

func mustPanic(t *testing.T) {
	if recover() == nil {
		t.Fatal("no panic")
	}
}

func shouldPanic(f func()) { f() }

func legalPanicIn() {
	a := pool.Get().(*item)
	pool.Put(a)
	shouldPanic(func() { a.n++ })
}

func usedInTest() int {
	a := pool.Get().(*item)
	pool.Put(a)
	return a.n // want `use after Put`
}
