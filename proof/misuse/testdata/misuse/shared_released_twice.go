//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// broadcast has each receiver release, and releases once too often itself.
func broadcastBug(receivers int) {
	m := basin.Default().NewShared(basin.Get(100))
	for range receivers {
		m.Retain().Release()
	}
	m.Release()
	m.Release() // want: use after release
}

func broadcastFixed(receivers int) {
	m := basin.Default().NewShared(basin.Get(100))
	for range receivers {
		m.Retain().Release()
	}
	m.Release()
}

func init() {
	add("shared_released_twice", func() { broadcastBug(3) }, func() { broadcastFixed(3) })
}
