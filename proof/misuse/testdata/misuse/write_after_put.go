//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// wipe clears a key, but too late.
func wipeBug() {
	key := basin.Get(128)
	basin.Put(key) // want: write after Put
	clear(key)     // guard: faults
}

func wipeFixed() {
	key := basin.Get(128)
	clear(key)
	basin.Put(key)
}

func init() { add("write_after_put", wipeBug, wipeFixed) }
