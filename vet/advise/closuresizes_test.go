package advise

import (
	"testing"
)

// TestReasonsOfClosureSizes has calls that get a function literal, and are of functions that capture a parameter, too.
func TestReasonsOfClosureSizes(t *testing.T) {
	const (
		literal  = "not judged; This is a function literal, which is no buffer to reuse.$"
		variable = "not judged; This is the variable n of (*p.inner).set, which is inlined here, which is no buffer to reuse.$"
	)
	judged(t, `package p

type inner struct{ run func(func()) }

func (q *inner) start(f func() error) {
	q.run(func() { f(); q.run(nil) })
}

func (q *inner) set(n [2]int, f func() error) {
	q.run(func() { n[0]++; f() })
}

type outer struct {
	inner inner
	ended bool
}

func (o *outer) start(f func(*outer) error) {
	o.inner.start(func() error { return f(o) }) // : `+literal+`
}

func (o *outer) name(s string) {
	o.inner.start(func() error { return f(s, o) }) // named: `+literal+`
}

func (o *outer) set() {
	o.inner.set([2]int{1}, g) // : `+variable+`
}

func f(string, *outer) error { return nil }

func g() error { return nil }
`, func(i int, s *synthetic) {
		size := []uint64{24, 32, 16}[i]
		s.std, s.objects = "", s.bytes/size
		s.bytes = s.objects * size
	})
}
