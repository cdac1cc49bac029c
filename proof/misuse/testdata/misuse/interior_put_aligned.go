//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// halves splits a buffer. The second half looks like a buffer of half the size.
func halvesBug() {
	b := basin.Get(4096)
	header, body := b[:2048], b[2048:]
	_ = header
	basin.Put(body) // want: interior Put
}

func halvesFixed() {
	b := basin.Get(4096)
	header, body := b[:2048], b[2048:]
	_ = body
	basin.Put(header)
}

func init() { add("interior_put_aligned", halvesBug, halvesFixed) }
