//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// scratch is pooled only if it is large.
func scratchBug(n int) {
	var b []byte
	if n > 1000 {
		b = basin.Get(n)
	} else {
		b = make([]byte, n)
	}
	basin.Put(b) // want: foreign Put
}

func scratchFixed(n int) {
	b := basin.Get(n)
	basin.Put(b)
}

func init() { add("foreign_make", func() { scratchBug(512) }, func() { scratchFixed(512) }) }
