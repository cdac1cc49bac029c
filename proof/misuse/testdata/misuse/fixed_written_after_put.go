//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A block is given back before its checksum is filled in.
func checksumBug(pool *basin.FixedPool) {
	b := pool.Get()
	pool.Put(b) // want: write after Put
	b[511] = 1
}

func checksumFixed(pool *basin.FixedPool) {
	b := pool.Get()
	b[511] = 1
	pool.Put(b)
}

var blocks = &basin.FixedPool{Count: 4, Size: 512}

func init() {
	add("fixed_written_after_put", func() { checksumBug(blocks) }, func() { checksumFixed(blocks) })
}
