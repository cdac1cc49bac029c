package b

import (
	"bytes"
	"io"
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { return new([64]byte) }}

func forgotten(skip bool) byte {
	b := pool.Get().(*[64]byte) // want `missing Put: a path from here`
	if skip {
		return 0
	}
	c := b[0]
	pool.Put(b)
	return c
}

func legal(skip bool) byte {
	b := pool.Get().(*[64]byte)
	defer pool.Put(b)
	if skip {
		return 0
	}
	return b[0]
}

var empty sync.Pool

func legalEmpty() int {
	b, ok := empty.Get().(*[64]byte)
	if !ok {
		return 0
	}
	defer empty.Put(b)
	return len(b)
}

func getEmpty() *[64]byte {
	b, ok := empty.Get().(*[64]byte)
	if !ok {
		return new([64]byte)
	}
	return b
}

func forgottenOfEmpty(skip bool) byte {
	b, ok := empty.Get().(*[64]byte) // want `missing Put: a path from here`
	if !ok {
		b = new([64]byte)
	}
	if skip {
		return 0
	}
	c := b[0]
	empty.Put(b)
	return c
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func legalLimited(s string) int {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteString(s)
	n := b.Len()
	if b.Cap() <= 1<<16 {
		b.Reset()
		buffers.Put(b)
	}
	return n
}

func legalLimitedEarly(s string) int {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteString(s)
	if n := b.Len(); b.Cap() > 1<<16 {
		return n
	}
	buffers.Put(b)
	return 0
}

func legalLimitedLater(s string) int {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() < 1<<16 {
			buffers.Put(b)
		}
	}()
	b.WriteString(s)
	return b.Len()
}

// The capacity has nothing to do with the Put.
func forgottenBesideCapacity(s string) int {
	b := buffers.Get().(*bytes.Buffer) // want `missing Put: a path from here`
	if b.Cap() < len(s) {
		b.Grow(len(s))
	}
	if s == "" {
		return 0
	}
	buffers.Put(b)
	return 1
}

func forgottenReading(r io.Reader) int {
	b, err := basin.ReadAll(r) // want `missing Put: a path from here`
	if err != nil {
		return 0
	}
	if len(b) == 0 {
		return 1
	}
	basin.Put(b)
	return 2
}

// A queue has the slices that the pool's pointers point at. It puts them with other pointers.
type queue struct {
	list  []byte
	pages *sync.Pool
}

func (q *queue) legalInField(b byte) {
	if q.list == nil {
		q.list = *(q.pages.Get().(*[]byte))
	}
	q.list = append(q.list, b)
}

func (q *queue) legalReturned() []byte {
	p := q.pages.Get().(*[]byte)
	return (*p)[:0]
}

func (q *queue) recycle(list *[]byte) {
	*list = (*list)[:0]
	q.pages.Put(list)
}

func (q *queue) lengthOnly() int {
	list := *(q.pages.Get().(*[]byte)) // want `missing Put`
	return len(list)
}
