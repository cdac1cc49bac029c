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

var pages = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

func legalAsGot(read func([]byte) int) int {
	p := pages.Get().(*[]byte)
	defer pages.Put(p)
	n := read(*p)
	for _, b := range (*p)[:n] {
		n += int(b)
	}
	return n + int((*p)[0])
}

func legalSlice(read func([]byte) int) int {
	b := pages.Get().([]byte)
	defer pages.Put(b)
	return read(b[1:]) + len(b)
}

func set(b byte) {
	p := pages.Get().(*[]byte)
	*p = append((*p)[:0], b)
	pages.Put(p) // want `unlimited Put`
}

func passed(fill func(*[]byte)) {
	p := pages.Get().(*[]byte)
	fill(p)
	pages.Put(p) // want `unlimited Put`
}

func grown(b byte) {
	p := pages.Get().([]byte)
	p = append(p, b)
	pages.Put(p) // want `unlimited Put`
}

func addressed(fill func(*[]byte)) {
	p := pages.Get().([]byte)
	fill(&p)
	pages.Put(p) // want `unlimited Put`
}

func given(p *[]byte) {
	pages.Put(p) // want `unlimited Put`
}

func second(n int) {
	p := pages.Get().(*[]byte)
	q := p
	*q = make([]byte, n)
	pages.Put(p) // want `unlimited Put`
}
