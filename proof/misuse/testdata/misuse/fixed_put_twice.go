//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A sector is written back twice.
func sectorBug(pool *basin.FixedPool) {
	a, b := pool.Get(), pool.Get()
	pool.Put(a)
	pool.Put(b)
	pool.Put(a) // want: double Put
}

func sectorFixed(pool *basin.FixedPool) {
	a, b := pool.Get(), pool.Get()
	pool.Put(a)
	pool.Put(b)
}

func init() {
	add("fixed_put_twice",
		func() { sectorBug(&basin.FixedPool{Count: 16, Size: 512}) },
		func() { sectorFixed(&basin.FixedPool{Count: 16, Size: 512}) })
}
