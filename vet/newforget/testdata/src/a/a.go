package a

import "sync"

type block struct{ n int }

var pool = sync.Pool{New: func() any { return new(block) }}

func forgotten() int {
	b := pool.New().(*block) // want `New instead of Get`
	defer pool.Put(b)
	return b.n
}

var other = sync.Pool{New: func() any { return new(block) }}

func legalFallback() int {
	v := other.Get()
	if v == nil {
		v = other.New()
	}
	b := v.(*block)
	defer other.Put(b)
	return b.n
}

func legalFill() {
	for range 10 {
		pool.Put(pool.New())
	}
	for range 10 {
		b := pool.New()
		pool.Put(b)
	}
}

type request struct{ body [64]byte }

var requests = sync.Pool{New: func() any { return new(request) }}

// newRequest is the only function that could get from the pool.
func newRequest() *request {
	return requests.New().(*request) // want `New instead of Get`
}

func (r *request) free() { requests.Put(r) }

var replies = sync.Pool{New: func() any { return new(request) }}

// newReply makes one on purpose: reuse gets from the pool.
func newReply() *request { return replies.New().(*request) }

func reuse() *request { return replies.Get().(*request) }

func freeReply(r *request) { replies.Put(r) }
