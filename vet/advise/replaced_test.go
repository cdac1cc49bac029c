package advise

import "testing"

// TestReasonsOfReplaced has slices of structs from a pool, which new ones replace at each use, or only where they are too small.
func TestReasonsOfReplaced(t *testing.T) {
	const each = "do not pool; It replaces the memory of a value from a pool, scratches (p.go:10), at each use: make it only where that is too small.$"
	judged(t, `package p

import "sync"

type scratch struct {
	b    []byte
	used bool
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) fits(n int) bool { return cap(s.b) >= n }

func always(n int, keep func([]byte)) {
	s := scratches.Get().(*scratch)
	s.b = make([]byte, n) // : `+each+`
	keep(s.b)
	scratches.Put(s)
}

func sized(n int, keep func([]byte)) {
	if n > 0 {
		s := scratches.Get().(*scratch)
		s.b = make([]byte, 0, n) // : `+each+`
		keep(s.b)
		scratches.Put(s)
	}
}

func asked(n int, keep func([]byte)) {
	s := scratches.Get().(*scratch)
	if !s.fits(n) {
		s.b = make([]byte, n) // : `+lentText("scratches (p.go:10)")+`
	}
	keep(s.b)
	scratches.Put(s)
}

func marked(n int, keep func([]byte)) {
	s := scratches.Get().(*scratch)
	if !s.used {
		s.b = make([]byte, n) // : `+lentText("scratches (p.go:10)")+`
	}
	keep(s.b)
	scratches.Put(s)
}

func called(s *scratch, n int) {
	s.b = make([]byte, n) // : `+lentText("scratches (p.go:10)")+`
}

func calls(n int, keep func([]byte)) {
	s := scratches.Get().(*scratch)
	if n > 10 {
		called(s, n)
	}
	keep(s.b)
	scratches.Put(s)
}
`, nil)
}
