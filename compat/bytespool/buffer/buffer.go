//go:build go1.25

package buffer

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"unsafe"
)

// Errors that methods of Buffer return or panic with.
var (
	ErrTooLarge   = errors.New("buffer: too large")
	ErrTruncation = errors.New("buffer: truncation out of range")
	ErrGrow       = errors.New("buffer: negative count")
	ErrClose      = errors.New("buffer: failed to add it to the pool")
)

// A Buffer is a byte slice with the methods of a writer, on pooled memory. It counts the
// references in addition to the first. The last Release puts the memory. The zero Buffer is
// empty and ready to use. Except for the count, it must be used by one goroutine at a time.
type Buffer struct {
	// B has the contents. Users may change it.
	B []byte

	references atomic.Int64
}

// RefInc, RefDec, RefAdd, RefStore and RefReset change the number of references in addition to
// the first, and RefValue returns it. RefSwapDec is RefDec, and returns the previous number.
func (bb *Buffer) RefInc()               { bb.references.Add(1) }
func (bb *Buffer) RefDec()               { bb.references.Add(-1) }
func (bb *Buffer) RefAdd(delta int64)    { bb.references.Add(delta) }
func (bb *Buffer) RefStore(val int64)    { bb.references.Store(val) }
func (bb *Buffer) RefReset()             { bb.references.Store(0) }
func (bb *Buffer) RefValue() int64       { return bb.references.Load() }
func (bb *Buffer) RefSwapDec() (c int64) { return bb.references.Add(-1) + 1 }

// Release drops a reference. The last one puts the memory, and Release reports whether its capacity
// is one of the pools'. Then bb must not be used any more. Further calls do nothing until bb is handed
// out again.
func (bb *Buffer) Release() bool {
	if bb.RefSwapDec() != 0 {
		return false
	}
	return bb.free()
}

func (bb *Buffer) free() (ok bool) {
	ok = pools.Release(bb.B)
	bb.B = nil
	handles.Put(bb)
	return ok
}

// Put is Release without a result.
func (bb *Buffer) Put() { bb.Release() }

// Close is Release. It returns [ErrClose] where Release returns false.
func (bb *Buffer) Close() error {
	if bb.Release() {
		return nil
	}
	return ErrClose
}

// GetReader adds a reference, and returns a reader of the contents.
func (bb *Buffer) GetReader() *bytes.Reader {
	bb.RefInc()
	return GetReader(bb.B)
}

// PutReader puts r and drops its reference.
func (bb *Buffer) PutReader(r *bytes.Reader) bool {
	PutReader(r)
	return bb.Release()
}

// PutAll puts all readers in r, and the memory of bb, regardless of the number of references.
// It does not put memory that was released before.
func (bb *Buffer) PutAll(r ...*bytes.Reader) {
	for _, r := range r {
		PutReader(r)
	}
	if bb.references.Swap(-1) >= 0 {
		bb.free()
	}
}

// Bytes returns the contents, Len their length, and Cap the capacity.
func (bb *Buffer) Bytes() []byte { return bb.B }
func (bb *Buffer) Len() int      { return len(bb.B) }
func (bb *Buffer) Cap() int      { return cap(bb.B) }

// String returns a copy of the contents, or "" if bb is nil.
func (bb *Buffer) String() string {
	if bb == nil {
		return ""
	}
	return string(bb.B)
}

// UnsafeString returns the contents as a string. It is valid only until the contents change.
func (bb *Buffer) UnsafeString() string {
	// Sound as long as nobody writes to the array, as the name warns.
	return unsafe.String(unsafe.SliceData(bb.B), len(bb.B))
}

// Clone, Copy and CopyTo copy the contents: to a new Buffer, to a slice for bytespool.Put, and
// to p, up to its length.
func (bb *Buffer) Clone() *Buffer      { return Clone(bb) }
func (bb *Buffer) Copy() []byte        { return pools.NewBytes(bb.B) }
func (bb *Buffer) CopyTo(p []byte) int { return copy(p, bb.B) }

// Grow extends the contents by n arbitrary bytes. It panics as [Buffer.Guarantee] does.
func (bb *Buffer) Grow(n int) {
	bb.Guarantee(n)
	bb.B = bb.B[:len(bb.B)+n]
}

// Guarantee makes room for n more bytes. It panics with [ErrGrow] if n is negative, and with
// [ErrTooLarge] if the length would exceed an int32.
func (bb *Buffer) Guarantee(n int) {
	switch {
	case n < 0:
		panic(ErrGrow)
	case n <= cap(bb.B)-len(bb.B):
		return
	case n > maxLen-len(bb.B):
		panic(ErrTooLarge)
	}
	grown := pools.Make(len(bb.B) + n)
	unused := grown // put if the copy faults: see basincheck.Catch
	defer func() { pools.Put(unused) }()
	grown = append(grown, bb.B...)
	unused, bb.B = bb.B, grown
}

// Truncate discards all but the first n bytes. It panics with [ErrTruncation] if there are
// fewer.
func (bb *Buffer) Truncate(n int) {
	if n < 0 || n > len(bb.B) {
		panic(ErrTruncation)
	}
	bb.B = bb.B[:n]
}

// Reset discards all bytes, and keeps the memory.
func (bb *Buffer) Reset() { bb.B = bb.B[:0] }

// Set and SetString replace the contents by a copy of p, or of s.
func (bb *Buffer) Set(p []byte)       { bb.B = pools.Append(bb.B[:0], p...) }
func (bb *Buffer) SetString(s string) { bb.B = pools.AppendString(bb.B[:0], s) }

// Append, AppendByte and AppendString append. They leave an array that becomes too small to the
// collector, because it may be referenced elsewhere. The Write methods release it.
func (bb *Buffer) Append(p []byte)       { bb.B = append(bb.B, p...) }
func (bb *Buffer) AppendByte(c byte)     { bb.B = append(bb.B, c) }
func (bb *Buffer) AppendString(s string) { bb.B = append(bb.B, s...) }

// Write appends p. It returns len(p) and nil.
func (bb *Buffer) Write(p []byte) (int, error) {
	bb.B = pools.Append(bb.B, p...)
	return len(p), nil
}

// WriteString appends s. It returns len(s) and nil.
func (bb *Buffer) WriteString(s string) (int, error) {
	bb.B = pools.AppendString(bb.B, s)
	return len(s), nil
}

// WriteByte appends c. It returns nil.
func (bb *Buffer) WriteByte(c byte) error {
	bb.Guarantee(1)
	bb.B = append(bb.B, c)
	return nil
}

// ReadFrom reads from r until io.EOF and appends the data. It returns the number of bytes and
// any error but io.EOF, or [ErrTooLarge].
func (bb *Buffer) ReadFrom(r io.Reader) (int64, error) {
	before := len(bb.B)
	for {
		if len(bb.B) == cap(bb.B) {
			if len(bb.B) >= maxLen {
				return int64(len(bb.B) - before), ErrTooLarge
			}
			bb.Guarantee(min(max(len(bb.B), 64), maxLen-len(bb.B)))
		}
		n, err := r.Read(bb.B[len(bb.B):cap(bb.B)])
		bb.B = bb.B[:len(bb.B)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return int64(len(bb.B) - before), err
		}
	}
}

// WriteTo writes the contents to w in one call, and keeps them. It returns the result of that
// call.
func (bb *Buffer) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(bb.B)
	return int64(n), err
}
