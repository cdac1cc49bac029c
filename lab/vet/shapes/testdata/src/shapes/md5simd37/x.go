// The pool's New is called where Get is meant.
package md5simd37

import (
	"crypto/md5"
	"hash"
	"sync"

	"github.com/basin-go/basin"
)

type server struct {
	pool sync.Pool
	vals basin.Pool[*[64]byte]
}

func newServer() *server {
	return &server{pool: sync.Pool{New: func() any { return new([64]byte) }}}
}

func (s *server) BugNew() byte {
	b := s.pool.New().(*[64]byte) // BUG
	defer s.pool.Put(b)
	return b[0]
}

func (s *server) BugBasin() byte {
	b := s.vals.New() // BUG
	c := b[0]
	s.vals.Put(b)
	return c
}

var digests = sync.Pool{New: func() any { return md5.New() }}

type digest struct{ hash.Hash }

func BugVariable() *digest { return &digest{digests.New().(hash.Hash)} } // BUG

func (d *digest) Close() {
	digests.Put(d.Hash)
	d.Hash = nil
}

func (s *server) LegalGet() byte {
	b := s.pool.Get().(*[64]byte)
	defer s.pool.Put(b)
	return b[0]
}

// Filling a pool beforehand is what New may be called for.
func (s *server) LegalFill(n int) {
	for range n {
		s.pool.Put(s.pool.New())
	}
}
