package chain

import (
	"bytes"
	"io"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func get() *bytes.Buffer {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func put(b *bytes.Buffer) { pool.Put(b) }

type Chain struct{ body *bytes.Buffer }

func New(r io.Reader) *Chain {
	c := &Chain{body: get()}
	c.body.ReadFrom(r)
	return c
}

func (c *Chain) Body() []byte { return c.body.Bytes() }
func (c *Chain) Text() string { return c.body.String() }

func (c *Chain) Close() {
	put(c.body)
	c.body = nil
}

// FullBug writes everything into a buffer of its own and returns its bytes.
func FullBug(r io.Reader) []byte {
	b := get()
	defer put(b)
	b.WriteString("status\r\n")
	b.ReadFrom(r)
	return b.Bytes() // BUG
}

func FullLegal(r io.Reader) []byte {
	b := get()
	defer put(b)
	b.ReadFrom(r)
	return bytes.Clone(b.Bytes())
}
