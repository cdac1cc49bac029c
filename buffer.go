//go:build go1.25

package basin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A Buffer is a [bytes.Buffer] on recycled memory. It has every method of bytes.Buffer, with the
// same results, errors and panics, and its zero value is an empty Buffer, ready to use. Only its
// memory and capacity differ: a Buffer grows through the default pool, or if it is from a
// [BufferPool] or [BytePool.NewBuffer], through the pool named there. An outgrown array goes back there at
// once; [Buffer.Free] gives back the last one. If that pool has a limit without room, writes return an error
// that wraps [ErrLimit], and leave the Buffer as it was; ReadFrom keeps the bytes that it has read. Without a
// limit, they return no error.
//
// The results of Bytes, Next, Peek and AvailableBuffer refer to that memory.
// As with bytes.Buffer, they are valid until the next change of the Buffer. Later uses of them are
// uses after Put, because the memory may have another user by then.
//
// Free need not be called. A Buffer that is dropped is collected together with its array.
//
// A Buffer must not be copied after its first use, because both copies would give back the same
// array; go vet reports copies. Only one goroutine at a time may use a Buffer.
type Buffer struct {
	_        noCopy
	buf      []byte // all of the storage; the contents are buf[off:end]
	off, end int
	pool     *BytePool // pool to grow through; nil is the default pool
	peak     uint32    // largest end so far, updated before end decreases
	readEnd  uint32    // low bits of end at the last read; they reveal a WriteByte, which cannot afford to reset lastRead
	lastRead readOp
	state    bufferState
	class    uint8  // handles only: class of the storage
	laps     uint8  // last Buffer of a ring only: number of its Puts
	step     int16  // handles only: distance in bytes to the next Buffer of the ring
	address  uint16 // handles only: bits of the address, to detect copies
}

// A bufferState says who owns a Buffer and its storage.
type bufferState uint8

const (
	owned bufferState = 1 << iota // buf belongs to the byte pool and goes back there
	fresh                         // the byte pool has not counted buf yet: see BytePool.getFresh; only with owned

	// The other bits are for handles: see bufferpool.go.
	ringed // part of a ring, for ever
	idle   // waiting in a BufferPool
	out    // outstanding
	bare   // without its original storage
	final  // last of a first ring: replaced by a full ring instead of handed out

	stale // a checked handle that was put: see bufferpool.go
)

// noCopy is found by vet's copylocks check. It has no size.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A readOp tells UnreadByte and UnreadRune the kind of the last read. Values above opInvalid are
// the size of the rune that was read.
type readOp int8

const (
	opRead    readOp = -1 // any read but of a rune
	opInvalid readOp = 0  // no read
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

// NewBuffer returns a Buffer with buf as its contents. The Buffer takes ownership of buf, but never
// gives it to a pool: once outgrown or freed, buf is left to the collector. That is no leak, even if
// buf is from a pool.
func NewBuffer(buf []byte) *Buffer {
	exempt(buf)
	return &Buffer{buf: buf[:cap(buf)], end: len(buf)}
}

// NewBuffer returns an empty Buffer that grows through p.
func (p *BytePool) NewBuffer() *Buffer {
	p.ready(p)
	return &Buffer{pool: p}
}

// NewSmallBuffer returns an empty Buffer whose first 64 bytes are stored where the Buffer is. If
// the Buffer does not escape, both are on the caller's stack and cost no allocation. A Buffer
// escapes if it is returned, stored, or passed as an interface such as [io.Writer]; use [GetBuffer]
// then. The Buffer is on the heap, too, where the compiler does not inline NewSmallBuffer: in
// builds without optimization, and in function literals inside a function that is itself inlined.
func NewSmallBuffer() *Buffer {
	// The compiler inlines this function and puts both on the stack. For that, no method of Buffer
	// may let the array escape: no method appends to buf, and pooled hides the arrays that go to the
	// pool.
	return &Buffer{buf: make([]byte, smallSize)}
}

// bytesPool returns the pool that b grows through.
func (b *Buffer) bytesPool() *BytePool {
	if p := b.ownPool(); p != nil {
		return p
	}
	return defaultPool.Load()
}

// ownPool returns b.pool, hidden from escape analysis as in pooled. Escape analysis does not tell
// the fields of a Buffer apart, and would move the arrays of NewSmallBuffer to the heap. Hiding is
// sound, because the pool is on the heap and b keeps it alive.
func (b *Buffer) ownPool() *BytePool {
	p := *(*uintptr)(unsafe.Pointer(&b.pool))
	return *(**BytePool)(unsafe.Pointer(&p))
}

// pooled returns b.buf for the caller to put or detach. b.buf must be from the pool.
func (b *Buffer) pooled() []byte {
	if b.state&fresh != 0 {
		b.state &^= fresh
		b.bytesPool().countFresh(len(b.buf))
	}
	// The conversion to uintptr hides the array from escape analysis. Otherwise, the analysis would
	// find that the array of any Buffer may end up in the pool, and would move the arrays of
	// NewSmallBuffer to the heap. Hiding is sound: arrays from the pool are on the heap, where
	// nothing moves, and b.buf keeps this one alive until the result does.
	header := *(*struct {
		array    uintptr
		len, cap int
	})(unsafe.Pointer(&b.buf))
	return *(*[]byte)(unsafe.Pointer(&header))
}

// Free gives the storage of b back and leaves b empty and ready to use. A slice from the caller of
// NewBuffer is only dropped. Free may be called any number of times.
func (b *Buffer) Free() {
	if b.state&owned != 0 {
		b.bytesPool().Put(b.pooled())
	}
	b.buf, b.off, b.end, b.lastRead = nil, 0, 0, opInvalid
	b.state &^= owned
	if b.state&ringed != 0 {
		b.state |= bare
	}
}

// Detach returns the contents of b and leaves b empty, without storage. The caller owns the slice.
// When it is no longer needed, the caller may put it into the pool that b grows through: with [Put]
// for the default pool. The caller may also leave it to the collector; that is no leak. If the pool
// has a [BytePool.MaxInUse], the slice counts until it is put, forgotten or garbage. Detach copies the
// contents to a new array only if the array of b is not from the pool.
func (b *Buffer) Detach() []byte {
	data := b.detach()
	b.bytesPool().claimed(data, false)
	return data
}

// detach is Detach without a claim.
func (b *Buffer) detach() []byte {
	var data []byte
	if b.state&owned != 0 {
		data = b.pooled()
		data = data[:copy(data, data[b.off:b.end])] // Put needs the start of the array
		b.state &^= owned
	} else {
		p := b.bytesPool()
		data = fill(p, p.growTo(b.Len(), engine.OwnClass)[:0], b.Bytes(), "")
	}
	b.Free()
	return data
}

// Bytes returns the unread portion of b. The slice is valid only until b is next
// modified.
func (b *Buffer) Bytes() []byte {
	b.checkStale()
	return b.buf[b.off:b.end]
}

// checkStale reports, in checked mode, a use of b after Put. Methods need it only where b is empty,
// because a Buffer with contents has not been put. Most methods that the compiler inlines would
// become too large with the check. If they change b, they leave a trace: see bufferpool.go. Len,
// Cap and Available report nothing.
func (b *Buffer) checkStale() {
	if b.state&stale != 0 {
		b.misuse()
	}
}

// misuse reports a use of b after Put. From then on, b is an empty Buffer that belongs to no pool.
//
//go:noinline
func (b *Buffer) misuse() {
	b.state &^= stale
	check.ReportUse(b)
}

// AvailableBuffer returns an empty slice with a capacity of b.Available(), to be
// appended to and passed to the next [Buffer.Write]. It is valid only until b is
// next modified.
func (b *Buffer) AvailableBuffer() []byte { return b.buf[b.end:b.end] }

// String returns the unread portion of b as a string, or "<nil>" if b is nil.
func (b *Buffer) String() string {
	if b == nil || b.off == b.end {
		return b.noString()
	}
	return string(b.buf[b.off:b.end])
}

// noString is String of an empty or nil Buffer.
//
//go:noinline
func (b *Buffer) noString() string {
	if b == nil {
		return "<nil>"
	}
	b.checkStale()
	return ""
}

// Peek returns the next n bytes without advancing, and io.EOF if there are fewer.
// The slice is valid only until b is next modified.
func (b *Buffer) Peek(n int) (next []byte, err error) {
	if next = b.buf[b.off:b.end]; len(next) < n {
		return next, b.eof()
	}
	return next[:n], err
}

// eof returns the error of Peek when fewer bytes are unread than requested.
//
//go:noinline
func (b *Buffer) eof() error {
	b.checkStale()
	return io.EOF
}

// empty reports whether no byte is unread.
func (b *Buffer) empty() bool { return b.end <= b.off }

// Len returns the number of bytes of the unread portion of b.
func (b *Buffer) Len() int { return b.end - b.off }

// Cap returns the capacity of the storage of b.
func (b *Buffer) Cap() int { return len(b.buf) }

// Available returns the number of bytes that can be written before b has to grow.
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
	b.peak = max(b.peak, uint32(b.end))
	b.end = len(b.buf[:b.off+n]) // panics if a writer gave WriteTo a negative count
}

// Reset makes b empty, and keeps the storage.
func (b *Buffer) Reset() {
	b.peak = max(b.peak, uint32(b.end))
	b.off, b.end = 0, 0
	b.lastRead = opInvalid
}

// Grow ensures room for another n bytes. It panics if n is negative, and with [bytes.ErrTooLarge]
// if b cannot hold as many. If need be, it goes beyond a limit: see [BytePool.Limit].
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panic("bytes.Buffer.Grow: negative count")
	}
	if outgrown, _ := b.makeRoom(n, true); outgrown != nil {
		b.bytesPool().Put(outgrown)
	}
}

// grow ensures room for another n bytes, unless a limit has none.
func (b *Buffer) grow(n int) error {
	outgrown, err := b.makeRoom(n, false)
	if outgrown != nil {
		b.bytesPool().Put(outgrown)
	}
	return err
}

// makeRoom ensures room for another n bytes, if need be beyond a limit if force is set. If b has outgrown its
// array, makeRoom returns the array for the caller to put, after the write: the bytes to write may be a part of it.
func (b *Buffer) makeRoom(n int, force bool) (outgrown []byte, err error) {
	m := b.Len()
	if m == 0 && b.off != 0 {
		b.Reset()
	}
	c := len(b.buf)
	if n <= c-b.end {
		return nil, nil
	}
	if b.state&stale != 0 {
		b.misuse()
		return b.makeRoom(n, force)
	}
	b.peak = max(b.peak, uint32(b.end))
	if n <= c/2-m {
		// It would suffice to slide the contents down if m+n <= c, but then each of the next writes
		// might have to slide again.
		copy(b.buf, b.buf[b.off:b.end])
	} else if c > maxInt-c-n {
		panic(bytes.ErrTooLarge)
	} else {
		// Outgrown arrays go back to the pool at once, but each step copies the contents. So
		// quadruple small arrays, to take fewer steps.
		factor := 4
		if c > 256<<10 || c <= smallSize || b.bytesPool().limited() { // double: much more is rarely needed
			factor = 2
		}
		need := m + n
		if need <= c {
			need = 0 // without room, slide after all
		}
		switch outgrown, err = b.move(need, max(b.end+n, factor*(c-b.off)), force); {
		case err == nil:
		case need == 0:
			copy(b.buf, b.buf[b.off:b.end])
		default:
			return nil, err
		}
	}
	b.readEnd -= uint32(b.off) // still valid if it was valid
	b.off, b.end = 0, m
	return outgrown, nil
}

// move moves the unread bytes to a new array of n bytes, or if a limit has no room for it, of need bytes, unless that
// is 0. It returns the old array if that must be put.
func (b *Buffer) move(need, n int, force bool) (old []byte, err error) {
	f := engine.BestFit
	if len(b.buf) > smallSize {
		f = engine.OwnClass // with BestFit, a Buffer that is read as fast as it is written would grow again and again
	}
	var array []byte
	counted := true
	switch {
	case force:
		array = b.grown(n, f)
	case n <= smallFit && b.state&^(owned|fresh) == 0:
		array, counted, err = b.bytesPool().getFresh(n)
	default:
		array, err = b.grownOr(need, n, f)
	}
	if err != nil {
		return nil, err
	}
	if counted {
		b.bytesPool().exempt(array) // a Buffer need not be freed
	}
	array = array[:cap(array)]
	moved := false
	defer func() {
		if !moved && counted { // the copy has faulted: see fill
			b.bytesPool().Put(array)
		}
	}()
	copy(array, b.buf[b.off:b.end])
	moved = true
	if b.state&owned != 0 {
		old = b.pooled()
	}
	b.buf = array
	b.state |= owned
	if !counted {
		b.state |= fresh
	}
	return old, nil
}

// grownOr is grown, or if a limit has no room, grown for need bytes, or an error.
func (b *Buffer) grownOr(need, n int, f engine.Fit) ([]byte, error) {
	p := b.bytesPool()
	if p.ceiling() == nil {
		return b.grown(n, f), nil
	}
	if array, err := p.getOr(n, f, want{quiet: true}); err == nil || need == 0 {
		return array, err
	}
	return p.getOr(need, f, want{})
}

// grown returns at least n bytes for b to grow into. It panics with bytes.ErrTooLarge if that is
// impossible.
func (b *Buffer) grown(n int, f engine.Fit) []byte {
	if n > sizeclass.Max {
		defer func() {
			if recover() != nil {
				panic(bytes.ErrTooLarge)
			}
		}()
	}
	return b.bytesPool().growTo(n, f)
}

// Write appends p. It returns len(p) and nil, or an error that wraps [ErrLimit]. It panics with
// [bytes.ErrTooLarge] if b becomes too large.
//
//go:nosplit
func (b *Buffer) Write(p []byte) (n int, err error) {
	// nosplit leaves out the check of the stack size, which costs as much as storing the bytes.
	b.lastRead = opInvalid
	n, m := len(p), b.end
	if n > len(b.buf)-m {
		return b.growWrite(p)
	}
	b.end = m + n
	// 8 to 128 bytes are copied here, which saves the call of memmove. They are copied as pieces
	// from the front and pieces from the back, which overlap if needed. Both arrays have n bytes,
	// so all pieces are within them. The 16-byte pieces need src and dst to be apart, but p may be
	// a result of AvailableBuffer. With 8-byte words they may overlap: both words are loaded before
	// either is stored.
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

// WriteString is [Buffer.Write] for a string.
func (b *Buffer) WriteString(s string) (n int, err error) {
	return b.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// growWrite is Write when b has too little room.
//
//go:noinline
func (b *Buffer) growWrite(p []byte) (n int, err error) {
	outgrown, err := b.makeRoom(len(p), false)
	if err != nil {
		return 0, err
	}
	if outgrown != nil {
		defer b.bytesPool().Put(outgrown) // if the copy faults, too
	}
	n = copy(b.buf[b.end:], p)
	b.end += n
	return n, nil
}

// WriteByte appends c. It returns nil or an error that wraps [ErrLimit], and panics with [bytes.ErrTooLarge]
// if b becomes too large.
func (b *Buffer) WriteByte(c byte) (err error) {
	// The compiler inlines no more than this. See readEnd for the missing reset of lastRead.
	if b.end == len(b.buf) {
		return b.writeByteGrown(c)
	}
	b.buf[b.end] = c
	b.end++
	return
}

// writeByteGrown is WriteByte for a buffer without room.
//
//go:noinline
func (b *Buffer) writeByteGrown(c byte) error {
	if err := b.grow(1); err != nil {
		return err
	}
	b.buf[b.end] = c
	b.end++
	return nil
}

// WriteRune appends r in UTF-8. It returns the number of bytes and nil, or an error that wraps [ErrLimit]. It
// panics with [bytes.ErrTooLarge] if b becomes too large.
func (b *Buffer) WriteRune(r rune) (n int, err error) {
	b.lastRead = opInvalid
	if uint32(r) < utf8.RuneSelf { // uint32: a negative r is no ASCII
		if err = b.WriteByte(byte(r)); err != nil {
			return 0, err
		}
		return 1, nil
	}
	if err = b.grow(utf8.UTFMax); err != nil { // fewer bytes may have room
		return b.Write(utf8.AppendRune(nil, r))
	}
	n = utf8.EncodeRune(b.buf[b.end:], r)
	b.end += n
	return n, nil
}

// ReadFrom reads from r until io.EOF and appends the data. It returns the number of bytes read and
// any error but io.EOF, or an error that wraps [ErrLimit]. It panics if r returns a count that is negative or larger than requested,
// and with [bytes.ErrTooLarge] if b becomes too large.
func (b *Buffer) ReadFrom(r io.Reader) (n int64, err error) {
	b.lastRead = opInvalid
	for {
		if err := b.grow(bytes.MinRead); err != nil {
			return n, err
		}
		free := b.buf[b.end:]
		m, err := r.Read(free)
		if m < 0 {
			panic(errBufferNegativeRead)
		}
		b.end += len(free[:m]) // panics if m exceeds the bytes asked for
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// WriteTo writes the unread portion of b to w. It returns the number of bytes and the error of w,
// or [io.ErrShortWrite] if w took fewer bytes without an error. Bytes that were not written remain
// unread. WriteTo panics if w claims to have written more than it was given.
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
	} else {
		b.checkStale()
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
	n = copy(p, b.buf[b.off:b.end])
	b.off += n
	if n > 0 {
		b.lastRead, b.readEnd = opRead, uint32(b.end)
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
		b.lastRead, b.readEnd = opRead, uint32(b.end)
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
	b.lastRead, b.readEnd = opRead, uint32(b.end)
	return c, nil
}

// ReadRune reads one rune in UTF-8 and returns it and its size. A byte that does not begin a valid
// rune is read as U+FFFD of size 1. It returns io.EOF if there is nothing to read.
func (b *Buffer) ReadRune() (r rune, size int, err error) {
	if b.empty() {
		b.checkStale()
		b.Reset()
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(b.Bytes())
	b.off += size
	b.lastRead, b.readEnd = readOp(size), uint32(b.end)
	return r, size, nil
}

// UnreadRune undoes a ReadRune. It returns an error if the last operation on b was not a successful
// ReadRune.
func (b *Buffer) UnreadRune() error {
	if b.lastRead <= opInvalid || b.readEnd != uint32(b.end) {
		return errUnreadRune
	}
	if b.off >= int(b.lastRead) {
		b.off -= int(b.lastRead)
	}
	b.lastRead = opInvalid
	return nil
}

// UnreadByte undoes the read of the last byte. It returns an error if the last operation on b was
// not a read, or read no byte. As in bytes.Buffer, a ReadBytes or ReadString always passes for a
// read of a byte.
func (b *Buffer) UnreadByte() error {
	if b.lastRead == opInvalid || b.readEnd != uint32(b.end) {
		return errUnreadByte
	}
	b.lastRead = opInvalid
	if b.off > 0 {
		b.off--
	}
	return nil
}

// ReadBytes reads up to and including the first delim and returns a copy. If there is no delim, it
// returns all unread bytes and io.EOF.
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
	b.lastRead, b.readEnd = opRead, uint32(b.end)
	return line, err
}
