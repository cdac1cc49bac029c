package advise

import "testing"

// TestReasonsOfSizedPools has a pool of pools, one for each size, of values of any type.
func TestReasonsOfSizedPools(t *testing.T) {
	judged(t, `package p

import (
	"bufio"
	"sync"
)

type Pool[T any] struct{ pools map[int]*sync.Pool }

func New[T any](all ...int) *Pool[T] {
	p := &Pool[T]{pools: map[int]*sync.Pool{}}
	for _, n := range all {
		p.pools[n] = new(sync.Pool)
	}
	return p
}

func (p *Pool[T]) Get(size int) (T, int) {
	var zero T
	pool := p.pools[size]
	if pool == nil {
		return zero, size
	}
	x, _ := pool.Get().(T)
	return x, size
}

func (p *Pool[T]) Put(x T, size int) {
	if pool := p.pools[size]; pool != nil {
		pool.Put(x)
	}
}

var readers = New[*bufio.Reader](256, 65536)

func GetReader(size int) *bufio.Reader {
	r, n := readers.Get(size)
	if r == nil {
		return bufio.NewReaderSize(nil, n) // bufio.NewReaderSize: do not pool; It is pooled already, by one of Pool.pools (p.go:8); these are the Gets that its pool cannot serve.
	}
	return r
}

var bytes = New[*[]byte](128, 65536)

func GetBytes(n int) *[]byte {
	b, c := bytes.Get(n)
	if b == nil {
		b := make([]byte, n, c) // : do not pool; It is pooled already
		return &b
	}
	*b = (*b)[:n]
	return b
}

type cache[T any] struct{ values map[int]T }

func (c *cache[T]) Get(size int) (T, int) { return c.values[size], size }

func (c *cache[T]) Put(x T, size int) { c.values[size] = x }

var cached cache[*bufio.Reader]

func Cached(size int) *bufio.Reader {
	r, n := cached.Get(size)
	if r == nil {
		r = bufio.NewReaderSize(nil, n) // bufio.NewReaderSize: needs an owner
		cached.Put(r, n)
	}
	return r
}
`, nil)
}
