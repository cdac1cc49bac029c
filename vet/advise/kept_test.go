package advise

import "testing"

// TestReasonsOfKept has memory in fields that is replaced only if it is too small, and other memory in fields.
func TestReasonsOfKept(t *testing.T) {
	const owner = "needs an owner; The memory leaves "
	kept := func(field, typ, makers string) string {
		return "needs an owner; It is reused already, while its struct lives: field " + field + " keeps it, and grows to the largest size. If each use makes a " +
			typ + ", in " + makers + ", pool that with its memory.$"
	}
	judged(t, `package p

import "slices"

type guarded struct{ buf []byte }

func newGuarded() *guarded {
	return &guarded{buf: make([]byte, 0, 64)}
}

func (x *guarded) fill(n int) []byte {
	if cap(x.buf) < n {
		x.buf = make([]byte, n) // : `+kept("guarded.buf", "guarded", "p.newGuarded (p.go:8)")+`
	}
	return x.buf[:n]
}

type backward struct{ buf []byte }

func newBackward() *backward { return &backward{} }

func (x *backward) fill(n int) []byte {
	if cap(x.buf) >= n {
		x.buf = make([]byte, n) // : `+owner+`
	}
	return x.buf[:n]
}

type always struct{ buf []byte }

func newAlways() *always { return &always{} }

func (x *always) fill(n int) []byte {
	x.buf = make([]byte, n) // : `+owner+`
	return x.buf
}

type cut struct{ buf []byte }

func newCut() *cut { return &cut{} }

func (x *cut) fill(s string) []byte {
	x.buf = append(x.buf[:0], s...) // : `+kept("cut.buf", "cut", "p.newCut (p.go:40)")+`
	return x.buf
}

type grown struct{ buf []byte }

type around struct{ g grown }

func newAround() *around { return &around{} }

func (x *around) fill(n int) {
	x.g.buf = slices.Grow(x.g.buf[:0], n) // slices.Grow: `+kept("grown.buf", "grown", "p.newAround (p.go:51)")+`
}

type later struct{ buf []byte }

func newLater() *later { return &later{} }

func (x *later) fill(s string) {
	x.buf = append(x.buf, s...) // : `+kept("later.buf", "later", "p.newLater (p.go:59)")+`
}

func (x *later) reset() { x.buf = x.buf[:0] }

type never struct{ buf []byte }

func newNever() *never { return &never{} }

func (x *never) fill(s string) {
	x.buf = append(x.buf, s...) // : `+owner+`
}

type cleared struct{ buf []byte }

func newCleared() *cleared { return &cleared{} }

func (x *cleared) fill(s string) {
	x.buf = append(x.buf[:0], s...) // : `+owner+`
}

func (x *cleared) reset() { x.buf = nil }

type whole struct{ buf []byte }

func newWhole() *whole { return &whole{} }

func (x *whole) fill(s string) {
	x.buf = append(x.buf[:0], s...) // : `+owner+`
}

func (x *whole) reset() { *x = whole{} }

type given struct{ buf []byte }

func newGiven(b []byte) *given { return &given{b} }

func (x *given) fill(s string) {
	x.buf = append(x.buf[:0], s...) // : `+owner+`
}

type collecting struct{ buf []byte }

func newCollecting() *collecting { return &collecting{} }

func (x *collecting) fill(b []byte) {
	if n := len(x.buf) + len(b); cap(x.buf) < n {
		more := make([]byte, len(x.buf), 2*n) // : `+owner+`
		copy(more, x.buf)
		x.buf = more
	}
	x.buf = append(x.buf, b...)
}

type single struct{ buf []byte }

var only single

func (x *single) fill(s string) []byte {
	x.buf = append(x.buf[:0], s...) // : do not pool; It is reused already: field single.buf keeps it, and grows to the largest size.$
	return x.buf
}

type sent struct{ buf []byte }

func newSent() *sent { return &sent{} }

func (x *sent) fill(n int, to chan []byte) {
	b := x.buf
	if cap(b) < n {
		b = make([]byte, n) // : `+owner+`
		x.buf = b
	}
	to <- b
}
`, nil)
}

// TestReasonsOfPoolFields has pools in fields of structs. Each use makes some of the structs; a program makes others when it starts.
func TestReasonsOfPoolFields(t *testing.T) {
	const miss = "do not pool; It is pooled already, by "
	judged(t, `package p

import "sync"

type request struct{ bufs sync.Pool }

func newRequest() *request { return new(request) }

func (r *request) buffer(n int) *[]byte {
	b, _ := r.bufs.Get().(*[]byte)
	if b == nil {
		list := make([]byte, n) // : `+miss+`request.bufs (p.go:5); these are the Gets that its pool cannot serve. Each request has a pool of its own: if each use makes one, in p.newRequest (p.go:7), declare the pool as a variable of the package.$
		b = &list
	}
	return b
}

type server struct{ bufs sync.Pool }

func newServer() *server { return new(server) }

var theServer = newServer()

func (s *server) buffer(n int) *[]byte {
	b, _ := s.bufs.Get().(*[]byte)
	if b == nil {
		list := make([]byte, n) // : `+miss+`server.bufs (p.go:18); these are the Gets that its pool cannot serve.$
		b = &list
	}
	return b
}

type shared struct{ bufs *sync.Pool }

func newShared(p *sync.Pool) *shared { return &shared{p} }

func (s *shared) buffer(n int) *[]byte {
	b, _ := s.bufs.Get().(*[]byte)
	if b == nil {
		list := make([]byte, n) // : `+miss+`shared.bufs (p.go:33); these are the Gets that its pool cannot serve.$
		b = &list
	}
	return b
}
`, nil)
}
