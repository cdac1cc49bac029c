package a

import (
	"bytes"
	"sync"
)

// poolOf puts what a variable has, and empties the variable.
type poolOf[T any] struct{ p sync.Pool }

func (p *poolOf[T]) get() *T { return p.p.Get().(*T) }

func (p *poolOf[T]) put(r **T) {
	p.p.Put(*r)
	*r = nil
}

var bufs = poolOf[bytes.Buffer]{p: sync.Pool{New: func() any { return new(bytes.Buffer) }}}

var slices sync.Pool

func putSlice(b *[]byte) {
	if b == nil || *b == nil {
		return
	}
	slices.Put((*b)[:0])
	*b = nil
}

func legalEmptied(s string) int {
	b := bufs.get()
	b.WriteString(s)
	n := b.Len()
	bufs.put(&b)
	if b != nil {
		panic("not nil")
	}
	return n
}

func legalAgain(ss []string) (n int) {
	var b *bytes.Buffer
	for _, s := range ss {
		if b == nil {
			b = bufs.get()
		}
		b.WriteString(s)
		if b.Len() > 100 {
			n += b.Len()
			bufs.put(&b)
		}
	}
	if b != nil {
		n += b.Len()
		bufs.put(&b)
	}
	return n
}

type conn struct {
	buf  *bytes.Buffer
	data []byte
}

func (c *conn) legalField() {
	bufs.put(&c.buf)
	putSlice(&c.data)
	if c.buf != nil {
		c.buf.Reset()
	}
	c.data = append(c.data, 1)
	putSlice(&c.data)
}

func (c *conn) legalDeferred() {
	defer bufs.put(&c.buf)
	c.buf = bufs.get()
	c.buf.WriteByte('x')
}

func another(s string) string {
	b := bufs.get()
	c := b
	b.WriteString(s)
	bufs.put(&b)
	return c.String() // want `use after Put: bufs.put\(&b\) already put b`
}

func (c *conn) view() byte {
	d := c.data
	putSlice(&c.data)
	return d[0] // want `use after Put: putSlice\(&c.data\) already put c.data`
}

// One Put, one report.
func oftenAfter(b *bytes.Buffer) string {
	pool.Put(b)
	b.WriteByte('x') // want `use after Put: pool.Put\(b\) already put b`
	b.WriteByte('y')
	if b.Len() > 1 {
		return "none"
	}
	return b.String()
}
