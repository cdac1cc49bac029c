package a

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func put(b *bytes.Buffer) {
	b.Reset()
	pool.Put(b) // want `unlimited Put`
}

func legal(b *bytes.Buffer) {
	if b.Cap() > 1<<16 {
		return
	}
	b.Reset()
	pool.Put(b)
}

func legalArray(p *sync.Pool, a *[64]byte) { p.Put(a) }
