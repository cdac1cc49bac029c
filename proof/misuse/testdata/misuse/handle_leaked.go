//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// format needs a handle and forgets it.
func formatBug() string {
	b := basin.GetBuffer() // want: leak
	b.WriteString("value")
	return b.String()
}

func formatFixed() string {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	b.WriteString("value")
	return b.String()
}

func init() { add("handle_leaked", func() { formatBug() }, func() { formatFixed() }) }
