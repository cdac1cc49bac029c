//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// encode makes room for a trailer. Grow has put the smaller slice.
func encodeBug() {
	b := basin.Get(64)
	defer func() { basin.Put(b) }() // want: double Put
	whole := basin.Grow(b, 100)
	basin.Put(whole)
}

func encodeFixed() {
	b := basin.Get(64)
	defer func() { basin.Put(b) }()
	b = basin.Grow(b, 100)
}

func init() { add("double_put_grown", encodeBug, encodeFixed) }
