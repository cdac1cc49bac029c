//go:build go1.25 && unix

package basinio

import (
	"errors"
	"io"
	"math"
	"net"
	"os"
	"reflect"
	"syscall"

	"github.com/basin-go/basin"
)

// needsMemory is the result of an attempt that found no memory to read into.
const needsMemory = math.MinInt32

// maxRead is the most bytes that one attempt reads, as in the standard library.
const maxRead = 1 << 30

// rawOf returns the connection of the system behind src, or nil if src is no type of the standard
// library: the Read of another type may do more than reading from its connection.
func rawOf(src io.Reader) (syscall.RawConn, flags) {
	f := kindOf(src)
	switch c := src.(type) {
	case *net.TCPConn, *net.UnixConn, *net.UDPConn, *net.IPConn, *os.File:
		if rc, err := c.(syscall.Conn).SyscallConn(); err == nil {
			return rc, f
		}
	}
	return nil, f
}

// receiveRaw is receive for a connection of the system.
func (b *Reader) receiveRaw() (int, error) {
	for {
		if err := b.hold(); err != nil {
			return 0, b.waitError(err)
		}
		if err := b.rc.Read(b.try); err != nil {
			return 0, b.waitError(err)
		}
		switch {
		case b.got == needsMemory:
			continue // calling rc.Read again is no system call
		case b.got < 0:
			return 0, b.readError(syscall.Errno(-b.got))
		case b.got == 0 && b.flags&datagrams == 0:
			return 0, io.EOF
		}
		return int(b.got), nil
	}
}

// attempt reads from the descriptor once. If there is nothing to read, it gives the memory back and
// returns false, and is called again after the wait.
func (b *Reader) attempt(fd uintptr) bool {
	if size := b.Size(); len(b.buf) < size && !b.holdSpare(size) {
		b.got = needsMemory
		return true
	}
	p := b.buf[b.w:]
	p = p[:min(len(p), maxRead)]
	for {
		n, err := syscall.Read(int(fd), p)
		switch err {
		case nil:
			b.got = int32(n)
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			b.park()
			return false
		default:
			b.got = -int32(err.(syscall.Errno))
		}
		return true
	}
}

// readError returns the error that the Read of the source would return for errno.
func (b *Reader) readError(errno syscall.Errno) error {
	switch c := b.src.(type) {
	case *os.File:
		return &os.PathError{Op: "read", Path: c.Name(), Err: errno}
	case net.Conn:
		network := c.LocalAddr().Network()
		// It has the network that the program named, such as "tcp4".
		if m := reflect.ValueOf(b.rc).MethodByName("Network"); m.IsValid() {
			network = m.Call(nil)[0].String()
		}
		return &net.OpError{Op: "read", Net: network, Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("read", errno)}
	}
	return errno
}

// waitError returns an error of a limit, or that which the Read of the source would return for err of a RawConn: it was
// closed, or its deadline has passed, or it cannot wait.
func (b *Reader) waitError(err error) error {
	if errors.Is(err, basin.ErrLimit) {
		return err
	}
	if _, closed := b.src.Read(nil); closed != nil {
		return closed
	}
	if e, ok := err.(*net.OpError); ok {
		e.Op = "read"
		return e
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &os.PathError{Op: "read", Path: b.src.(*os.File).Name(), Err: err}
	}
	return b.readError(syscall.EAGAIN)
}

// holdSpare is hold, if there is a spare buffer.
func (b *Reader) holdSpare(size int) bool {
	if p := b.pool(); spared(p) {
		if m := takeSpare(p, size, &b.hint); m != nil {
			b.adopt(p, m)
			return true
		}
	}
	return false
}
