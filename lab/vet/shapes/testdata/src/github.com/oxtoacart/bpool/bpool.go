// Package bpool stands in for the real one.
package bpool

import "bytes"

type BufferPool struct{ c chan *bytes.Buffer }

func NewBufferPool(size int) *BufferPool { return &BufferPool{make(chan *bytes.Buffer, size)} }

func (p *BufferPool) Get() *bytes.Buffer {
	select {
	case b := <-p.c:
		return b
	default:
		return new(bytes.Buffer)
	}
}

func (p *BufferPool) Put(b *bytes.Buffer) {
	b.Reset()
	select {
	case p.c <- b:
	default:
	}
}

type BytePool struct {
	c chan []byte
	w int
}

func NewBytePool(size, width int) *BytePool { return &BytePool{make(chan []byte, size), width} }

func (p *BytePool) Get() []byte {
	select {
	case b := <-p.c:
		return b
	default:
		return make([]byte, p.w)
	}
}

func (p *BytePool) Put(b []byte) {
	select {
	case p.c <- b:
	default:
	}
}
