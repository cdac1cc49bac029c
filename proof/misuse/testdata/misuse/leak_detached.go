//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// length takes the contents out of a Buffer, and forgets them.
func lengthBug(text string) int {
	var b basin.Buffer
	b.WriteString(text)
	data := b.Detach() // want: leak
	return len(data)
}

func lengthFixed(text string) int {
	var b basin.Buffer
	b.WriteString(text)
	data := b.Detach()
	defer basin.Put(data)
	return len(data)
}

func init() { add("leak_detached", func() { lengthBug(part) }, func() { lengthFixed(part) }) }
