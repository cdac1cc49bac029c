package advise

import "testing"

// TestReasonsOfClose has constructors whose structs have memory until Close, or whose memory others may have.
func TestReasonsOfClose(t *testing.T) {
	const back = " Its last user would have to put it back."
	judged(t, `package p

import "io"

type conn struct {
	r   io.Reader
	buf []byte
}

func newConn(r io.Reader, n int) *conn {
	return &conn{r: r, buf: make([]byte, n)} // : needs an owner; The memory leaves newConn: it is returned from p.newConn.`+back+` It is in field conn.buf: a Put belongs in Close at p.go:14, and methods that run later must check that it is closed.$
}

func (c *conn) Close() error { return nil }

func (c *conn) fill() (int, error) { return c.r.Read(c.buf) }

type given struct{ buf []byte }

func newGiven(n int) *given {
	return &given{buf: make([]byte, n)} // : needs an owner; The memory leaves newGiven: it is returned from p.newGiven.`+back+`$
}

func (g *given) Close() {}

func (g *given) Bytes() []byte { return g.buf }

type open struct{ Buf []byte }

func newOpen(n int) *open {
	return &open{Buf: make([]byte, n)} // : needs an owner; The memory leaves newOpen: it is returned from p.newOpen.`+back+`$
}

func (o *open) Close() {}

type several struct{ buf []byte }

func newSeveral(n int) *several {
	return &several{buf: make([]byte, n)} // : needs an owner; The memory leaves newSeveral: it is returned from p.newSeveral.`+back+`$
}

func (s *several) Close() {}

func (s *several) Stop() {}

type endless struct{ buf []byte }

func newEndless(n int) *endless {
	return &endless{buf: make([]byte, n)} // : needs an owner; The memory leaves newEndless: it is returned from p.newEndless.`+back+`$
}

type resized struct{ buf []byte }

func (r *resized) grow(n int) {
	r.buf = make([]byte, n) // : needs an owner; The memory leaves (*resized).grow: it is stored in field resized.buf.`+back+`$
}

func (r *resized) Close() {}

type shared struct{ buf []byte }

var last []byte

func newShared(n int) *shared {
	s := &shared{buf: make([]byte, n)} // : needs an owner;
	last = s.buf
	return s
}

func (s *shared) Release() {}
`, nil)
}
