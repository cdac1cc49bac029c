//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A packet is put without the header that was stripped from it.
func stripBug(pool *basin.FixedPool) {
	packet := pool.Get()
	packet = packet[14:]
	pool.Put(packet) // want: interior Put
}

func stripFixed(pool *basin.FixedPool) {
	packet := pool.Get()
	payload := packet[14:]
	_ = payload
	pool.Put(packet)
}

func init() {
	add("fixed_interior_put",
		func() { stripBug(&basin.FixedPool{Count: 4, Size: 1500}) },
		func() { stripFixed(&basin.FixedPool{Count: 4, Size: 1500}) })
}
