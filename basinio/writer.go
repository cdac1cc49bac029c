//go:build go1.25

package basinio

import (
	"errors"
	"io"
	"sync/atomic"
	"unicode/utf8"

	"github.com/basin-go/basin"
)

var (
	errNegativeWrite = errors.New("basinio: writer returned negative count from Write")
	errLargeWrite    = errors.New("basinio: writer returned larger count from Write than it was given")
)

// A Writer is a [bufio.Writer] that has a buffer only while it has bytes that are not flushed. Its
// methods have the results and the errors of bufio.Writer's, but it takes its buffer from a pool
// with the first byte, and Flush gives it back.
//
// The zero Writer is ready for Reset. The fields may change only before a Reset.
//
// A Writer never waits for room: a Reader may hold the line that its Writer answers. If its pool has no
// room under a [basin.BytePool.MaxInUse], each method writes at once, without a buffer.
//
// A Writer that is dropped with bytes that are not flushed loses its memory to the garbage
// collector. Reset(nil) gives it back.
//
// A Writer must not be copied after its first use; go vet reports copies. Only one goroutine at a
// time may use it.
type Writer struct {
	// Pool has the memory. If it is nil, that is the default pool.
	Pool *basin.BytePool

	// BufferSize is the size of the buffer. Zero or less means 4096.
	BufferSize int

	_ noCopy

	dst  io.Writer
	buf  []byte          // memory of the pool, or nil
	n    int             // bytes of it that are not flushed, or after an error the number that are left
	from *basin.BytePool // of buf
	err  error
	hint uint8        // see take
	busy atomic.Int32 // 1 while full checks see the Writer in a Flush
}

// NewWriter returns a new Writer to dst with the default size and the default pool.
func NewWriter(dst io.Writer) *Writer { return NewWriterSize(dst, defaultSize) }

// NewWriterSize returns a new Writer to dst whose buffer has at least the given size. If dst is a
// Writer with a buffer of that size already, NewWriterSize returns dst.
func NewWriterSize(dst io.Writer, size int) *Writer {
	if b, ok := dst.(*Writer); ok && b.Size() >= size {
		return b
	}
	return &Writer{BufferSize: size, dst: dst}
}

// Size returns the size of the buffer in bytes.
func (b *Writer) Size() int {
	if b.BufferSize <= 0 {
		return defaultSize
	}
	return b.BufferSize
}

// Reset discards all bytes that are not flushed and any error, gives the memory back, and makes b
// write to dst. Resetting a Writer to itself does nothing.
func (b *Writer) Reset(dst io.Writer) {
	if dst == b {
		return
	}
	if full() && b.busy.Load() != 0 {
		panic(errTwoWriters)
	}
	b.put()
	b.err, b.n = nil, 0
	b.dst = dst
}

func (b *Writer) pool() *basin.BytePool {
	if b.Pool != nil {
		return b.Pool
	}
	return basin.Default()
}

// hold makes sure that b has a buffer. It returns false if the pool is limited and has no room.
func (b *Writer) hold() bool {
	if b.buf != nil {
		return true
	}
	p, size := b.pool(), b.Size()
	var m []byte
	if limited(p) {
		var room bool
		if m, room = p.TryGet(size); !room {
			return false
		}
	} else {
		m = take(p, size, &b.hint)
	}
	b.buf, b.from, b.n = m, p, 0
	return true
}

// put gives the buffer back.
func (b *Writer) put() {
	if m := b.buf; m != nil {
		b.buf, b.n = nil, 0
		give(b.from, m, &b.hint)
	}
}

// fail keeps err, and the number of bytes that were not flushed. Nobody can flush them any more, so
// the memory goes back.
func (b *Writer) fail(err error, left int) {
	b.put()
	b.err, b.n = err, left
}

// Flush writes the buffered bytes to the underlying writer.
func (b *Writer) Flush() error {
	if b.err != nil {
		return b.err
	}
	if b.n == 0 {
		b.put() // of AvailableBuffer
		return nil
	}
	if full() {
		defer enter(&b.busy, errTwoWriters).leave()
	}
	n, err := b.dst.Write(b.buf[:b.n])
	if n < b.n && err == nil {
		err = io.ErrShortWrite
	}
	if err != nil {
		b.fail(err, max(b.n-n, 0))
		return err
	}
	b.put()
	return nil
}

// Available returns the number of unused bytes in the buffer.
func (b *Writer) Available() int { return b.Size() - b.n }

// AvailableBuffer returns an empty slice with b.Available() capacity, to append to and pass to the
// Write that follows: see [bufio.Writer.AvailableBuffer]. It takes a buffer.
func (b *Writer) AvailableBuffer() []byte {
	if b.err != nil {
		return make([]byte, 0, max(b.Available(), 0))
	}
	if !b.hold() {
		return make([]byte, 0, b.Size())
	}
	return b.buf[b.n:len(b.buf):len(b.buf)][:0]
}

// Buffered returns the number of bytes that are not flushed.
func (b *Writer) Buffered() int { return b.n }

// Write writes p into the buffer, and flushes it as often as it is full. If the buffer is empty and
// p is larger, the underlying writer gets p.
func (b *Writer) Write(p []byte) (nn int, err error) {
	for len(p) > len(b.buf)-b.n && b.err == nil {
		var n int
		switch {
		case b.n > 0:
			n = copy(b.buf[b.n:], p)
			b.n += n
			b.Flush()
		case len(p) > b.Size():
			n, b.err = b.writeLarge(p)
		case !b.hold():
			n, _ = b.writeNow(p)
		}
		nn += n
		p = p[n:]
	}
	if b.err != nil {
		return nn, b.err
	}
	n := copy(b.buf[b.n:], p)
	b.n += n
	return nn + n, nil
}

// writeNow writes p, for which there is no buffer.
func (b *Writer) writeNow(p []byte) (n int, err error) {
	n, err = writeAll(b.dst, p)
	b.err = err
	return n, err
}

// writeLarge writes p without a buffer.
func (b *Writer) writeLarge(p []byte) (n int, err error) {
	b.put()
	return b.dst.Write(p)
}

// WriteByte writes a single byte.
func (b *Writer) WriteByte(c byte) error {
	if b.err != nil {
		return b.err
	}
	if b.Available() <= 0 && b.Flush() != nil {
		return b.err
	}
	if b.buf == nil && !b.hold() {
		_, err := b.writeNow([]byte{c})
		return err
	}
	b.buf[b.n] = c
	b.n++
	return nil
}

// WriteRune writes a character as UTF-8, and returns the number of bytes written.
func (b *Writer) WriteRune(r rune) (size int, err error) {
	if uint32(r) < utf8.RuneSelf {
		if err := b.WriteByte(byte(r)); err != nil {
			return 0, err
		}
		return 1, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.Available() < utf8.UTFMax {
		if b.Flush(); b.err != nil {
			return 0, b.err
		}
		if b.Available() < utf8.UTFMax {
			return b.WriteString(string(r))
		}
	}
	if !b.hold() {
		return b.WriteString(string(r))
	}
	size = utf8.EncodeRune(b.buf[b.n:], r)
	b.n += size
	return size, nil
}

// WriteString writes a string, as Write does bytes. If the buffer is empty and s is larger, an
// underlying [io.StringWriter] gets s.
func (b *Writer) WriteString(s string) (nn int, err error) {
	sw, direct := b.dst.(io.StringWriter)
	for len(s) > len(b.buf)-b.n && b.err == nil {
		var n int
		switch {
		case b.n == 0 && direct && len(s) > b.Size():
			b.put()
			n, b.err = sw.WriteString(s)
		case !b.hold():
			n, _ = b.writeNow([]byte(s))
		case len(s) > len(b.buf)-b.n:
			n = copy(b.buf[b.n:], s)
			b.n += n
			b.Flush()
		}
		nn += n
		s = s[n:]
	}
	if b.err != nil {
		return nn, b.err
	}
	n := copy(b.buf[b.n:], s)
	b.n += n
	return nn + n, nil
}

// ReadFrom writes all bytes up to the end of r: see [bufio.Writer.ReadFrom]. If the buffer is empty,
// it takes the short cuts of [Copy]. With an empty buffer it holds nothing while r waits, with two
// exceptions: after a buffer that r has filled to the last byte, and if r has messages. r must be a
// stream of bytes, or a connection of package net.
func (b *Writer) ReadFrom(r io.Reader) (n int64, err error) {
	if b.err != nil {
		return 0, b.err
	}
	var few []byte
	whole := kindOf(r)&messages != 0
	_, direct := b.dst.(io.ReaderFrom)
	for {
		if b.Available() == 0 {
			if err := b.Flush(); err != nil {
				return n, err
			}
			b.hold() // a buffer that was filled is filled again
		}
		if direct && b.n == 0 {
			b.put()
			var m int64
			m, b.err = b.copyFrom(r)
			return n + m, b.err
		}
		if whole && !b.hold() && len(few) < b.Size() {
			few = make([]byte, b.Size())
		}
		if b.buf == nil && few == nil {
			few = make([]byte, min(fewSize, b.Size()))
		}
		m := 0
		for i := 0; m == 0 && err == nil; i++ {
			if i == maxEmptyReads {
				err = io.ErrNoProgress
				break
			}
			m, err = b.readFew(r, few)
			if b.err != nil {
				return n + int64(m), b.err
			}
		}
		n += int64(m)
		if err != nil {
			break
		}
	}
	if err == io.EOF {
		err = nil
		if b.Available() == 0 {
			err = b.Flush()
		}
	}
	if b.n == 0 {
		b.put()
	}
	return n, err
}

// readFew reads once from r: into the buffer, or without one into few.
func (b *Writer) readFew(r io.Reader, few []byte) (n int, err error) {
	p := few
	if b.buf != nil {
		p = b.buf[b.n:]
	}
	n, err = r.Read(p)
	switch {
	case n < 0:
		panic(errNegativeRead)
	case n > len(p):
		panic(errLargeRead)
	case b.buf != nil:
		b.n += n
	case n > 0:
		b.Write(p[:n])
	}
	return n, err
}

// copyFrom copies from r to the underlying writer, which has a ReadFrom.
func (b *Writer) copyFrom(r io.Reader) (int64, error) {
	if ofSystem(b.dst) {
		return copyWith(b.Pool, b.dst, unwrapped(r))
	}
	return b.dst.(io.ReaderFrom).ReadFrom(r)
}
