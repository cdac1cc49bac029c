// What is left of a segment after reading is put.
package yamux47

import (
	pool "github.com/libp2p/go-buffer-pool"

	"github.com/basin-go/basin"
)

type segments struct {
	b   [][]byte
	cap int
}

func (s *segments) append(n int) { s.b = append(s.b, pool.Get(n)) }

func (s *segments) BugRead(p []byte) int {
	data := s.b[0]
	n := copy(p, data)
	if n < len(data) {
		s.b[0] = data[n:]
	} else {
		pool.Put(s.b[0][n:]) // BUG
		s.b = s.b[1:]
	}
	return n
}

func BugFront(p []byte) int {
	data := pool.Get(64)
	n := copy(p, data)
	data = data[n:]
	pool.Put(data) // BUG
	return n
}

func BugBasin(p []byte) {
	b := basin.Get(128)
	copy(p, b[2:])
	basin.Put(b[2:]) // BUG
}

func BugClipped(p []byte) {
	b := basin.Get(128)
	b = b[:16:16]
	copy(p, b)
	basin.Put(b) // BUG
}

type reader struct {
	data []byte
	off  int
}

func newReader(n int) *reader { return &reader{data: pool.Get(n)} }

func (r *reader) LegalRead(p []byte) int {
	n := copy(p, r.data[r.off:])
	r.off += n
	if r.off == len(r.data) {
		pool.Put(r.data)
		r.data = nil
	}
	return n
}

func LegalFront(p []byte) int {
	whole := pool.Get(64)
	data := whole[8:]
	n := copy(p, data)
	pool.Put(whole)
	return n
}

func LegalZero(p []byte) {
	b := basin.Get(128)
	copy(p, b)
	basin.Put(b[0:])
}

func LegalShort(p []byte) {
	b := basin.Get(128)
	copy(p, b)
	basin.Put(b[:2])
}
