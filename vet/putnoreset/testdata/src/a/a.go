package a

import (
	"bytes"
	"sync"
)

var pool, clean = sync.Pool{New: func() any { return new(bytes.Buffer) }}, sync.Pool{New: func() any { return new(bytes.Buffer) }}

func forgotten() string {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b) // want `missing Reset`
	b.WriteString("x")
	return b.String()
}

func legal() string {
	b := clean.Get().(*bytes.Buffer)
	defer clean.Put(b)
	b.Reset()
	b.WriteString("x")
	return b.String()
}
