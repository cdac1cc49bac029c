//go:build go1.25

package misuse

import (
	"io"

	"github.com/basin-go/basin"
)

// The answer is sent after the handle was put. Without checks, it may be the next user's.
func handleReadBug() {
	b := basin.GetBuffer()
	b.WriteString("an answer")
	basin.PutBuffer(b)
	io.Discard.Write(b.Bytes()) // want: use after release
}

func handleReadFixed() {
	b := basin.GetBuffer()
	b.WriteString("an answer")
	io.Discard.Write(b.Bytes())
	basin.PutBuffer(b)
}

func init() { add("handle_read_after_put", handleReadBug, handleReadFixed) }
