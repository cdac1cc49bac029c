package advise

import "testing"

// TestReasonsOfOverwritten has variables that get other memory before any use of the first, and some that use it.
func TestReasonsOfOverwritten(t *testing.T) {
	const (
		channel = "not judged; This is a channel, which is no buffer to reuse. Nearly all of it is its room for elements, of 8 B each, however many come: a smaller capacity needs less, and so does a channel that is kept."
		at      = ", on that path before any use of this one: make it only on the other.$"
		kept    = "needs an owner; The memory leaves "
		back    = " Its last user would have to put it back."
	)
	judged(t, `package p

func results(n int) chan int {
	c := make(chan int, 1000) // : `+channel+` Its variable gets another value at p.go:6`+at+`
	if n > 0 {
		c = make(chan int, n)
	}
	return c
}

func either(n int) (c chan int) {
	if n > 0 {
		c = make(chan int, n) // : `+channel+`$
	} else {
		c = make(chan int, 1000) // : `+channel+`$
	}
	return c
}

func used(n int) chan int {
	c := make(chan int, 1000) // : `+channel+`$
	c <- 1
	if n > 0 {
		c = make(chan int, n)
	}
	return c
}

func rounds(n int, f func(chan int)) {
	c := make(chan int, 1000) // : `+channel+`$
	for range n {
		f(c)
		c = make(chan int, n)
	}
}

func ended(n int) chan int {
	c := make(chan int, 1000) // : `+channel+`$
	if n > 0 {
		return make(chan int, n)
	}
	return c
}

func given(n int, other chan int) chan int {
	c := make(chan int, 1000) // : `+channel+`$
	if n > 0 {
		c = other
	}
	return c
}

func opened(n int, open func() chan int) chan int {
	other := open()
	c := make(chan int, 1000) // : `+channel+`$
	if n > 0 {
		c = other
	}
	return c
}

func list(n int) []string {
	all := make([]string, 256) // : `+kept+`list: it is returned from p.list.`+back+` Its variable gets another value at p.go:65`+at+`
	if n > 256 {
		all = make([]string, n)
	}
	return all
}

type options struct{ values [64]int }

func (o *options) clone() *options {
	c := *o
	return &c
}

func set(o *options) *options {
	c := &options{values: [64]int{1}} // : needs an owner; The memory leaves set: it is returned from p.set. Its last user would have to clear it and put it back: options has no method Reset of its own, and a pool hands out fields such as values as they were. Its variable gets another value at p.go:80`+at+`
	if o != nil {
		c = o.clone()
	}
	return c
}

func read(n int, o *options) *options {
	c := &options{values: [64]int{1}} // : needs an owner; The memory leaves read: it is returned from p.read. Its last user would have to clear it and put it back: options has no method Reset of its own, and a pool hands out fields such as values as they were.$
	if n > c.values[0] {
		c = o.clone()
	}
	return c
}
`, nil)
}
