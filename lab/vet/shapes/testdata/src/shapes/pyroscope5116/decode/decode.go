package decode

import (
	"io"
	"sync"
	"unsafe"
)

var pool = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

func Buffer(r io.Reader) []byte {
	b := *pool.Get().(*[]byte)
	n, _ := io.ReadFull(r, b[:cap(b)])
	return b[:n]
}

func Recycle(b []byte) { pool.Put(&b) }

// Table returns the strings of b, which point into b.
func Table(b []byte) (out []string) {
	for len(b) > 0 {
		n := int(b[0])
		out = append(out, unsafe.String(&b[1], n))
		b = b[1+n:]
	}
	return out
}

// CopiedTable returns the strings of b as copies.
func CopiedTable(b []byte) (out []string) {
	for len(b) > 0 {
		n := int(b[0])
		out = append(out, string(b[1:1+n]))
		b = b[1+n:]
	}
	return out
}
