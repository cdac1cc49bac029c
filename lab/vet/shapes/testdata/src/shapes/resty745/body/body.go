package body

import (
	"bytes"
	"sync"
)

type Request struct{ Buf *bytes.Buffer }

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func Acquire() *bytes.Buffer { return pool.Get().(*bytes.Buffer) }

func Release(b *bytes.Buffer) {
	if b != nil {
		b.Reset()
		pool.Put(b)
	}
}

func (r *Request) ReleaseBuf() {
	if r.Buf != nil {
		Release(r.Buf)
	}
}

func SendAndRelease(b *bytes.Buffer, send func([]byte) error) error {
	defer Release(b)
	return send(b.Bytes())
}
