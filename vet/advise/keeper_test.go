package advise

import "testing"

// TestReasonsOfKeeper has functions that may keep memory. The reason names the call, and a function that surely keeps it comes first.
func TestReasonsOfKeeper(t *testing.T) {
	const back = " Its last user would have to put it back."
	judged(t, `package p

import (
	"io"
	"sync/atomic"
)

type store interface{ put(key string, value []byte) }

func method(s store, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave method: it is passed to method put of an interface, which may keep it.`+back+` The call is at p.go:12, with the memory as argument value.$
	s.put("key", b)
}

func Set(s store) { s.put("", nil) }

func post(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves post: it is passed to p.inner, where it is passed to (*atomic.Value).Store, which keeps it.`+back+`$
	inner(b)
}

func inner(b []byte) {
	shared.Store(b)
}

func value(f func(int, []byte), n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave value: it is passed to p.call, where it is passed to a function value, which may keep it.`+back+` The call is at p.go:32, with the memory as argument 2.$
	call(f, b)
}

func call(f func(int, []byte), b []byte) {
	f(1, b)
}

func Value(f func(int, []byte)) { value(f, 1) }

var last []byte

var shared atomic.Value

func later(f func(int, []byte), n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves later: it is stored in the variable last of the package.`+back+`$
	f(1, b)
	last = b
}

func written(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave written.
	w.Write(b)
}
`, nil)
}
