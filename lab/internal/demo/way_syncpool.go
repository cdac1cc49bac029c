package demo

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// syncPool keeps bodies in bytes.Buffers from a sync.Pool.
var syncPool = way{name: "sync.Pool", forward: forwardSyncPool}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

func putBuffer(b *bytes.Buffer) {
	b.Reset()
	buffers.Put(b)
}

func forwardSyncPool(w http.ResponseWriter, body io.Reader) error {
	in := getBuffer()
	defer putBuffer(in)
	if _, err := in.ReadFrom(body); err != nil {
		return err
	}
	out := getBuffer()
	defer putBuffer(out)
	out.Grow(RewrittenLen(in.Bytes()))
	return Send(w, AppendRewritten(out.AvailableBuffer(), in.Bytes()))
}
