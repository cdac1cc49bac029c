// Package twice puts a slice twice. Collections hide it: they empty a sync.Pool before two others get the slice.
package twice

import "sync"

const size = 1 << 10

var pool = sync.Pool{New: func() any { b := make([]byte, size); return &b }}

// A reader has a slice until it is closed.
type reader struct{ buf *[]byte }

func newReader() *reader { return &reader{pool.Get().(*[]byte)} }

func (r *reader) close() { pool.Put(r.buf) }
