//go:build go1.25

package basinio

import "github.com/basin-go/basin"

// An errand is a Get on another goroutine, whose stack ends with it. Errands are used again, so that
// one costs no allocation.
type errand struct {
	pool *basin.BytePool
	size int

	buf    []byte // result
	panics any    // or a panic
	done   chan struct{}
	run    func() // the method get, made once

	next *errand // in errands
}

// maxErrands is the most unused errands that stay. Only those under way at one time are needed, and
// these are few, because a new goroutine runs next.
const maxErrands = 64

// errands are the unused errands.
var errands struct {
	spin
	first *errand
	n     int
}

func newErrand(p *basin.BytePool) *errand {
	errands.lock()
	e := errands.first
	if e != nil {
		errands.first, e.next = e.next, nil
		errands.n--
	}
	errands.unlock()
	if e == nil {
		e = &errand{done: make(chan struct{}, 1)}
		e.run = e.get
	}
	e.pool = p
	return e
}

// end makes e ready for another use.
func (e *errand) end() {
	e.pool, e.buf, e.panics = nil, nil, nil
	errands.lock()
	if errands.n < maxErrands {
		errands.first, e.next = e, errands.first
		errands.n++
	}
	errands.unlock()
}

// getElsewhere gets a buffer of p on another goroutine.
func getElsewhere(p *basin.BytePool, size int) []byte {
	e := newErrand(p)
	e.size = size
	go e.run()
	<-e.done
	b, panics := e.buf, e.panics
	e.end()
	if panics != nil { // a setting of p that is not valid
		panic(panics)
	}
	return b
}

func (e *errand) get() {
	defer e.tell()
	e.buf = e.pool.Get(e.size)[:e.size]
}

func (e *errand) tell() {
	e.panics = recover()
	e.done <- struct{}{}
}
