package pool

import (
	"bytes"
	"cmp"
	"io"
)

// MinRead is the least room that [Buffer.ReadFrom] makes for a Read.
//
//go:fix inline
const MinRead = bytes.MinRead

// A Buffer has the reading and writing methods of a [bytes.Buffer], on recycled memory, and gives
// memory back as it is read: an empty Buffer holds nothing but the 64 bytes inside it, any other at
// most eight times its contents or 4 KiB. The zero Buffer is empty and ready. A Buffer must not be copied after its
// first use. It is for one goroutine at a time.
type Buffer struct {
	// Pool has the memory of the Buffer, beyond those 64 bytes. Nil means the GlobalPool.
	Pool *BufferPool

	buf   []byte // begins where its array does
	off   int    // buf[off:] is unread
	small [64]byte
}

// NewBuffer returns a Buffer with a copy of buf as its contents.
func NewBuffer(buf []byte) *Buffer { return create(buf) }

// NewBufferString returns a Buffer with the bytes of buf as its contents.
func NewBufferString(buf string) *Buffer { return create(buf) }

func create[T []byte | string](contents T) *Buffer {
	b := new(Buffer)
	write(b, contents)
	return b
}

// Len, Cap and Bytes return how many bytes are unread, how many there is memory for, and those that are
// unread. The slice is valid only until b is next modified.
func (b *Buffer) Len() int      { return len(b.buf) - b.off }
func (b *Buffer) Cap() int      { return cap(b.buf) }
func (b *Buffer) Bytes() []byte { return b.buf[b.off:] }

// String returns what is unread, or "<nil>" if b is nil.
func (b *Buffer) String() string {
	if b == nil {
		return "<nil>"
	}
	return string(b.Bytes())
}

// Write appends p. It returns len(p) and nil.
func (b *Buffer) Write(p []byte) (int, error) { return write(b, p) }

// WriteString appends s. It returns len(s) and nil.
func (b *Buffer) WriteString(s string) (int, error) { return write(b, s) }

func write[T []byte | string](b *Buffer, p T) (int, error) {
	if len(p) <= cap(b.buf)-len(b.buf) {
		b.buf = append(b.buf, p...)
		return len(p), nil
	}
	outgrown := b.move(len(p))
	b.buf = append(b.buf, p...)
	b.put(outgrown) // only now: p may be a part of it
	return len(p), nil
}

// WriteByte appends c. It returns nil.
func (b *Buffer) WriteByte(c byte) error {
	if len(b.buf) == cap(b.buf) {
		b.Grow(1)
	}
	b.buf = append(b.buf, c)
	return nil
}

// Grow makes room for n more bytes.
func (b *Buffer) Grow(n int) {
	if n > cap(b.buf)-len(b.buf) {
		b.put(b.move(n))
	}
}

// move moves what is unread to the begin of the array, or to one with more room, so that n bytes
// can be appended. It returns the array that b has outgrown.
func (b *Buffer) move(n int) (outgrown []byte) {
	array, unread := b.buf[:0], b.Bytes()
	if size := 2*len(unread) + n; size > cap(array) {
		array, outgrown = b.get(size), array
	}
	b.buf, b.off = append(array, unread...), 0
	return outgrown
}

// get returns an empty slice with room for n bytes. Put gives its array back.
func (b *Buffer) get(n int) []byte {
	if n <= len(b.small) {
		return b.small[:0]
	}
	return cmp.Or(b.Pool, GlobalPool).Get(n)[:0]
}

func (b *Buffer) put(array []byte) {
	if cap(array) > len(b.small) {
		cmp.Or(b.Pool, GlobalPool).Put(array)
	}
}

// shrink gives back memory that is not needed for what is unread.
func (b *Buffer) shrink() {
	if 8*b.Len() < cap(b.buf) { // the rest would not be inlined
		b.shed()
	}
}

func (b *Buffer) shed() {
	switch outgrown := b.buf; {
	case cap(outgrown) <= len(b.small):
	case b.Len() == 0:
		b.Reset()
	case cap(outgrown) > 4096: // or moving would cost more than it saves
		b.buf, b.off = append(b.get(b.Len()), b.Bytes()...), 0
		b.put(outgrown)
	}
}

// Reset discards all that is unread.
func (b *Buffer) Reset() {
	b.put(b.buf)
	b.buf, b.off = nil, 0
}

// Truncate discards all but the first n unread bytes. It panics if there are not as many.
func (b *Buffer) Truncate(n int) {
	if n < 0 || n > b.Len() {
		panic("truncation out of range")
	}
	b.buf = b.buf[:b.off+n]
	b.shrink()
}

// ReadByte reads the next byte, or returns [io.EOF].
func (b *Buffer) ReadByte() (byte, error) {
	if b.Len() == 0 {
		return 0, io.EOF
	}
	b.off++
	return b.buf[b.off-1], nil
}

// Next reads the next n bytes, or as many as there are, without a copy. The slice is valid only
// until b is next modified.
func (b *Buffer) Next(n int) []byte {
	next := b.Bytes()[:min(n, b.Len())]
	b.off += len(next)
	return next
}

// Read reads the next len(p) bytes, or as many as there are. If there are none, it returns
// [io.EOF], unless p is empty.
func (b *Buffer) Read(p []byte) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case b.Len() == 0:
		return 0, io.EOF
	}
	n := copy(p, b.Bytes())
	b.off += n
	b.shrink()
	return n, nil
}

// ReadFrom reads from r until io.EOF and appends what it reads. It returns the number of
// bytes and any error but io.EOF.
func (b *Buffer) ReadFrom(r io.Reader) (total int64, err error) {
	for err == nil {
		b.Grow(MinRead)
		var n int
		n, err = r.Read(b.buf[len(b.buf):cap(b.buf)])
		b.buf = b.buf[:len(b.buf)+n]
		total += int64(n)
	}
	b.shrink()
	if err == io.EOF {
		err = nil
	}
	return total, err
}

// WriteTo writes what is unread to w in one call. It returns what that returns, and panics if w
// claims more than it was given.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	if b.Len() == 0 {
		return 0, nil
	}
	n, err := w.Write(b.Bytes())
	if n > b.Len() {
		panic("invalid write count")
	}
	b.off += n
	b.shrink()
	return int64(n), err
}
