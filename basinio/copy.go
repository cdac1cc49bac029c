//go:build go1.25

package basinio

import (
	"io"
	"net"
	"os"
	"reflect"
	"runtime"
	"syscall"

	"github.com/basin-go/basin"
)

const (
	copySize = 32 << 10 // as io.Copy

	// copyFew is the number of bytes that Copy waits with if the source is no connection of the
	// system. It writes them before it takes memory, so they should hold a short message. See also widen.
	copyFew = 512
)

// Copy is [io.Copy], but holds no buffer while src waits. While bytes flow, its buffer is memory of
// the default pool. For another pool, set that of a [Reader], and call its WriteTo.
//
// Like io.Copy, it leaves the work to src if src is an [io.WriterTo], or else to dst if dst is an
// [io.ReaderFrom]. For connections and files of the system, types around them, and ResponseWriters of
// net/http, it does so only where the kernel can move the bytes: splice and sendfile. Otherwise their
// methods would hold 32 KiB.
//
// src must be a stream of bytes, or a connection of package net. For other sources with messages, and
// for types that wrap a socket with messages, use io.Copy or [Reader.Messages].
//
// To copy n bytes, copy from an [io.LimitReader].
func Copy(dst io.Writer, src io.Reader) (written int64, err error) {
	return copyWith(nil, dst, src)
}

func copyWith(pool *basin.BytePool, dst io.Writer, src io.Reader) (written int64, err error) {
	if n, err, done := shortCut(dst, src); done {
		return n, err
	}
	r := Reader{Pool: pool, BufferSize: copySize}
	defer r.Reset(nil)
	l, ok := src.(*io.LimitedReader)
	if !ok {
		r.resetToCopy(src)
		return r.WriteTo(dst)
	}
	r.resetToCopy(l.R)
	var few []byte
	for before := 0; l.N > 0 && err == nil; {
		var p []byte
		if l.N <= copyFew {
			if few == nil {
				r.give()
				few = make([]byte, l.N)
			}
			var n int
			n, err = l.Read(few[:l.N])
			p = few[:n]
		} else {
			r.give()
			r.BufferSize = int(min(l.N, copySize))
			r.fill()
			err = r.readErr()
			p = r.buf[r.r:r.w]
			r.widen(before, len(p))
			before = len(p)
			r.r = r.w
			l.N -= int64(len(p))
		}
		if len(p) > 0 {
			n, err := writeAll(dst, p)
			written += int64(n)
			if err != nil {
				return written, err
			}
		}
	}
	if err == io.EOF {
		err = nil
	}
	return written, err
}

// resetToCopy is Reset. Many empty reads, such as those of an io.Pipe with empty writes, end no copy.
func (b *Reader) resetToCopy(src io.Reader) {
	b.Reset(src)
	b.flags |= patient
}

// writeAll writes p to w.
func writeAll(w io.Writer, p []byte) (n int, err error) {
	n, err = w.Write(p)
	switch {
	case n < 0:
		panic(errNegativeWrite)
	case n > len(p):
		panic(errLargeWrite)
	case err == nil && n < len(p):
		err = io.ErrShortWrite
	}
	return n, err
}

// shortCut copies from src to dst without a buffer of basinio, if there is a way. It returns false
// if there is none.
func shortCut(dst io.Writer, src io.Reader) (n int64, err error, done bool) {
	inner, limited := src, false
	if l, ok := src.(*io.LimitedReader); ok {
		inner, limited = l.R, true
	}
	if byKernel(dst, inner, limited) {
		n, err = io.Copy(dst, src)
		return n, err, true
	}
	ours := ofSystem(inner)
	if w, ok := src.(io.WriterTo); ok && !ours && (ofSystem(dst) || !around(src)) {
		n, err = w.WriteTo(dst)
		return n, err, true
	}
	if r, ok := dst.(io.ReaderFrom); ok && !ofSystem(dst) && (ours || !around(dst)) {
		n, err = r.ReadFrom(src)
		return n, err, true
	}
	return 0, nil, false
}

// around reports whether x probably has its ReadFrom and WriteTo from a connection of the system, or passes their
// arguments on to one: a type around such a connection, or an http.ResponseWriter. They then hold a buffer unless the
// kernel moves the bytes.
func around(x any) bool {
	switch x.(type) {
	case syscall.Conn, interface{ WriteHeader(status int) }:
		return true
	}
	return false
}

// ofSystem reports whether the ReadFrom and WriteTo of x are for splice and sendfile, and otherwise
// hold a buffer.
func ofSystem(x any) bool {
	switch x.(type) {
	case *net.TCPConn, *net.UnixConn, *os.File:
		return true
	}
	return false
}

// byKernel reports whether io.Copy has the kernel move the bytes.
func byKernel(dst io.Writer, src io.Reader, limited bool) bool {
	switch s := src.(type) {
	case *os.File:
		info, err := s.Stat()
		return err == nil && info.Mode().IsRegular() && ofSystem(dst) // a file does not wait
	case *net.TCPConn:
		switch d := dst.(type) {
		case *net.UnixConn:
			return runtime.GOOS == "linux" && !limited && stream(d)
		case *net.TCPConn, *os.File:
			return runtime.GOOS == "linux"
		}
	case *net.UnixConn:
		switch dst.(type) {
		case *net.TCPConn, *os.File:
			return runtime.GOOS == "linux" && stream(s)
		}
	}
	return false
}

// unwrapped returns the file or connection that io.Copy reads from if src is of a type that packages
// os and net pass to the ReadFrom of a writer: one that hides WriteTo. Only they know that type.
func unwrapped(src io.Reader) io.Reader {
	v := reflect.ValueOf(src)
	if v.Kind() != reflect.Struct || v.Type().PkgPath() != "os" && v.Type().PkgPath() != "net" {
		return src
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInterface() {
			if inner, ok := f.Interface().(io.Reader); ok && ofSystem(inner) {
				return inner
			}
		}
	}
	return src
}

func stream(c *net.UnixConn) bool {
	a := c.LocalAddr()
	return a != nil && a.Network() == "unix"
}

// kindOf finds out if src has messages or datagrams. It asks no type of the program: a stream over
// UDP, such as one of QUIC, may have the address of a datagram socket, and a fake may have none.
func kindOf(src io.Reader) flags {
	switch c := src.(type) {
	case *net.UDPConn, *net.IPConn:
		return messages | datagrams
	case *net.UnixConn:
		if a := c.LocalAddr(); a != nil && a.Network() == "unixpacket" {
			return messages
		} else if a != nil && a.Network() == "unixgram" {
			return messages | datagrams
		}
	case *io.LimitedReader:
		return kindOf(c.R)
	}
	return 0
}
