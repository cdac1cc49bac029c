package a

import (
	"sync"

	"github.com/basin-go/basin"
)

func front(n int) {
	b := basin.Get(100)
	b = b[n:]
	basin.Put(b) // want `has been cut off`
}

func clipped(n int) {
	b := basin.Get(100)
	basin.Put(b[:n:n]) // want `the capacity of b has been cut`
}

func foreign(n int) {
	basin.Put(make([]byte, n)) // want `from no pool`
}

func array() {
	var a [64]byte
	basin.Put(a[:]) // want `from no pool`
}

func moved(parts []string) {
	b := basin.Get(64)[:0]
	for _, p := range parts {
		b = append(b, p...)
	}
	basin.Put(b) // want `append may have moved`
}

type server struct{ in, out *basin.BytePool }

func (s *server) other() {
	b := s.in.Get(10)
	s.out.Put(b) // want `wrong pool: b was taken from s.in and is put into s.out`
}

func fixed(f *basin.FixedPool) {
	f.Put(basin.Get(10)) // want `wrong pool: the memory was taken with basin.Get and is put into f`
}

func legalShort(n int) {
	b := basin.Get(100)
	b = b[:n]
	basin.Put(b)
}

func legalView(n int) byte {
	b := basin.Get(100)
	payload := b[n:]
	c := payload[0]
	basin.Put(b)
	return c
}

func (s *server) legal() {
	b := s.in.Get(10)
	s.in.Put(b)
}

func legalEnough(n int) {
	b := basin.Get(n)
	if cap(b) < n {
		b = make([]byte, n)
	}
	basin.Put(b)
}

// A FixedPool knows its buffers by where they are.
func legalClippedOfFixed(f *basin.FixedPool, n int) {
	b := f.Get()
	f.Put(b[:n:n])
}

func made(n int) {
	b := make([]byte, n, n)
	basin.Put(b) // want `b is from no pool`
}

func legalMade(n int) int {
	b := make([]byte, n, n)
	return len(b)
}

var slices sync.Pool

func otherType() {
	b := slices.Get().([]byte)
	slices.Put(&b) // want `wrong type: callers of Get expect \[\]byte, but \*\[\]byte is put into slices`
}
