package advise

import (
	"strconv"
	"strings"
	"testing"
)

// TestReasonsOfRunOnce has memory that init functions make, and functions that a sync.Once calls. A sync.Once in a struct is one of
// many, and a goroutine of an init function may work for good.
func TestReasonsOfRunOnce(t *testing.T) {
	const (
		start = "do not pool; It is made once, when the program starts.$"
		first = "do not pool; It is made once, at its first use, by a sync.Once.$"
	)
	judged(t, `package p

import "sync"

var keep func([]byte)

func table(n int) []byte {
	b := make([]byte, n) // : `+start+`
	return b
}

var squares = table(9)

func both(n int) []byte {
	b := make([]byte, n) // : needs an owner
	return b
}

var cubes = both(9)

func Cubes(n int) []byte { return both(n) }

var (
	once  sync.Once
	cache []byte
)

func fill() {
	cache = make([]byte, 4096*len(squares)) // : `+first+`
}

func Cache() []byte {
	once.Do(fill)
	return cache
}

func refill() {
	cache = make([]byte, 4096*len(squares)) // : needs an owner
}

func Again() []byte {
	once.Do(refill)
	refill()
	return cache
}

var state struct {
	once sync.Once
	b    []byte
}

func State() []byte {
	state.once.Do(func() {
		state.b = make([]byte, 4096*len(squares)) // : `+first+`
	})
	return state.b
}

type request struct {
	once sync.Once
	b    []byte
}

func (r *request) body() []byte {
	r.once.Do(func() {
		r.b = make([]byte, 4096*len(squares)) // : needs an owner
	})
	return r.b
}

func value(n int) []byte {
	return sync.OnceValue(func() []byte {
		return make([]byte, n) // : needs an owner
	})()
}

func work() {
	for {
		b := make([]byte, 4096*len(squares)) // : needs an owner
		keep(b)
	}
}

func start() {
	go work()
}

var pools []*sync.Pool

func init() {
	for i := range 4 {
		pools = append(pools, &sync.Pool{New: func() any {
			b := make([]byte, 4096<<i) // : do not pool; It is pooled already; these are the Gets that its pool cannot serve.
			return &b
		}})
	}
}

var later []func() []byte

func init() {
	later = append(later, func() []byte {
		return make([]byte, 4096*len(squares)) // : needs an owner
	})
}

var started = func() bool { start(); return true }()
`, func(i int, s *synthetic) {
		if 4 <= i && i <= 6 {
			s.name += ".func1"
		}
		if i > 8 {
			s.name = strings.Replace(s.name, "init", "init."+strconv.Itoa(i-9), 1)
		}
	})
}
