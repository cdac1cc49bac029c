//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A jumbo packet does not fit and is made on the heap, then put with the others.
func jumboBug(pool *basin.FixedPool, n int) {
	b := pool.Get()
	if n > len(b) {
		pool.Put(b)
		b = make([]byte, n)
	}
	pool.Put(b) // want: foreign Put
}

func jumboFixed(pool *basin.FixedPool, n int) {
	b := pool.Get()
	if n > len(b) {
		pool.Put(b)
		b = make([]byte, n)
		return
	}
	pool.Put(b)
}

func init() {
	add("fixed_foreign_put",
		func() { jumboBug(&basin.FixedPool{Count: 4, Size: 1500}, 9000) },
		func() { jumboFixed(&basin.FixedPool{Count: 4, Size: 1500}, 9000) })
}
