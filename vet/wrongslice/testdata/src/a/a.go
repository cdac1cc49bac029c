package a

import "github.com/basin-go/basin"

func front(n int) {
	b := basin.Get(100)
	b = b[n:]
	basin.Put(b) // want `lacks its front`
}

func clipped(n int) {
	b := basin.Get(100)
	basin.Put(b[:n:n]) // want `lost a part of its capacity`
}

func foreign(n int) {
	basin.Put(make([]byte, n)) // want `no memory of a pool`
}

func array() {
	var a [64]byte
	basin.Put(a[:]) // want `no memory of a pool`
}

func moved(parts []string) {
	b := basin.Make(64)
	for _, p := range parts {
		b = append(b, p...)
	}
	basin.Put(b) // want `append may have moved`
}

type server struct{ in, out *basin.BytePool }

func (s *server) other() {
	b := s.in.Get(10)
	s.out.Put(b) // want `came from another pool`
}

func fixed(f *basin.FixedPool) {
	f.Put(basin.Get(10)) // want `came from another pool`
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
