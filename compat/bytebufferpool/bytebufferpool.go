//go:build go1.25

// Package bytebufferpool has the API of github.com/valyala/bytebufferpool, on basin.
//
// Intended differences:
//
//   - The memory that a pool keeps idle is limited in bytes, and garbage collections do not empty
//     a pool: see [basin.BytePool.MaxIdle]. Buffers that were idle for [basin.DefaultIdleTime]
//     are released. A buffer above [basin.DefaultMaxSize] is not kept.
//   - A pool counts one in 16 Puts, at random. After 42,000 Puts it chooses the size of new
//     buffers, and the size above which buffers are not kept.
//
// Buffers need not be put, so checks report no leaks of them, but double Puts.
//
// All pools appear as "bytebufferpool" in statistics. To use it in place of the original:
//
//	go mod edit -replace github.com/valyala/bytebufferpool=github.com/basin-go/basin/compat/bytebufferpool@v0.1.0
package bytebufferpool

import (
	"io"
	"slices"
)

// A ByteBuffer is a byte slice with the methods of a writer. The zero ByteBuffer is empty and
// ready to use. It must be used by one goroutine at a time.
type ByteBuffer struct {
	// B has the contents. Users may change it, and assign any slice to it.
	B []byte
}

// Len returns the number of bytes in b.
func (b *ByteBuffer) Len() int { return len(b.B) }

// Bytes returns the contents of b, without a copy.
func (b *ByteBuffer) Bytes() []byte { return b.B }

// String returns a copy of the contents of b.
func (b *ByteBuffer) String() string { return string(b.B) }

// Reset makes b empty.
func (b *ByteBuffer) Reset() { b.B = b.B[:0] }

// Write appends p. It returns len(p) and nil.
func (b *ByteBuffer) Write(p []byte) (int, error) {
	b.B = append(b.B, p...)
	return len(p), nil
}

// WriteByte appends c. It returns nil.
func (b *ByteBuffer) WriteByte(c byte) error {
	b.B = append(b.B, c)
	return nil
}

// WriteString appends s. It returns len(s) and nil.
func (b *ByteBuffer) WriteString(s string) (int, error) {
	b.B = append(b.B, s...)
	return len(s), nil
}

// Set makes the contents of b a copy of p.
func (b *ByteBuffer) Set(p []byte) { b.B = append(b.B[:0], p...) }

// SetString makes the contents of b a copy of s.
func (b *ByteBuffer) SetString(s string) { b.B = append(b.B[:0], s...) }

// ReadFrom reads from r until io.EOF and appends the data. It returns the number of bytes and
// any error but io.EOF.
func (b *ByteBuffer) ReadFrom(r io.Reader) (int64, error) {
	before := len(b.B)
	for {
		if len(b.B) == cap(b.B) {
			b.B = slices.Grow(b.B, max(64, len(b.B)))
		}
		n, err := r.Read(b.B[len(b.B):cap(b.B)])
		b.B = b.B[:len(b.B)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return int64(len(b.B) - before), err
		}
	}
}

// WriteTo writes the contents of b to w in one call, and keeps them. It returns the result of
// that call.
func (b *ByteBuffer) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b.B)
	return int64(n), err
}
