//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// list keeps a slice of a Buffer that has to grow.
func listBug() {
	var b basin.Buffer
	defer b.Free()
	b.WriteString("head")
	head := b.Bytes()
	b.Write(make([]byte, 1000)) // want: write after Put
	head[0] = 'H'
}

func listFixed() {
	var b basin.Buffer
	defer b.Free()
	b.WriteString("head")
	b.Write(make([]byte, 1000))
	head := b.Bytes()
	head[0] = 'H'
}

func init() { add("buffer_bytes_grown", listBug, listFixed) }
