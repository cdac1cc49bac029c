package a

import (
	"bytes"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `never put: nothing is put into buffers, so each Get allocates`

func length(p []byte) int {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	b.Write(p)
	return b.Len()
}

var legal = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func legalLength(p []byte) int {
	b := legal.Get().(*bytes.Buffer)
	defer legal.Put(b)
	b.Reset()
	b.Write(p)
	return b.Len()
}

// Exported is a pool that others may put into.
var Exported = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Take leaves the Put to its caller.
func Take() *bytes.Buffer { return Exported.Get().(*bytes.Buffer) }

var passed = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func legalPassed() {
	b := passed.Get().(*bytes.Buffer)
	giveBack(&passed, b)
}

func giveBack(p *sync.Pool, b *bytes.Buffer) { p.Put(b) }

var elsewhere = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func legalElsewhere() *bytes.Buffer { return elsewhere.Get().(*bytes.Buffer) } // a file for another system puts

type server struct {
	lines sync.Pool // want `never put: nothing is put into lines`
	words *sync.Pool
}

func (s *server) line() []byte { return *s.lines.Get().(*[]byte) }

func (s *server) word() *[]byte     { return s.words.Get().(*[]byte) }
func (s *server) done(word *[]byte) { s.words.Put(word) }

// A conn has its buffer in r, and puts b.
type conn struct {
	r, b *bytes.Buffer
	set  *bytes.Buffer
	Own  *bytes.Buffer
	addr *bytes.Buffer
}

func open() *conn {
	c := &conn{r: legal.Get().(*bytes.Buffer), set: legal.Get().(*bytes.Buffer)}
	fill(&c.addr)
	return c
}

func fill(b **bytes.Buffer) { *b = new(bytes.Buffer) }

func (c *conn) close() {
	legal.Put(c.b) // want `never set: no code sets the field b, so this Put never puts any memory`
	legal.Put(c.set)
	legal.Put(c.Own) // others set it
	legal.Put(c.addr)
}

func (c *conn) closeAgain() {
	legal.Put(c.b) // one report is enough
}

type converted struct{ b *bytes.Buffer }

type plain struct{ b *bytes.Buffer }

func (p plain) close() { c := converted(p); legal.Put(c.b) }

func makePlain() plain { return plain{new(bytes.Buffer)} }

type unset struct{ b *bytes.Buffer }

// close only ever finds nil.
func (u *unset) close() {
	if u.b != nil {
		legal.Put(u.b) // want `never set: no code sets the field b`
		u.b = nil
	}
}

func newUnset() *unset { return &unset{} }

type legalUnset struct{ b *bytes.Buffer }

func (u *legalUnset) close() {
	if u.b != nil {
		legal.Put(u.b)
		u.b = nil
	}
}

func newLegalUnset() *legalUnset { return &legalUnset{b: legal.Get().(*bytes.Buffer)} }
