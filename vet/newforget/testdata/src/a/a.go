package a

import "sync"

type block struct{ n int }

var pool = sync.Pool{New: func() any { return new(block) }}

func forgotten() int {
	b := pool.New().(*block) // want `New instead of Get`
	defer pool.Put(b)
	return b.n
}

var other = sync.Pool{New: func() any { return new(block) }}

func legalFallback() int {
	v := other.Get()
	if v == nil {
		v = other.New()
	}
	b := v.(*block)
	defer other.Put(b)
	return b.n
}

func legalFill() {
	for range 10 {
		pool.Put(pool.New())
	}
	for range 10 {
		b := pool.New()
		pool.Put(b)
	}
}
