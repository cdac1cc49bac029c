package advise

import "testing"

// TestReasonsOfWriters has a Buffer that grows behind a writer from elsewhere, and not the one whose bytes are written.
func TestReasonsOfWriters(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"io"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type writers interface{ writer(w io.Writer) io.WriteCloser }

func packed(ws writers, b []byte) []byte {
	in := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(in)
	in.Write(b)
	out := &bytes.Buffer{}
	w := ws.writer(out)
	w.Write(in.Bytes()) // compress/gzip.(*Writer).Write, bytes.(*Buffer).Write, bytes.growSlice: needs an owner
	w.Close()
	return out.Bytes()
}
`, nil)
}
