// Package types has pools of values with one type, some of them generic, beside pools that get another type.
package types

import (
	"bufio"
	"bytes"
	"sync"
)

// Box is a pool of one type, which each of its variables chooses.
type Box[T any] struct {
	p   sync.Pool
	New func() *T
}

func (b *Box[T]) Take() *T {
	if v := b.p.Get(); v != nil {
		return v.(*T)
	}
	return b.New()
}

func (b *Box[T]) Give(v *T) { b.p.Put(v) }

type Embedded[T any] struct{ sync.Pool }

func (b *Embedded[T]) Take() *T { return b.Get().(*T) }

type Slices[T any] struct{ sync.Pool }

func (s *Slices[T]) Take() []T { return *s.Get().(*[]T) }

type Pointed[K comparable, V any] struct{ p *sync.Pool }

func (b *Pointed[K, V]) Take() map[K]V { return b.p.Get().(map[K]V) }

type Pair[A, B any] struct {
	a A
	b B
}

type Pairs[A, B any] struct{ p sync.Pool }

func (b *Pairs[A, B]) Take() *Pair[A, B] { return b.p.Get().(*Pair[A, B]) }

type outer struct {
	ints  Box[int]
	texts Embedded[bytes.Buffer]
}

var (
	ints    Box[int]
	buffers = Embedded[bytes.Buffer]{sync.Pool{New: func() any { return new(bytes.Buffer) }}}
	bytess  Slices[byte]
	maps    = Pointed[string, int]{p: new(sync.Pool)}
	pairs   Pairs[string, int]
)

func legalDirect(n *int) { ints.p.Put(n) }

func legalEmbedded() {
	b := buffers.Take()
	b.Reset()
	buffers.Put(b)
}

func legalEmbeddedDeferred() {
	b := buffers.Take()
	defer buffers.Put(b)
}

func legalSlices(b []byte) { bytess.Put(&b) }

func legalMaps() {
	m := maps.Take()
	clear(m)
	maps.p.Put(m)
}

func legalPairs() {
	p := pairs.Take()
	pairs.p.Put(p)
}

func (o *outer) legalNested(n *int, b *bytes.Buffer) {
	o.ints.p.Put(n)
	o.texts.Put(b)
}

func legalLocal() {
	var b Embedded[bufio.Reader]
	r := b.Take()
	b.Put(r)
}

func fill[T any](b *Box[T], v *T) { b.p.Put(v) }

func legalInFunction() { fill(&ints, new(int)) }

// Two variables of one struct may have other types in their pools.
type counted struct {
	sync.Pool
	n int
}

var bufs, readers counted

func legalCounted() {
	b := bufs.Get().(*bytes.Buffer)
	bufs.Put(b)
	r := readers.Get().(*bufio.Reader)
	readers.Put(r)
}

var onlyGets, onlyPuts counted

func legalApart(r *bufio.Reader) {
	_ = onlyGets.Get().(*bytes.Buffer)
	onlyPuts.Put(r)
}

func swapped() {
	b := bufs.Get().(*bytes.Buffer)
	readers.Put(b) // want `wrong type: callers of Get expect \*bufio.Reader, but \*bytes.Buffer is put into readers`
}

// The values of this pool are told apart elsewhere.
var mixed sync.Pool

func legalMixed() int {
	switch v := mixed.Get().(type) {
	case *bytes.Buffer:
		mixed.Put(new(bufio.Reader))
		return v.Len()
	case *bufio.Reader:
		return v.Size()
	default:
		return 0
	}
}

var anything sync.Pool

func look(v any) bool { _, ok := v.(*bufio.Reader); return ok }

func legalPassedOn() bool {
	_ = anything.Get().(*bytes.Buffer)
	anything.Put(new(bufio.Reader))
	return look(anything.Get())
}

func getFrom[T any](p *sync.Pool) T { return p.Get().(T) }

var given sync.Pool

func legalGiven() {
	_ = given.Get().(*bytes.Buffer)
	_ = getFrom[*bufio.Reader](&given)
	given.Put(new(bufio.Reader))
}

var either = new(sync.Pool)

func legalReplaced() {
	_ = either.Get().(*bytes.Buffer)
	either = &sync.Pool{New: func() any { return new(bufio.Reader) }}
	either.Put(new(bufio.Reader))
}

// Shown may be used by other packages, too.
var Shown sync.Pool

func legalShown() {
	_ = Shown.Get().(*bytes.Buffer)
	Shown.Put(new(bufio.Reader))
}

type Visible struct{ sync.Pool }

func (v *Visible) legalShown() {
	_ = v.Get().(*bytes.Buffer)
	v.Put(new(bufio.Reader))
}

type conn struct{ bufs sync.Pool }

func (c *conn) get() *bytes.Buffer { return c.bufs.Get().(*bytes.Buffer) }

func (c *conn) value() {
	b := c.get()
	c.bufs.Put(*b) // want `wrong type: callers of Get expect \*bytes.Buffer, but bytes.Buffer is put into c.bufs`
}

var byPointer = &sync.Pool{New: func() any { return new([]byte) }}

func pointer() {
	b := byPointer.Get().(*[]byte)
	byPointer.Put(*b) // want `wrong type: callers of Get expect \*\[\]byte, but \[\]byte is put into byPointer`
}

func pointerDeferred() {
	b, _ := byPointer.Get().(*[]byte)
	defer byPointer.Put(*b) // want `wrong type`
}

type stack struct{ frames [8]*int }

type machine struct{ stacks struct{ free sync.Pool } }

func (m *machine) run() {
	s, ok := m.stacks.free.Get().(*stack)
	if !ok {
		s = new(stack)
	}
	m.stacks.free.Put(*s) // want `wrong type`
}

var small, large = sync.Pool{New: func() any { return new([64]byte) }}, sync.Pool{New: func() any { return new([128]byte) }}

func other() {
	b := small.Get().(*[64]byte)
	large.Put(b) // want `wrong type: callers of Get expect \*\[128\]byte, but \*\[64\]byte is put into large`
}

var lazy = sync.Pool{New: func() any {
	if len(maps.p.Get().(map[string]int)) > 0 {
		return nil
	}
	return new([64]byte)
}}

func legalSometimesNil() { lazy.Put(new([128]byte)) }

type request struct{ id int }
type response struct{ id int }

type server struct{ requests, responses, filled, given sync.Pool }

func newServer() *server {
	s := &server{requests: sync.Pool{New: func() any { return new(request) }}, responses: sync.Pool{New: func() any { return new(response) }}}
	s.filled.New = newResponse
	return s
}

func newResponse() any { return new(response) }

func (s *server) serve() int {
	q := s.requests.Get().(*request)
	r := s.requests.Get().(*response) // want `wrong type: nothing of type \*response is put into requests, and its New makes none`
	defer s.requests.Put(q)
	defer s.responses.Put(r)
	return q.id + r.id
}

func (s *server) serveLegal() int {
	q := s.requests.Get().(*request)
	defer s.requests.Put(q)
	r, ok := s.filled.Get().(*response)
	if other, isRequest := s.requests.Get().(*response); isRequest && ok {
		return other.id
	}
	g := s.given.Get().(*response)
	defer s.given.Put(g)
	return q.id + r.id + g.id
}
