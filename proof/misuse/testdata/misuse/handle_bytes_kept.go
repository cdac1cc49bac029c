//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// render returns the contents of a handle that it has given back.
func renderBug() []byte {
	b := basin.GetBuffer()
	b.WriteString("<p>hello</p>")
	page := b.Bytes()
	basin.PutBuffer(b) // want: write after Put
	return page
}

func renderFixed() []byte {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	b.WriteString("<p>hello</p>")
	return append([]byte(nil), b.Bytes()...)
}

func init() {
	add("handle_bytes_kept", func() { renderBug()[1] = 'P' }, func() { renderFixed()[1] = 'P' })
}
