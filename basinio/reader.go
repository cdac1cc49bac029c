//go:build go1.25

package basinio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode/utf8"

	"github.com/basin-go/basin"
)

const (
	defaultSize = 4096 // as in package bufio
	minSize     = 16

	// fewSize is the number of bytes that a Reader waits with. A message that fills them exactly makes
	// the Reader wait for the next one with memory of the pool, so it is the size of few messages.
	fewSize = 45

	maxEmptyReads = 100
)

var (
	errNegativeRead = errors.New("basinio: reader returned negative count from Read")
	errLargeRead    = errors.New("basinio: reader returned larger count from Read than it was asked for")
)

// A Reader is a [bufio.Reader] that has no buffer while it waits. Its methods have the results and
// the errors of bufio.Reader's. It takes its buffer from a pool when bytes are there, and gives it
// back when all of them have been read.
//
// The zero Reader is ready for Reset. The fields may change only before a Reset.
//
// The source must be a stream of bytes, or a connection of package net: the end of a message is lost
// if a source drops what does not fit into a short slice. For other sources with messages, set
// Messages.
//
// Slices that Peek, ReadSlice and ReadLine return are valid until the next read. Later uses of them
// are uses after Put, because the memory may have another user by then. The memory behind them goes
// back with that read, and not before. Peek is no read: a Peek that waits after another holds the
// buffer, until Discard or a method that reads has taken some of the bytes.
//
// A Reader that is dropped while it has bytes that nobody has read, or after ReadSlice, ReadLine, or
// Peek and Discard, loses its memory to the garbage collector. Reset(nil) gives it back: call it always
// if the pool has a ceiling.
//
// Under a [basin.Limit] a Reader that needs a buffer waits for room, and holds no memory of
// the pool meanwhile. As while it waits for bytes, Close of the source and a deadline end the wait, with
// the same error. They do so within a quarter of a second, or of the time waited. The source must be a connection
// of the system, or have one below it, by SyscallConn or NetConn, as a [crypto/tls.Conn] has. With other
// sources, and for deadlines on Windows, only room ends the wait.
//
// A Reader of a file in blocking mode, such as a pipe that is standard input, holds its buffer while
// it waits.
//
// A Reader must not be copied after its first use; go vet reports copies. Only one goroutine at a
// time may use it. The source may be closed, and its deadlines set, by any goroutine.
type Reader struct {
	// Pool has the memory. If it is nil, that is the default pool.
	Pool *basin.BytePool

	// BufferSize is the size of the buffer. Zero or less means 4096, and the least is 16.
	BufferSize int

	// Messages says that the source loses the end of a message that is longer than the slice of a
	// Read, or refuses a slice that is too short. The Reader then waits with its buffer. It knows by
	// itself of sockets of package net, but not of a type that wraps one, such as an [io.TeeReader].
	Messages bool

	// Small fields are here, where they fill the word of Messages.
	flags        flags
	lastRuneSize int8         // size of the last rune read for UnreadRune; -1 means invalid
	hint         uint8        // see take
	lastByte     int16        // last byte read for UnreadByte; negative means invalid, see peeked
	busy         atomic.Int32 // 1 while full checks see the Reader in a Read of the source
	got          int32        // result of the last attempt

	_ noCopy

	src io.Reader
	rc  syscall.RawConn    // of src, or nil: see raw_unix.go
	try func(uintptr) bool // the method attempt, made once

	buf  []byte          // nil, few, or memory of the pool
	from *basin.BytePool // of buf
	r, w int             // unread bytes are buf[r:w]
	few  []byte          // own memory, to wait with
	err  error
}

type flags uint8

const (
	pooled    flags = 1 << iota // buf is memory of the pool
	more                        // the last Read filled the buffer, so the source probably has more
	maybe                       // the last Read filled the caller's slice, which may be as long as its message
	messages                    // the source loses the end of a message if the room is too small
	datagrams                   // reading nothing is not the end of the source
	patient                     // reading nothing many times is no error, as in io.Copy
)

// peeked is the lastByte of a Reader whose unread bytes the caller sees, since a Peek. Another Peek
// may wait for more, and must not give that memory away. Any method that reads ends this.
const peeked = -2

// noCopy is found by vet's copylocks check. It has no size.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewReader returns a new Reader of src with the default size and the default pool.
func NewReader(src io.Reader) *Reader { return NewReaderSize(src, defaultSize) }

// NewReaderSize returns a new Reader of src whose buffer has at least the given size. If src is a
// Reader with a buffer of that size already, NewReaderSize returns src.
func NewReaderSize(src io.Reader, size int) *Reader {
	if b, ok := src.(*Reader); ok && b.Size() >= size {
		return b
	}
	b := &Reader{BufferSize: max(size, minSize)}
	b.Reset(src)
	return b
}

// Size returns the size of the buffer in bytes.
func (b *Reader) Size() int {
	if b.BufferSize <= 0 {
		return defaultSize
	}
	return max(b.BufferSize, minSize)
}

// Reset discards all buffered bytes and the state of b, gives its memory back, and makes it read
// from src. Resetting a Reader to itself does nothing.
func (b *Reader) Reset(src io.Reader) {
	if src == b {
		return
	}
	if full() && b.busy.Load() != 0 {
		panic(errTwoReaders)
	}
	b.put()
	b.buf, b.r, b.w, b.err = nil, 0, 0, nil
	if len(b.few) != min(fewSize, b.Size()) {
		b.few = nil
	}
	b.lastByte, b.lastRuneSize = -1, -1
	b.src = src
	b.rc, b.flags = rawOf(src)
	if b.Messages {
		b.flags |= messages
	}
	if b.rc != nil && b.try == nil {
		b.try = b.attempt
	}
}

func (b *Reader) pool() *basin.BytePool {
	if b.Pool != nil {
		return b.Pool
	}
	return basin.Default()
}

// hold makes buf a buffer of the full size, with the unread bytes at its front. If the pool is limited
// and the source ends the wait for room, it returns the error of its RawConn.
func (b *Reader) hold() error {
	size := b.Size()
	if len(b.buf) >= size {
		return nil
	}
	if size <= fewSize {
		b.ownFew()
		return nil
	}
	p := b.pool()
	if limited(p) {
		m, err := getLimited(p, size, b.src)
		if err == nil {
			b.adopt(p, m)
		}
		return err
	}
	b.adopt(p, take(p, size, &b.hint))
	return nil
}

// adopt moves the unread bytes, which are at the front, to m, memory of p.
func (b *Reader) adopt(p *basin.BytePool, m []byte) {
	copy(m, b.buf[:b.w])
	b.buf, b.from = m, p
	b.flags |= pooled
}

// ownFew makes few the buffer of b, which must have none.
func (b *Reader) ownFew() {
	if b.few == nil {
		b.few = make([]byte, min(fewSize, b.Size()))
	}
	b.buf = b.few
}

// park gives the memory of the pool back before b waits, if the unread bytes, which are at the
// front, fit into few.
func (b *Reader) park() {
	switch {
	case b.flags&pooled == 0 || b.lastByte == peeked:
	case b.w == 0:
		b.put()
		b.buf = nil
	case b.w < fewSize:
		m := b.buf
		b.ownFew()
		copy(b.buf, m[:b.w])
		b.flags &^= pooled
		give(b.from, m, &b.hint)
	}
}

// put gives the memory of the pool back.
func (b *Reader) put() {
	if b.flags&pooled != 0 {
		b.flags &^= pooled
		give(b.from, b.buf, &b.hint)
	}
}

// give gives the memory of the pool back after all of it has been read. The last rune stays where
// UnreadRune finds it.
func (b *Reader) give() {
	if b.flags&pooled == 0 {
		return
	}
	m, r := b.buf, b.r
	b.buf, b.r, b.w = nil, 0, 0
	if n := int(b.lastRuneSize); n > 0 {
		b.ownFew()
		b.r = copy(b.buf, m[r-n:r])
		b.w = b.r
	}
	b.flags &^= pooled
	give(b.from, m, &b.hint)
}

// receive reads once from the source, into the room after the unread bytes, which it moves to the
// front. There must be fewer than Size of them. It does not change w.
func (b *Reader) receive() (n int, err error) {
	if b.r > 0 {
		copy(b.buf, b.buf[b.r:b.w])
		b.w -= b.r
		b.r = 0
	}
	switch {
	case full():
		n, err = b.receiveAlone()
	case b.rc != nil:
		n, err = b.receiveRaw()
	default:
		n, err = b.receiveAny()
	}
	if n == 0 && b.w == 0 {
		b.put()
		b.buf = nil
	}
	return n, err
}

// receiveAlone is receive, and panics if two goroutines are in it.
func (b *Reader) receiveAlone() (n int, err error) {
	defer enter(&b.busy, errTwoReaders).leave()
	if b.rc != nil {
		return b.receiveRaw()
	}
	return b.receiveAny()
}

// receiveAny is receive for a source of any kind. It waits with few, and takes memory of the pool
// after a Read that has filled them.
func (b *Reader) receiveAny() (n int, err error) {
	if b.flags&(more|messages) != 0 || b.w >= max(len(b.few), min(fewSize, b.Size())) {
		if err := b.hold(); err != nil {
			return 0, ofRead(err)
		}
	} else {
		b.park()
		if b.buf == nil {
			b.ownFew()
		}
	}
	return b.readInto(b.buf[b.w:], more)
}

// ofRead makes err, which is of a RawConn, that of a Read.
func ofRead(err error) error {
	if e, ok := err.(*net.OpError); ok {
		e.Op = "read"
	}
	return err
}

// readInto reads once from the source into p. If that fills p, it sets flag.
func (b *Reader) readInto(p []byte, flag flags) (n int, err error) {
	n, err = b.src.Read(p)
	b.flags &^= more | maybe
	switch {
	case n < 0:
		panic(errNegativeRead)
	case n > len(p):
		panic(errLargeRead)
	case n == len(p):
		b.flags |= flag
	}
	return n, err
}

// fill reads bytes into the buffer, which must not be full.
func (b *Reader) fill() {
	for i := 0; i < maxEmptyReads || b.flags&patient != 0; i++ {
		n, err := b.receive()
		b.w += n
		if err != nil {
			b.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	b.err = io.ErrNoProgress
}

func (b *Reader) readErr() error {
	err := b.err
	b.err = nil
	return err
}

// endErr is readErr after all bytes have been read, for a result without a slice of the buffer.
func (b *Reader) endErr() error {
	b.give()
	return b.readErr()
}

// Buffered returns the number of bytes that can be read without reading from the source.
func (b *Reader) Buffered() int { return b.w - b.r }

// Peek returns the next n bytes without reading them: see [bufio.Reader.Peek].
func (b *Reader) Peek(n int) ([]byte, error) {
	if n < 0 {
		return nil, bufio.ErrNegativeCount
	}
	if b.lastByte != peeked {
		b.lastByte = -1
	}
	b.lastRuneSize = -1
	size := b.Size()
	for b.Buffered() < n && b.Buffered() < size && b.err == nil {
		b.fill()
	}
	if b.flags&pooled != 0 && n > 0 && b.r < b.w {
		b.lastByte = peeked
	}
	if n > size {
		return b.buf[b.r:b.w], bufio.ErrBufferFull
	}
	var err error
	if avail := b.Buffered(); avail < n {
		n = avail
		err = b.readErr()
		if err == nil {
			err = bufio.ErrBufferFull
		}
	}
	return b.buf[b.r : b.r+n], err
}

// endPeek lets go of bytes that a Peek has returned.
func (b *Reader) endPeek() {
	if b.lastByte == peeked {
		b.lastByte = -1
	}
}

// Discard skips the next n bytes: see [bufio.Reader.Discard]. Unlike that, it does not read on after an
// error that came with bytes.
func (b *Reader) Discard(n int) (discarded int, err error) {
	if n < 0 {
		return 0, bufio.ErrNegativeCount
	}
	if n == 0 {
		return 0, nil
	}
	b.lastByte = -1
	b.lastRuneSize = -1
	for remain := n; ; {
		skip := b.Buffered()
		if skip == 0 && b.err == nil {
			b.fill()
			skip = b.Buffered()
		}
		skip = min(skip, remain)
		b.r += skip
		remain -= skip
		if remain == 0 {
			return n, nil
		}
		if b.err != nil {
			return n - remain, b.endErr()
		}
	}
}

// Read reads bytes into p, from at most one Read of the source: see [bufio.Reader.Read]. If the
// buffer is empty and p is at least as large, the source reads into p.
func (b *Reader) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		if b.Buffered() > 0 {
			return 0, nil
		}
		return 0, b.readErr()
	}
	if b.r == b.w {
		if b.err != nil {
			return 0, b.endErr()
		}
		if len(p) >= b.Size() {
			return b.readLarge(p)
		}
		if b.rc == nil && b.flags&(more|maybe|messages) == 0 && len(p) >= fewSize {
			b.give()
			b.r, b.w = 0, 0
			return b.readLarge(p) // p is as good as few to wait with
		}
		n, b.err = b.receive()
		if n == 0 {
			return 0, b.readErr()
		}
		b.w += n
	}
	n = copy(p, b.buf[b.r:b.w])
	b.r += n
	b.lastByte = int16(b.buf[b.r-1])
	b.lastRuneSize = -1
	if b.r == b.w {
		b.give()
	}
	return n, nil
}

// readLarge reads from the source into p. The buffer must be empty.
func (b *Reader) readLarge(p []byte) (n int, err error) {
	if full() {
		defer enter(&b.busy, errTwoReaders).leave()
	}
	b.give()
	n, b.err = b.readInto(p, maybe)
	if n > 0 {
		b.lastByte = int16(p[n-1])
		b.lastRuneSize = -1
	}
	return n, b.readErr()
}

// ReadByte reads one byte.
func (b *Reader) ReadByte() (byte, error) {
	b.lastRuneSize = -1
	for b.r == b.w {
		if b.err != nil {
			return 0, b.endErr()
		}
		b.fill()
	}
	c := b.buf[b.r]
	b.r++
	b.lastByte = int16(c)
	if b.r == b.w {
		b.give()
	}
	return c, nil
}

// UnreadByte unreads the last byte: see [bufio.Reader.UnreadByte].
func (b *Reader) UnreadByte() error {
	if b.lastByte < 0 || b.r == 0 && b.w > 0 {
		return bufio.ErrInvalidUnreadByte
	}
	if b.r > 0 {
		b.r--
	} else {
		if b.buf == nil {
			b.ownFew()
		}
		b.w = 1
	}
	b.buf[b.r] = byte(b.lastByte)
	b.lastByte = -1
	b.lastRuneSize = -1
	return nil
}

// ReadRune reads a single UTF-8 encoded character: see [bufio.Reader.ReadRune].
func (b *Reader) ReadRune() (r rune, size int, err error) {
	b.endPeek()
	for b.r+utf8.UTFMax > b.w && !utf8.FullRune(b.buf[b.r:b.w]) && b.err == nil && b.Buffered() < b.Size() {
		b.fill()
	}
	b.lastRuneSize = -1
	if b.r == b.w {
		return 0, 0, b.endErr()
	}
	r, size = utf8.DecodeRune(b.buf[b.r:b.w])
	b.r += size
	b.lastByte = int16(b.buf[b.r-1])
	b.lastRuneSize = int8(size)
	if b.r == b.w {
		b.give()
	}
	return r, size, nil
}

// UnreadRune unreads the last rune: see [bufio.Reader.UnreadRune].
func (b *Reader) UnreadRune() error {
	if b.lastRuneSize < 0 || b.r < int(b.lastRuneSize) {
		return bufio.ErrInvalidUnreadRune
	}
	b.r -= int(b.lastRuneSize)
	b.lastByte = -1
	b.lastRuneSize = -1
	return nil
}

// ReadSlice reads up to and including the first delim, and returns a slice of the buffer, which is
// valid until the next read: see [bufio.Reader.ReadSlice].
func (b *Reader) ReadSlice(delim byte) (line []byte, err error) {
	b.endPeek()
	for s := 0; ; { // bytes that have been searched
		if i := bytes.IndexByte(b.buf[b.r+s:b.w], delim); i >= 0 {
			line = b.buf[b.r : b.r+s+i+1]
			break
		}
		if b.err != nil {
			line = b.buf[b.r:b.w]
			err = b.readErr()
			break
		}
		s = b.Buffered()
		if s >= b.Size() {
			line = b.buf[b.r:b.w]
			err = bufio.ErrBufferFull
			break
		}
		b.fill()
	}
	b.r += len(line)
	if i := len(line) - 1; i >= 0 {
		b.lastByte = int16(line[i])
		b.lastRuneSize = -1
	} else {
		b.give()
	}
	return line, err
}

// ReadLine is a low-level function to read a line, which is valid until the next read: see
// [bufio.Reader.ReadLine].
func (b *Reader) ReadLine() (line []byte, isPrefix bool, err error) {
	line, err = b.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		if line[len(line)-1] == '\r' { // leave it to the next call, which may find "\r\n"
			b.r--
			line = line[:len(line)-1]
		}
		return line, true, nil
	}
	if len(line) == 0 {
		if err != nil {
			line = nil
		}
		return line, false, err
	}
	if n := len(line) - 1; line[n] == '\n' {
		line = line[:n]
		if n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
	}
	return line, false, nil
}

// fragments reads up to and including the first delim. It returns copies of full buffers, the part
// after them, which is valid until the next read, and the length of all.
func (b *Reader) fragments(delim byte) (fullBuffers [][]byte, last []byte, total int, err error) {
	for {
		last, err = b.ReadSlice(delim)
		total += len(last)
		if err != bufio.ErrBufferFull {
			return fullBuffers, last, total, err
		}
		fullBuffers = append(fullBuffers, bytes.Clone(last))
	}
}

// ReadBytes reads up to and including the first delim, and returns the bytes in memory of their
// own: see [bufio.Reader.ReadBytes].
func (b *Reader) ReadBytes(delim byte) ([]byte, error) {
	fullBuffers, last, total, err := b.fragments(delim)
	line := make([]byte, total)
	n := 0
	for _, f := range fullBuffers {
		n += copy(line[n:], f)
	}
	copy(line[n:], last)
	if b.r == b.w {
		b.give()
	}
	return line, err
}

// ReadString reads up to and including the first delim: see [bufio.Reader.ReadString].
func (b *Reader) ReadString(delim byte) (string, error) {
	fullBuffers, last, total, err := b.fragments(delim)
	var line strings.Builder
	line.Grow(total)
	for _, f := range fullBuffers {
		line.Write(f)
	}
	line.Write(last)
	if b.r == b.w {
		b.give()
	}
	return line.String(), err
}

// WriteTo writes all bytes up to the end of the source to w. It takes the short cuts of [Copy]. Unlike
// that of a bufio.Reader, it does not read on after an error that came with bytes.
func (b *Reader) WriteTo(w io.Writer) (n int64, err error) {
	b.lastByte = -1
	b.lastRuneSize = -1
	if b.r < b.w {
		if n, err = b.writeBuf(w); err != nil {
			return n, err
		}
	}
	b.give()
	if b.err == nil {
		if !b.Messages { // else a ReadFrom of w might read with too few bytes
			if m, err, done := shortCut(w, b.src); done {
				return n + m, err
			}
		}
		if b.rc == nil {
			b.buf, b.r, b.w = nil, 0, 0
			b.few = make([]byte, min(copyFew, b.Size()))
			defer b.dropFew()
		}
	}
	for before := 0; b.err == nil; {
		b.fill()
		got := b.w - b.r
		b.widen(before, got)
		before = got
		if got > 0 {
			m, err := b.writeBuf(w)
			n += m
			if err != nil {
				return n, err
			}
		}
	}
	if b.err == io.EOF {
		b.err = nil
	}
	return n, b.readErr()
}

// widen makes few as large as the buffer of a bufio.Reader if the source seems to have one: the last
// two reads, of which few had the first, gave just the bytes of that. A bufio.Reader with an empty
// buffer passes longer slices to its source. So a copy of the body of an HTTP request, which waits
// with few bytes, would read no more than 4 KiB at a time from the connection.
func (b *Reader) widen(first, second int) {
	if first == len(b.few) && first+second == defaultSize && b.flags&pooled != 0 && b.Size() > defaultSize {
		b.few = make([]byte, defaultSize)
	}
}

// dropFew drops the larger few of WriteTo, unless it has unread bytes.
func (b *Reader) dropFew() {
	if b.flags&pooled == 0 && b.r == b.w {
		b.buf, b.r, b.w = nil, 0, 0
	}
	if b.flags&pooled != 0 || b.buf == nil {
		b.few = nil
	}
}

// writeBuf writes the unread bytes to w.
func (b *Reader) writeBuf(w io.Writer) (int64, error) {
	n, err := writeAll(w, b.buf[b.r:b.w])
	b.r += n
	return int64(n), err
}
