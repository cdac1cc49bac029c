package basin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A Buffer is a [bytes.Buffer] on recycled memory: it has every method of that
// type, with the same results, errors and panics, and its zero value is an
// empty Buffer ready to use. What differs is where its memory comes from and
// goes. It grows through the default pool, and an array that it has outgrown
// goes back there at once; [Buffer.Free] gives back the last one.
//
// The results of Bytes, Next, Peek, AvailableBuffer and [Buffer.UnsafeString] refer
// to that memory. As with bytes.Buffer, they are valid until the Buffer is next
// modified. After that, the memory may be somebody else's, and using them is a use
// after Put.
//
// Free need not be called. A Buffer that is dropped is collected with its array.
//
// A Buffer must not be copied after its first use: both copies would give back one
// array. go vet reports copies. A Buffer is for one goroutine at a time.
type Buffer struct {
	_        noCopy
	buf      []byte // all of the storage; the contents are buf[off:end]
	off, end int
	peak     int // the most that end was before it was lowered
	readEnd  int // end as of lastRead, which WriteByte has no time to reset
	lastRead readOp
	state    bufferState
	class    uint8  // of a handle: of its own storage
	laps     uint8  // of the last of a ring: how often it was put
	step     int16  // of a handle: how many bytes from it the next of its ring is
	home     uint16 // of a handle: where it is, to tell it from a copy
}

// A bufferState says whose a Buffer and its storage are.
type bufferState uint8

const (
	owned bufferState = 1 << iota // buf is the byte pool's and goes back there
	fresh                         // as well, and the byte pool has not counted it yet: see BytePool.spare

	// The others are for handles: see bufferpool.go.
	ringed // of a ring, always
	idle   // waiting in a BufferPool
	out    // outstanding
	bare   // without the storage that it came with

	stale // a checked handle, put back: see bufferpool_check.go
)

// noCopy is what vet's copylocks check looks for. It has no size.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A readOp says what the last operation on a Buffer read, for UnreadByte and
// UnreadRune. The values above opInvalid are the size of the rune read.
type readOp int8

const (
	opRead    readOp = -1 // something that is not a rune
	opInvalid readOp = 0  // nothing
)

const (
	smallSize = 64
	maxInt    = int(^uint(0) >> 1)
)

var (
	errBufferNegativeRead = errors.New("bytes.Buffer: reader returned negative count from Read")
	errUnreadByte         = errors.New("bytes.Buffer: UnreadByte: previous operation was not a successful read")
	errUnreadRune         = errors.New("bytes.Buffer: UnreadRune: previous operation was not a successful ReadRune")
)

// NewBuffer returns a Buffer with buf as its contents. The Buffer takes ownership
// of buf, but never gives it to a pool: when it outgrows buf or is freed, buf is
// left to the collector.
func NewBuffer(buf []byte) *Buffer { return &Buffer{buf: buf[:cap(buf)], end: len(buf)} }

// NewBufferString returns a Buffer with a copy of s as its contents.
func NewBufferString(s string) *Buffer { return NewBuffer([]byte(s)) }

// NewSmallBuffer returns an empty Buffer whose first 64 bytes live where the Buffer
// does. That is the stack of the caller if the Buffer does not escape from there, and
// then neither costs an allocation. A Buffer escapes if it is returned, stored, or
// passed as an interface such as [io.Writer]; use [GetBuffer] then. Where the
// compiler does not inline this function, the Buffer is on the heap too: in builds
// without optimization, and in function literals that are part of a function that is
// itself inlined.
func NewSmallBuffer() *Buffer {
	// The compiler inlines this and puts both on the stack. For that, no method of
	// Buffer may let the array escape: none appends to buf, and what goes to the pool
	// is taken by way of pooled.
	return &Buffer{buf: make([]byte, smallSize)}
}

// pooled returns b.buf, which must have come from the pool, so that it can go
// back there.
func (b *Buffer) pooled() []byte {
	if b.state&fresh != 0 {
		b.state &^= fresh
		defaultPool.Load().count(len(b.buf))
	}
	// Escape analysis does not see past the uintptr. Otherwise it would find that the
	// array of any Buffer may end up in the pool, and move those of NewSmallBuffer to
	// the heap. This is sound because arrays from the pool are on the heap, where
	// nothing moves, and b.buf keeps this one alive until the result does.
	header := *(*struct {
		array    uintptr
		len, cap int
	})(unsafe.Pointer(&b.buf))
	return *(*[]byte)(unsafe.Pointer(&header))
}

// Free gives the storage of b back and leaves b empty and ready to use. A caller's
// slice, which b was made with, is only dropped. Free may be called any number of
// times.
func (b *Buffer) Free() {
	if b.state&owned != 0 {
		defaultPool.Load().Put(b.pooled())
	}
	b.buf, b.off, b.end, b.lastRead = nil, 0, 0, opInvalid
	b.state &^= owned
	if b.state&ringed != 0 {
		b.state |= bare
	}
}

// Detach returns the contents of b and leaves b empty, without storage. The slice is
// the caller's, to [Put] when it is no longer needed. The contents are copied only if
// the storage of b is not from the pool.
func (b *Buffer) Detach() []byte {
	var data []byte
	if b.state&owned != 0 {
		data = b.pooled()
		data = data[:copy(data, data[b.off:b.end])] // Put wants the begin of the array
		b.state &^= owned
		claimed(data)
	} else {
		data = defaultPool.Load().growTo(b.Len(), ownClass)
		copy(data, b.Bytes())
	}
	b.Free()
	return data
}

// Set makes the contents of b a copy of p, which may be a part of them.
func (b *Buffer) Set(p []byte) {
	b.Reset()
	b.Write(p)
}

// SetString makes the contents of b a copy of s.
func (b *Buffer) SetString(s string) {
	b.Reset()
	b.WriteString(s)
}

// CopyTo copies the unread portion of b to dst, which need not be long enough,
// and returns how many bytes that were. They remain unread.
func (b *Buffer) CopyTo(dst []byte) int { return copy(dst, b.Bytes()) }

// Clone returns a new Buffer with a copy of the unread portion of b.
func (b *Buffer) Clone() *Buffer {
	clone := new(Buffer)
	clone.Write(b.Bytes())
	return clone
}

// UnsafeString returns the unread portion of b as a string, without a copy. The
// string is valid only until b is next modified. Unlike other strings, it changes
// then.
func (b *Buffer) UnsafeString() string {
	return unsafe.String(unsafe.SliceData(b.Bytes()), b.Len())
}

// Bytes returns the unread portion of b. The slice is valid only until b is next
// modified.
func (b *Buffer) Bytes() []byte { return b.buf[b.off:b.end] }

// AvailableBuffer returns an empty slice with a capacity of b.Available(), to be
// appended to and passed to the next [Buffer.Write]. It is valid only until b is
// next modified.
func (b *Buffer) AvailableBuffer() []byte { return b.buf[b.end:b.end] }

// String returns the unread portion of b as a string, or "<nil>" if b is nil.
func (b *Buffer) String() string {
	if b == nil {
		return "<nil>"
	}
	if b.off == b.end { // spares a call
		return ""
	}
	return string(b.buf[b.off:b.end])
}

// Peek returns the next n bytes without advancing, and io.EOF if there are fewer.
// The slice is valid only until b is next modified.
func (b *Buffer) Peek(n int) ([]byte, error) {
	if b.Len() < n {
		return b.buf[b.off:b.end], io.EOF
	}
	return b.buf[b.off : b.off+n], nil
}

// empty reports whether nothing is unread.
func (b *Buffer) empty() bool { return b.end <= b.off }

// Len returns the number of bytes of the unread portion of b.
func (b *Buffer) Len() int { return b.end - b.off }

// Cap returns the capacity of the storage of b.
func (b *Buffer) Cap() int { return len(b.buf) }

// Available returns how many bytes can be written before b has to grow.
func (b *Buffer) Available() int { return len(b.buf) - b.end }

// Truncate discards all but the first n unread bytes, and keeps the storage. It
// panics if n is negative or larger than the length of b.
func (b *Buffer) Truncate(n int) {
	if n == 0 {
		b.Reset()
		return
	}
	b.lastRead = opInvalid
	if n < 0 || n > b.Len() {
		panic("bytes.Buffer: truncation out of range")
	}
	b.peak = max(b.peak, b.end)
	b.end = len(b.buf[:b.off+n]) // panics if WriteTo was told a negative count
}

// Reset makes b empty, and keeps the storage.
func (b *Buffer) Reset() {
	b.peak = max(b.peak, b.end)
	b.off, b.end = 0, 0
	b.lastRead = opInvalid
}

// Grow makes room for another n bytes. It panics if n is negative, and with
// [bytes.ErrTooLarge] if there cannot be that much.
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panic("bytes.Buffer.Grow: negative count")
	}
	b.grow(n)
}

// grow makes room for another n bytes.
func (b *Buffer) grow(n int) {
	if outgrown := b.room(n); outgrown != nil {
		defaultPool.Load().Put(outgrown)
	}
}

// room makes room for another n bytes. If b has outgrown an array that its caller is
// to put, room returns that; what is to be written may be a part of it.
func (b *Buffer) room(n int) (outgrown []byte) {
	m := b.Len()
	if m == 0 && b.off != 0 {
		b.Reset()
	}
	c := len(b.buf)
	if n <= c-b.end {
		return nil
	}
	if b.state&stale != 0 {
		// It has been put, and is an empty Buffer of its own from now on.
		b.state &^= stale
		b.buf, b.off, b.end = nil, 0, 0
		check.ReportUse(b)
		return b.room(n)
	}
	b.peak = max(b.peak, b.end)
	if n <= c/2-m {
		// Sliding down would do as soon as m+n <= c, but might then be needed
		// again and again.
		copy(b.buf, b.buf[b.off:b.end])
	} else if c > maxInt-c-n {
		panic(bytes.ErrTooLarge)
	} else {
		// The arrays on the way go back to the pool at once, but copying them
		// costs: in fewer steps while they are not large.
		factor := 4
		if c > 256<<10 || c <= smallSize { // what is hardly too small is rarely far too small
			factor = 2
		}
		outgrown = b.move(max(b.end+n, factor*(c-b.off)))
	}
	b.readEnd -= b.off // still valid if it was
	b.off, b.end = 0, m
	return outgrown
}

// move moves what is unread to a new array of at least n bytes. It returns the old
// array if that is to be put.
func (b *Buffer) move(n int) (old []byte) {
	f := bestFit
	if len(b.buf) > smallSize {
		f = ownClass // or one that slides its contents down would get larger with each fit
	}
	var array []byte
	counted := true
	if n <= smallFit && b.state&^(owned|fresh) == 0 {
		array, counted = defaultPool.Load().spare(n)
	} else {
		array = growDefault(n, f)
	}
	if counted {
		unjudged(array) // nobody need free a Buffer
	}
	array = array[:cap(array)]
	copy(array, b.buf[b.off:b.end])
	if b.state&owned != 0 {
		old = b.pooled()
	}
	b.buf = array
	b.state |= owned
	if !counted {
		b.state |= fresh
	}
	return old
}

// growDefault returns at least n bytes of the default pool for a Buffer that grows. It
// panics with bytes.ErrTooLarge if there cannot be so many.
func growDefault(n int, f fit) []byte {
	if n > sizeclass.Max {
		defer func() {
			if recover() != nil {
				panic(bytes.ErrTooLarge)
			}
		}()
	}
	return defaultPool.Load().growTo(n, f)
}

// Write appends p. It returns len(p) and nil, and panics with [bytes.ErrTooLarge]
// if b becomes too large.
//
//go:nosplit
func (b *Buffer) Write(p []byte) (n int, err error) {
	// nosplit leaves out the check of the stack's size, which costs as much as
	// storing the bytes.
	b.lastRead = opInvalid
	n, m := len(p), b.end
	if n > len(b.buf)-m {
		return b.growWrite(p)
	}
	b.end = m + n
	// From 8 to 128 bytes are copied here, to spare the call of memmove: as pieces, the
	// first from the front and the last from the back, which overlap if they
	// have to. Both arrays have n bytes, so all pieces are within them. The
	// 16-byte pieces want src and dst apart, while p may be what
	// AvailableBuffer returned; the words are loaded before one is stored.
	if n < 8 || n > 128 {
		copy(b.buf[m:], p)
		return n, nil
	}
	dst := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.buf)), m)
	src := unsafe.Pointer(unsafe.SliceData(p))
	switch {
	case n <= 16:
		first := binary.NativeEndian.Uint64((*[8]byte)(src)[:])
		last := binary.NativeEndian.Uint64((*[8]byte)(unsafe.Add(src, n-8))[:])
		binary.NativeEndian.PutUint64((*[8]byte)(dst)[:], first)
		binary.NativeEndian.PutUint64((*[8]byte)(unsafe.Add(dst, n-8))[:], last)
	case uintptr(dst)-uintptr(src)+128 < 256:
		copy(b.buf[m:], p)
	default:
		dstBack, srcBack := unsafe.Add(dst, n-16), unsafe.Add(src, n-16)
		if n > 32 {
			if n > 64 {
				*(*[16]byte)(unsafe.Add(dst, 32)) = *(*[16]byte)(unsafe.Add(src, 32))
				*(*[16]byte)(unsafe.Add(dst, 48)) = *(*[16]byte)(unsafe.Add(src, 48))
				*(*[16]byte)(unsafe.Add(dstBack, -48)) = *(*[16]byte)(unsafe.Add(srcBack, -48))
				*(*[16]byte)(unsafe.Add(dstBack, -32)) = *(*[16]byte)(unsafe.Add(srcBack, -32))
			}
			*(*[16]byte)(unsafe.Add(dst, 16)) = *(*[16]byte)(unsafe.Add(src, 16))
			*(*[16]byte)(unsafe.Add(dstBack, -16)) = *(*[16]byte)(unsafe.Add(srcBack, -16))
		}
		*(*[16]byte)(dst) = *(*[16]byte)(src)
		*(*[16]byte)(dstBack) = *(*[16]byte)(srcBack)
	}
	return n, nil
}

// WriteString appends s. It returns len(s) and nil, and panics with
// [bytes.ErrTooLarge] if b becomes too large.
func (b *Buffer) WriteString(s string) (n int, err error) {
	return b.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// growWrite is Write where there is no room.
//
//go:noinline
func (b *Buffer) growWrite(p []byte) (n int, err error) {
	outgrown := b.room(len(p))
	n = copy(b.buf[b.end:], p)
	b.end += n
	if outgrown != nil {
		defaultPool.Load().Put(outgrown)
	}
	return n, nil
}

// WriteByte appends c. It returns nil, and panics with [bytes.ErrTooLarge] if b
// becomes too large.
func (b *Buffer) WriteByte(c byte) error {
	// This is as much as the compiler inlines. See readEnd for what is missing.
	if b.end == len(b.buf) {
		b.growByte()
	}
	b.buf[b.end] = c
	b.end++
	return nil
}

// growByte is grow(1), in fewer words. Inlined, it would be too many for WriteByte.
//
//go:noinline
func (b *Buffer) growByte() { b.grow(1) }

// WriteRune appends r in UTF-8. It returns the number of bytes and nil, and
// panics with [bytes.ErrTooLarge] if b becomes too large.
func (b *Buffer) WriteRune(r rune) (n int, err error) {
	b.lastRead = opInvalid
	if uint32(r) < utf8.RuneSelf { // uint32: a negative r is no ASCII
		b.WriteByte(byte(r))
		return 1, nil
	}
	b.grow(utf8.UTFMax)
	n = utf8.EncodeRune(b.buf[b.end:], r)
	b.end += n
	return n, nil
}

// ReadFrom reads from r until io.EOF and appends what it reads. It returns the
// number of bytes and any error but io.EOF. It panics if r returns a negative
// count, and with [bytes.ErrTooLarge] if b becomes too large.
func (b *Buffer) ReadFrom(r io.Reader) (n int64, err error) {
	b.lastRead = opInvalid
	for {
		b.grow(bytes.MinRead)
		free := b.buf[b.end:]
		m, err := r.Read(free)
		if m < 0 {
			panic(errBufferNegativeRead)
		}
		b.end += len(free[:m]) // panics if that is more than was asked for
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// WriteTo writes the unread portion of b to w. It returns the number of bytes
// and the error of w, or [io.ErrShortWrite] if w took fewer bytes without one;
// what was not written remains. It panics if w claims more than it was given.
func (b *Buffer) WriteTo(w io.Writer) (n int64, err error) {
	b.lastRead = opInvalid
	if unread := b.Len(); unread > 0 {
		m, err := w.Write(b.Bytes())
		if m > unread {
			panic("bytes.Buffer.WriteTo: invalid Write count")
		}
		b.off += m
		n = int64(m)
		if err != nil {
			return n, err
		}
		if m != unread {
			return n, io.ErrShortWrite
		}
	}
	b.Reset()
	return n, nil
}

// Read reads up to len(p) bytes into p. It returns io.EOF if there are none,
// unless p is empty.
func (b *Buffer) Read(p []byte) (n int, err error) {
	b.lastRead = opInvalid
	if b.empty() {
		b.Reset()
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n = copy(p, b.Bytes())
	b.off += n
	if n > 0 {
		b.lastRead, b.readEnd = opRead, b.end
	}
	return n, nil
}

// Next returns the next n bytes, or all if there are fewer, and advances past
// them. The slice is valid only until b is next modified.
func (b *Buffer) Next(n int) []byte {
	b.lastRead = opInvalid
	n = min(n, b.Len())
	data := b.buf[b.off : b.off+n]
	b.off += n
	if n > 0 {
		b.lastRead, b.readEnd = opRead, b.end
	}
	return data
}

// ReadByte reads one byte. It returns io.EOF if there is none.
func (b *Buffer) ReadByte() (byte, error) {
	if b.empty() {
		b.Reset()
		return 0, io.EOF
	}
	c := b.buf[b.off]
	b.off++
	b.lastRead, b.readEnd = opRead, b.end
	return c, nil
}

// ReadRune reads one rune in UTF-8 and returns it and its size. A byte that does
// not begin a valid one is read as U+FFFD of size 1. It returns io.EOF if there
// is nothing to read.
func (b *Buffer) ReadRune() (r rune, size int, err error) {
	if b.empty() {
		b.Reset()
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(b.Bytes())
	b.off += size
	b.lastRead, b.readEnd = readOp(size), b.end
	return r, size, nil
}

// UnreadRune makes the rune that was read last the next one again. It returns an
// error if the last operation on b was not a successful ReadRune.
func (b *Buffer) UnreadRune() error {
	if b.lastRead <= opInvalid || b.readEnd != b.end {
		return errUnreadRune
	}
	if b.off >= int(b.lastRead) {
		b.off -= int(b.lastRead)
	}
	b.lastRead = opInvalid
	return nil
}

// UnreadByte makes the byte that was read last the next one again. It returns an
// error if the last operation on b was not a read of at least one byte.
func (b *Buffer) UnreadByte() error {
	if b.lastRead == opInvalid || b.readEnd != b.end {
		return errUnreadByte
	}
	b.lastRead = opInvalid
	if b.off > 0 {
		b.off--
	}
	return nil
}

// ReadBytes reads up to and including the first delim and returns a copy. If there is
// no delim, it returns all there is, and io.EOF.
func (b *Buffer) ReadBytes(delim byte) (line []byte, err error) {
	slice, err := b.readSlice(delim)
	return append(line, slice...), err
}

// ReadString is [Buffer.ReadBytes] for a string.
func (b *Buffer) ReadString(delim byte) (line string, err error) {
	slice, err := b.readSlice(delim)
	return string(slice), err
}

// readSlice is ReadBytes without the copy.
func (b *Buffer) readSlice(delim byte) (line []byte, err error) {
	end := b.end
	if i := bytes.IndexByte(b.Bytes(), delim); i >= 0 {
		end = b.off + i + 1
	} else {
		err = io.EOF
	}
	line = b.buf[b.off:end]
	b.off = end
	b.lastRead, b.readEnd = opRead, b.end
	return line, err
}
