package body

import (
	"bytes"
	"io"
	"sync"
)

var pool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 128)) }}

func Read(r io.Reader) *bytes.Buffer {
	b := pool.Get().(*bytes.Buffer)
	b.ReadFrom(r)
	return b
}

func Release(b *bytes.Buffer) {
	b.Reset()
	pool.Put(b)
}
