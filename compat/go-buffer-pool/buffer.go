//go:build go1.25

package pool

import (
	"bytes"
	"cmp"
	"io"
)

// MinRead is the least free space with which [Buffer.ReadFrom] calls Read.
//
//go:fix inline
const MinRead = bytes.MinRead

// A Buffer has the reading and writing methods of a [bytes.Buffer], on pooled memory. It
// releases memory as it is read: an empty Buffer has only the 64 bytes inside it, and any other
// at most eight times its contents or 4 KiB. The zero Buffer is empty and ready to use. A
// Buffer must not be copied after its first use, and must be used by one goroutine at a time.
type Buffer struct {
	// Pool provides the Buffer's memory beyond the 64 bytes inside it. Nil means the GlobalPool.
	Pool *BufferPool

	buf   []byte // begins at the first byte of its array
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

// Len returns the number of unread bytes, Cap the capacity, and Bytes the unread bytes. The
// slice is valid only until b is next modified.
func (b *Buffer) Len() int      { return len(b.buf) - b.off }
func (b *Buffer) Cap() int      { return cap(b.buf) }
func (b *Buffer) Bytes() []byte { return b.buf[b.off:] }

// String returns the unread bytes, or "<nil>" if b is nil.
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
	defer b.put(outgrown) // only then, because p may be a part of it
	b.buf = append(b.buf, p...)
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

// move makes room for n more bytes. It moves the unread bytes to the beginning of the array, or
// to a larger array. It returns the old array if b has outgrown it.
func (b *Buffer) move(n int) (outgrown []byte) {
	array, unread := b.buf[:0], b.Bytes()
	if size := 2*len(unread) + n; size > cap(array) {
		array, outgrown = b.get(size), array
	}
	b.fill(array, unread)
	return outgrown
}

// fill makes array, which is empty, the array of b, with the unread bytes. If it is another array than that of b
// and the copy faults, fill puts it: see basincheck.Catch.
func (b *Buffer) fill(array, unread []byte) {
	unused := array
	if cap(b.buf) > 0 && cap(array) > 0 && &b.buf[:1][0] == &array[:1][0] {
		unused = nil
	}
	defer func() { b.put(unused) }()
	b.buf, b.off = append(array, unread...), 0
	unused = nil
}

// get returns an empty slice with room for n bytes. put puts its array.
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

// shrink releases memory that the unread bytes do not need.
func (b *Buffer) shrink() {
	if 8*b.Len() < cap(b.buf) { // shed is separate, so that shrink can be inlined
		b.shed()
	}
}

func (b *Buffer) shed() {
	switch outgrown := b.buf; {
	case cap(outgrown) <= len(b.small):
	case b.Len() == 0:
		b.Reset()
	case cap(outgrown) > 4096: // below that, moving costs more than it saves
		b.fill(b.get(b.Len()), b.Bytes())
		b.put(outgrown)
	}
}

// Reset discards all unread bytes.
func (b *Buffer) Reset() {
	b.put(b.buf)
	b.buf, b.off = nil, 0
}

// Truncate discards all but the first n unread bytes. It panics if there are fewer.
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

// Next reads the next n bytes, or fewer at the end, without a copy. The slice is valid only
// until b is next modified.
func (b *Buffer) Next(n int) []byte {
	next := b.Bytes()[:min(n, b.Len())]
	b.off += len(next)
	return next
}

// Read reads the next len(p) bytes, or fewer at the end. If there are none, it returns
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

// ReadFrom reads from r until io.EOF and appends the data. It returns the number of bytes and
// any error but io.EOF.
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

// WriteTo writes the unread bytes to w in one call. It returns the result of that call, and
// panics if w claims to have written more.
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
