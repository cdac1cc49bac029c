package wrappers

import (
	"bytes"
	"io"
	"sync"
)

// A pool with methods that only this package calls, made by position.
type Buffers struct{ pool *sync.Pool } // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`

var buffers = Buffers{&sync.Pool{New: func() any { return new(bytes.Buffer) }}}

func (p Buffers) get() *bytes.Buffer {
	b := p.pool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func (p Buffers) put(b *bytes.Buffer) { p.pool.Put(b) }

type pages struct {
	size int
	pool sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

var onlyPages = &pages{1, sync.Pool{New: func() any {
	b := make([]byte, kilobyte)
	return &b
}}}

func (p *pages) With(f func([]byte)) {
	b := p.pool.Get().(*[]byte)
	defer p.pool.Put(b)
	f(*b)
}

// A New that has a name.
var named = sync.Pool{New: newBuffer} // want `named becomes a basin.BufferPool`

const kilobyte = 1 << 10

func newBuffer() any { return bytes.NewBuffer(make([]byte, 0, 4*kilobyte)) }

func join(a, b string) string {
	buf := named.Get().(*bytes.Buffer)
	buf.Reset()
	defer named.Put(buf)
	buf.WriteString(a)
	buf.WriteString(b)
	return buf.String()
}

// A New with a variable that is no pointer.
var variable = sync.Pool{New: func() any { // want `variable becomes a basin.BufferPool`
	var b bytes.Buffer
	return &b
}}

func length(r *bytes.Reader) int {
	b := variable.Get().(*bytes.Buffer)
	b.Reset()
	b.ReadFrom(r)
	n := b.Len()
	variable.Put(b)
	return n
}

var literal = sync.Pool{New: func() any { // want `literal becomes a basin.Pool\[\*bytes.Buffer\]`
	b := bytes.Buffer{}
	b.Grow(100)
	return &b
}}

// A call in a call, and a function that gives back.
func nested(w io.Writer) func() {
	literal.Put(filled(literal.Get().(*bytes.Buffer)))
	b := literal.Get().(*bytes.Buffer)
	b.WriteTo(w)
	return func() { literal.Put(b) }
}

func filled(b *bytes.Buffer) *bytes.Buffer { b.WriteString("x"); return b }

var boxed = sync.Pool{New: func() any { return new([]byte) }} // want `boxed becomes a basin.Pool\[\*\[\]byte\]`

func unbox(w io.Writer) {
	b := *boxed.Get().(*[]byte)
	defer func() {
		b = b[:0]
		boxed.Put(&b)
	}()
	b = append(b, "text"...)
	w.Write(b)
}

// A buffer that is not empty is what New says.
var full = sync.Pool{New: func() any { // want `full becomes a basin.Pool\[\*bytes.Buffer\]`
	b := bytes.NewBufferString("full")
	return b
}}

func more() string {
	b := full.Get().(*bytes.Buffer)
	defer full.Put(b)
	return b.String()
}
