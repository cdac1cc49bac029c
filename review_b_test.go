//go:build go1.25

package basin

import "io"

var errEOF = io.EOF

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
