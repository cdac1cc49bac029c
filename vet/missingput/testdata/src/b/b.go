package b

import "sync"

var pool = sync.Pool{New: func() any { return new([64]byte) }}

func forgotten(skip bool) byte {
	b := pool.Get().(*[64]byte) // want `a path from here ends without a Put`
	if skip {
		return 0
	}
	c := b[0]
	pool.Put(b)
	return c
}

func legal(skip bool) byte {
	b := pool.Get().(*[64]byte)
	defer pool.Put(b)
	if skip {
		return 0
	}
	return b[0]
}
