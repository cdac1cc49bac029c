//go:build go1.25

package misuse

import "github.com/basin-go/basin"

var sliceValues = basin.Pool[[]byte]{
	New:   func() []byte { return make([]byte, 0, 1024) },
	Reset: func(b []byte) []byte { return b[:0] },
}

// A Pool of slices gets one array twice: as Get returned it, and with contents appended.
func sliceValueBug() {
	b := sliceValues.Get()
	full := append(b, "contents"...)
	sliceValues.Put(full)
	sliceValues.Put(b) // want: double Put
}

func sliceValueFixed() {
	b := sliceValues.Get()
	b = append(b, "contents"...)
	sliceValues.Put(b)
}

func init() { add("slice_value_put_twice", sliceValueBug, sliceValueFixed) }
