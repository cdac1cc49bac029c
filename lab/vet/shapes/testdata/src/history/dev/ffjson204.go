package dev

import "sync"

// pquerna/ffjson#204: the buffer is put although the new one may be a part of it.
var ffPools [14]sync.Pool

const maxPooled = 65536

func poolBytes(buf []byte) {
	c := cap(buf)
	if c < 64 || c > maxPooled {
		return
	}
	n := -1
	for c > 64 {
		c >>= 1
		n++
	}
	if n > 0 && n < len(ffPools) {
		ffPools[n].Put(buf[:0])
	}
}

func makeBytes(n int) []byte { return make([]byte, n) }

type ffBuffer struct {
	buf       []byte
	off       int
	bootstrap [64]byte
}

func (b *ffBuffer) BugGrow(n int) int {
	if b.off > len(b.buf) {
		b.off = len(b.buf)
	}
	m := len(b.buf) - b.off
	if len(b.buf)+n > cap(b.buf) {
		var buf []byte
		if b.buf == nil && n <= len(b.bootstrap) {
			buf = b.bootstrap[0:]
		} else if m+n <= cap(b.buf)/2 {
			copy(b.buf[:], b.buf[b.off:])
			buf = b.buf[:m]
		} else {
			buf = makeBytes(2*cap(b.buf) + n)
			copy(buf, b.buf[b.off:])
		}
		poolBytes(b.buf)
		b.buf = buf // BUG
		b.off = 0
	}
	b.buf = b.buf[0 : b.off+m+n]
	return b.off + m
}

func (b *ffBuffer) fixedGrow(n int) int {
	m := len(b.buf) - b.off
	if len(b.buf)+n > cap(b.buf) {
		var buf []byte
		if b.buf == nil && n <= len(b.bootstrap) {
			buf = b.bootstrap[0:]
		} else if m+n <= cap(b.buf)/2 {
			copy(b.buf[:], b.buf[b.off:])
			buf = b.buf[:m]
		} else {
			buf = makeBytes(2*cap(b.buf) + n)
			copy(buf, b.buf[b.off:])
			poolBytes(b.buf)
		}
		b.buf = buf
		b.off = 0
	}
	b.buf = b.buf[0 : b.off+m+n]
	return b.off + m
}
