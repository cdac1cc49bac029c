// A field is set to the bytes of a buffer, then the buffer is put.
package nuclei6420

import (
	"bytes"
	"sync"

	"github.com/valyala/bytebufferpool"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type Event struct {
	Raw  []byte
	Text string
}

func BugField(e *Event, parts [][]byte) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	for _, p := range parts {
		b.Write(p)
	}
	e.Raw = b.Bytes() // BUG
	pool.Put(b)       // ALSO
}

func BugByteBuffer(e *Event, parts [][]byte) {
	b := bytebufferpool.Get()
	for _, p := range parts {
		b.Write(p)
	}
	e.Raw = b.B           // BUG
	bytebufferpool.Put(b) // ALSO
}

func LegalString(e *Event, parts [][]byte) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	for _, p := range parts {
		b.Write(p)
	}
	e.Text = b.String()
	pool.Put(b)
}

func LegalReplaced(e *Event, parts [][]byte) {
	b := bytebufferpool.Get()
	for _, p := range parts {
		b.Write(p)
	}
	e.Raw = append(e.Raw[:0], b.B...)
	bytebufferpool.Put(b)
}

// The field is emptied again before the buffer is put.
func LegalForTheMoment(e *Event, parts [][]byte, use func(*Event)) {
	b := bytebufferpool.Get()
	for _, p := range parts {
		b.Write(p)
	}
	e.Raw = b.B
	use(e)
	e.Raw = nil
	bytebufferpool.Put(b)
}
