//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// join appends beyond the capacity, so append moves the slice to an array of the heap.
func joinBug(parts ...string) {
	b := basin.Get(64)[:0] // want: leak
	for _, p := range parts {
		b = append(b, p...)
	}
	basin.Put(b) // want: foreign Put
}

func joinFixed(parts ...string) {
	b := basin.Get(64)[:0]
	for _, p := range parts {
		b = basin.AppendString(b, p)
	}
	basin.Put(b)
}

const part = "0123456789012345678901234567890123456789012345678901234567890123456789"

func init() {
	add("foreign_append", func() { joinBug(part, part) }, func() { joinFixed(part, part) })
}
