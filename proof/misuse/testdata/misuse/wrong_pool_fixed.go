//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A packet of the default pool is put into a ring of packets made up front.
func ringBug(ring *basin.FixedPool) {
	packet := basin.Get(1500)
	ring.Put(packet) // want: Put into another pool
}

func ringFixed(ring *basin.FixedPool) {
	packet := ring.Get()
	ring.Put(packet)
}

func init() {
	add("wrong_pool_fixed",
		func() { ringBug(&basin.FixedPool{Count: 8, Size: 1500}) },
		func() { ringFixed(&basin.FixedPool{Count: 8, Size: 1500}) })
}
