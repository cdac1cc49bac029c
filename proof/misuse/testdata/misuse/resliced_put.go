//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// read cuts the capacity to the bytes read, so that nobody appends into the rest.
func readBug(n int) {
	b := basin.Get(4096)
	data := b[:n:n]
	basin.Put(data) // want: re-sliced Put
}

func readFixed(n int) {
	b := basin.Get(4096)
	data := b[:n:n]
	_ = data
	basin.Put(b)
}

func init() { add("resliced_put", func() { readBug(100) }, func() { readFixed(100) }) }
