package buffer

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"unsafe"
)

// What methods of Buffer panic with or return.
var (
	ErrTooLarge   = errors.New("buffer: too large")
	ErrTruncation = errors.New("buffer: truncation out of range")
	ErrGrow       = errors.New("buffer: negative count")
	ErrClose      = errors.New("buffer: failed to add it to the pool")
)

// A Buffer is a byte slice with the methods of a writer, on recycled memory. It counts
// those who refer to it beside the first, and the last to release it gives the memory back.
// The zero Buffer is empty and ready. But for the count, it is for one
// goroutine at a time.
type Buffer struct {
	// B has the contents. It may be changed freely.
	B []byte

	references atomic.Int64
}

// RefInc, RefDec, RefAdd, RefStore and RefReset change how many references there are beside the
// first, and RefValue returns it. RefSwapDec is RefDec, and returns how many there were.
func (bb *Buffer) RefInc()               { bb.references.Add(1) }
func (bb *Buffer) RefDec()               { bb.references.Add(-1) }
func (bb *Buffer) RefAdd(delta int64)    { bb.references.Add(delta) }
func (bb *Buffer) RefStore(val int64)    { bb.references.Store(val) }
func (bb *Buffer) RefReset()             { bb.references.Store(0) }
func (bb *Buffer) RefValue() int64       { return bb.references.Load() }
func (bb *Buffer) RefSwapDec() (c int64) { return bb.references.Add(-1) + 1 }

// Release drops a reference. If it was the last, the memory goes back, and Release reports
// whether that was kept; nobody may use bb any more. Further calls do nothing until bb is handed out
// again.
func (bb *Buffer) Release() bool {
	if bb.RefSwapDec() != 0 {
		return false
	}
	return bb.free()
}

func (bb *Buffer) free() (kept bool) {
	kept = pools.Release(bb.B)
	bb.B = nil
	handles.Put(bb)
	return kept
}

// Put is Release without the answer.
func (bb *Buffer) Put() { bb.Release() }

// Close is Release, and returns [ErrClose] if nothing was kept.
func (bb *Buffer) Close() error {
	if bb.Release() {
		return nil
	}
	return ErrClose
}

// GetReader returns a reader of the contents, and counts a reference for it.
func (bb *Buffer) GetReader() *bytes.Reader {
	bb.RefInc()
	return GetReader(bb.B)
}

// PutReader gives r back and releases its reference.
func (bb *Buffer) PutReader(r *bytes.Reader) bool {
	PutReader(r)
	return bb.Release()
}

// PutAll gives all of r back and the memory of bb too, however many references there are. It does
// not give back again what has been released.
func (bb *Buffer) PutAll(r ...*bytes.Reader) {
	for _, r := range r {
		PutReader(r)
	}
	if bb.references.Swap(-1) >= 0 {
		bb.free()
	}
}

// Bytes returns the contents, and Len and Cap how many there are and can be without more memory.
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

// UnsafeString returns the contents as a string, which is valid only until they change.
func (bb *Buffer) UnsafeString() string {
	// Sound as long as nobody writes to the array, which is what the name warns of.
	return unsafe.String(unsafe.SliceData(bb.B), len(bb.B))
}

// Clone, Copy and CopyTo copy the contents: to a new Buffer, to a slice for bytespool.Put, and
// to p as far as they fit.
func (bb *Buffer) Clone() *Buffer      { return Clone(bb) }
func (bb *Buffer) Copy() []byte        { return pools.NewBytes(bb.B) }
func (bb *Buffer) CopyTo(p []byte) int { return copy(p, bb.B) }

// Grow makes the contents n arbitrary bytes longer. It panics as [Buffer.Guarantee] does.
func (bb *Buffer) Grow(n int) {
	bb.Guarantee(n)
	bb.B = bb.B[:len(bb.B)+n]
}

// Guarantee makes room for n more bytes. It panics with [ErrGrow] if n is negative, and with
// [ErrTooLarge] if that would be more than an int32 can count.
func (bb *Buffer) Guarantee(n int) {
	switch {
	case n < 0:
		panic(ErrGrow)
	case n <= cap(bb.B)-len(bb.B):
		return
	case n > maxLen-len(bb.B):
		panic(ErrTooLarge)
	}
	grown := append(pools.Make(len(bb.B)+n), bb.B...)
	pools.Put(bb.B)
	bb.B = grown
}

// Truncate discards all but the first n bytes. It panics with [ErrTruncation] if there are not as
// many.
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

// Append, AppendByte and AppendString append, and leave an array that they outgrow to the
// collector: somebody may refer to it. Write and its like release it.
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

// ReadFrom reads from r until io.EOF and appends what it reads. It returns the number of
// bytes and any error but io.EOF, or [ErrTooLarge].
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

// WriteTo writes the contents, which stay, to w in one call. It returns what that returns.
func (bb *Buffer) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(bb.B)
	return int64(n), err
}
