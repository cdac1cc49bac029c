// Package bytebufferpool stands in for the real one.
package bytebufferpool

import "sync"

type ByteBuffer struct{ B []byte }

func (b *ByteBuffer) Len() int                          { return len(b.B) }
func (b *ByteBuffer) Bytes() []byte                     { return b.B }
func (b *ByteBuffer) String() string                    { return string(b.B) }
func (b *ByteBuffer) Reset()                            { b.B = b.B[:0] }
func (b *ByteBuffer) Set(p []byte)                      { b.B = append(b.B[:0], p...) }
func (b *ByteBuffer) Write(p []byte) (int, error)       { b.B = append(b.B, p...); return len(p), nil }
func (b *ByteBuffer) WriteString(s string) (int, error) { b.B = append(b.B, s...); return len(s), nil }

type Pool struct{ pool sync.Pool }

func (p *Pool) Get() *ByteBuffer {
	if v := p.pool.Get(); v != nil {
		return v.(*ByteBuffer)
	}
	return new(ByteBuffer)
}

func (p *Pool) Put(b *ByteBuffer) {
	b.Reset()
	p.pool.Put(b)
}

var defaultPool Pool

func Get() *ByteBuffer  { return defaultPool.Get() }
func Put(b *ByteBuffer) { defaultPool.Put(b) }
