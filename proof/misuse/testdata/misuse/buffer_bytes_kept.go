//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// body frees a Buffer, and uses the result of Bytes afterwards.
func bodyBug() {
	var b basin.Buffer
	b.WriteString("a line\n")
	line := b.Bytes()
	b.Free()      // want: write after Put
	line[0] = 'A' // guard: faults
}

func bodyFixed() {
	var b basin.Buffer
	b.WriteString("a line\n")
	line := b.Bytes()
	line[0] = 'A'
	b.Free()
}

func init() { add("buffer_bytes_kept", bodyBug, bodyFixed) }
