//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A server has a pool for input and one for output.
type server struct{ in, out *basin.BytePool }

func newServer() server {
	return server{&basin.BytePool{Name: "in"}, &basin.BytePool{Name: "out"}}
}

func (s server) echoBug() {
	b := s.in.Get(2000)
	s.out.Put(b) // want: Put into another pool
}

func (s server) echoFixed() {
	b := s.in.Get(2000)
	s.in.Put(b)
}

func init() {
	add("wrong_pool", func() { newServer().echoBug() }, func() { newServer().echoFixed() })
}
