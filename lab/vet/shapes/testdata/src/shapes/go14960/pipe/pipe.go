package pipe

import (
	"io"
	"sync"
)

type fixed struct {
	buf  [64 << 10]byte
	r, w int
}

var pool = sync.Pool{New: func() any { return new(fixed) }}

type Pipe struct{ b *fixed }

func New() *Pipe { return &Pipe{b: pool.Get().(*fixed)} }

func (p *Pipe) Write(b []byte) { p.b.w += copy(p.b.buf[p.b.w:], b) }

func (p *Pipe) First() (byte, error) {
	if p.b.r == p.b.w {
		return 0, io.EOF
	}
	return p.b.buf[p.b.r], nil
}

// Release gives the buffer to the next pipe.
func (p *Pipe) Release() { pool.Put(p.b) }
