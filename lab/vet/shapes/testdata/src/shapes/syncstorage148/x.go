// A value marshals itself into a pooled buffer and returns its bytes.
package syncstorage148

import (
	"bytes"
	"strconv"
	"sync"

	"github.com/basin-go/basin"
)

var buffers = &sync.Pool{New: func() any { return &bytes.Buffer{} }}

type Record struct {
	ID   string
	Sort int
}

func (r *Record) BugJSON() ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString(`{"id":`)
	b.WriteString(strconv.Quote(r.ID))
	if r.Sort != 0 {
		b.WriteString(`,"sort":`)
		b.WriteString(strconv.Itoa(r.Sort))
	}
	b.WriteByte('}')
	return b.Bytes(), nil // BUG
}

func (r *Record) BugSlice() []byte {
	b := basin.Get(64)[:0]
	defer func() { basin.Put(b) }()
	b = basin.AppendString(b, r.ID)
	return b // BUG
}

func (r *Record) LegalJSON() ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString(strconv.Quote(r.ID))
	return bytes.Clone(b.Bytes()), nil
}

func (r *Record) LegalAppend(dst []byte) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString(r.ID)
	return append(dst, b.Bytes()...)
}

func (r *Record) LegalSlice() []byte {
	b := basin.Get(64)[:0]
	b = basin.AppendString(b, r.ID)
	return b
}
