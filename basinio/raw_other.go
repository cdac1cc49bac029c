//go:build go1.25 && !unix

package basinio

import (
	"io"
	"syscall"
)

func rawOf(src io.Reader) (syscall.RawConn, flags) { return nil, kindOf(src) }

func (b *Reader) receiveRaw() (int, error) { return b.receiveAny() }

func (b *Reader) attempt(uintptr) bool { return true }
