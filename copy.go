//go:build go1.25

package basin

import (
	"errors"
	"io"

	"github.com/basin-go/basin/internal/engine"
)

const (
	copySize = 32 << 10 // as io.Copy
	waitSize = 512

	refusedPause = 64 // writes after which Copy asks for its buffer again
)

var (
	errInvalidWrite = errors.New("basin: writer returned an invalid count from Write")
	errEnd          = errors.New("end of the source") // in the place of io.EOF, which a writer may return, too
)

// Copy is [io.Copy] with memory from p: it copies from src to dst until io.EOF or an error. While
// src waits, Copy holds 512 bytes, or MinSize if that is more. It takes its buffer of 32 KiB when
// they have been filled, and holds it as long as src fills that. If a limit has no room for the few bytes,
// Copy returns an error that wraps [ErrLimit]. If it has none for the buffer, Copy goes on without it.
//
// Like io.Copy, it leaves the work to src if src is an [io.WriterTo], or else to dst if dst is an
// [io.ReaderFrom]; then it needs no memory. These may hold a buffer themselves, as connections of
// package net do: for connections use Copy of package basinio. To copy n bytes, read from an
// [io.LimitReader].
func (p *BytePool) Copy(dst io.Writer, src io.Reader) (written int64, err error) {
	if _, ok := src.(io.WriterTo); ok {
		return io.Copy(dst, src)
	}
	if _, ok := dst.(io.ReaderFrom); ok {
		return io.Copy(dst, src)
	}
	size := copySize
	if l, ok := src.(*io.LimitedReader); ok {
		size = int(max(1, min(l.N, int64(size))))
	}
	few, err := p.getOr(min(size, waitSize), engine.BestFit, want{})
	if err != nil {
		return 0, err
	}
	defer p.Put(few)
	for pause := 0; err == nil; pause-- {
		var filled bool
		filled, err = copyOnce(dst, src, few, &written)
		if filled && err == nil && pause <= 0 {
			var ok bool
			if ok, err = p.copyMuch(dst, src, size, &written); !ok {
				pause = refusedPause
			}
		}
	}
	if err == errEnd {
		err = nil
	}
	return written, err
}

// copyMuch copies as long as src fills a buffer of the given size. ok is false if there is no room for it.
func (p *BytePool) copyMuch(dst io.Writer, src io.Reader, size int, written *int64) (ok bool, err error) {
	buf, err := p.getOr(size, engine.BestFit, want{quiet: true})
	if err != nil {
		return false, nil
	}
	defer p.Put(buf)
	for filled := true; filled && err == nil; {
		filled, err = copyOnce(dst, src, buf, written)
	}
	return true, err
}

// copyOnce reads once from src into buf, and writes the bytes to dst. It reports whether they
// filled buf.
func copyOnce(dst io.Writer, src io.Reader, buf []byte, written *int64) (filled bool, err error) {
	n, err := src.Read(buf)
	if err == io.EOF {
		err = errEnd
	}
	if n == 0 {
		return false, err
	}
	m, werr := dst.Write(buf[:n])
	switch {
	case m < 0 || m > n:
		if werr == nil {
			werr = errInvalidWrite
		}
		return false, werr
	case werr == nil && m < n:
		werr = io.ErrShortWrite
	}
	*written += int64(m)
	if werr != nil {
		err = werr
	}
	return n == len(buf), err
}
