package a

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"sync"
)

type item struct {
	n   int
	buf []byte
}

var pool = sync.Pool{New: func() any { return new(item) }}

func release(i *item) {
	i.n = 0
	pool.Put(i)
}

func used() int {
	i := pool.Get().(*item)
	pool.Put(i)
	return i.n // want `use after Put: pool.Put\(i\) already put i`
}

func wrapped() int {
	i := pool.Get().(*item)
	release(i)
	return i.n // want `use after Put: release\(i\) already put i`
}

func logged(b *bytes.Buffer, p *sync.Pool) {
	p.Put(b)
	log.Printf("%s", b.Bytes()) // want `use after Put: p.Put\(b\) already put b`
}

func onOnePath(fail bool) int {
	i := pool.Get().(*item)
	if fail {
		pool.Put(i)
	}
	return i.n // want `use after Put`
}

func legalReturns(fail bool) int {
	i := pool.Get().(*item)
	if fail {
		pool.Put(i)
		return 0
	}
	defer pool.Put(i)
	return i.n
}

func legalExits(fail bool) int {
	i := pool.Get().(*item)
	if fail {
		pool.Put(i)
		os.Exit(1)
	}
	n := i.n
	pool.Put(i)
	return n
}

func legalSameCondition(fail bool) int {
	i := pool.Get().(*item)
	if fail {
		pool.Put(i)
	}
	fmt.Println()
	if !fail {
		return i.n
	}
	return 0
}

func legalFlag(ns []int) (sum int) {
	i := pool.Get().(*item)
	done := false
	for _, n := range ns {
		if n < 0 {
			pool.Put(i)
			done = true
			break
		}
	}
	if done {
		return 0
	}
	return i.n
}

func legalAnother() int {
	i := pool.Get().(*item)
	pool.Put(i)
	i = pool.Get().(*item)
	defer pool.Put(i)
	return i.n
}

func legalLoop(n int) (sum int) {
	for range n {
		i := pool.Get().(*item)
		sum += i.n
		pool.Put(i)
	}
	return sum
}

func legalNil(i *item) int {
	pool.Put(i)
	i = nil
	if i != nil {
		return i.n
	}
	return 0
}

func legalCounted(i *item, refs *int) int {
	*refs--
	if *refs == 0 {
		pool.Put(i)
	}
	return *refs
}

func legalLen(b []byte, p *sync.Pool) int {
	p.Put(b)
	return len(b)
}

func legalClosure(run func(func())) int {
	i := pool.Get().(*item)
	run(func() { pool.Put(i) })
	return i.n
}

// recycle puts i once nothing of it is left.
func recycle(i *item) bool {
	if i != nil && i.n <= 0 {
		pool.Put(i)
		return true
	}
	return false
}

func legalUnlessDone(other *int) {
	i := pool.Get().(*item)
	if done := recycle(i); done && other != nil {
		*other = 1
	} else if !done {
		i.n--
	}
}

type tables struct{ a, b *item }

func legalRounds(prev, cur *tables) {
	for n := range 2 {
		var p, c **item
		switch n {
		case 0:
			p, c = &prev.a, &cur.a
		case 1:
			p, c = &prev.b, &cur.b
		}
		if *p != nil {
			pool.Put(*p)
		}
		*p = *c
	}
}

func limited(q *bounded) int {
	s := []int{1}
	q.recycle(&s)
	return len(s) // want `after`
}

type bounded struct {
	pool sync.Pool
	max  int
}

func (q *bounded) recycle(s *[]int) {
	if cap(*s) > q.max {
		return
	}
	q.pool.Put(s)
}
