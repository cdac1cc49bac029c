//go:build go1.25

// Package readerpool reuses readers of package bytes.
package readerpool

import (
	"bytes"

	"github.com/basin-go/basin/compat/capacitypools"
)

// New returns a reader of b.
func New(b []byte) (r *bytes.Reader) { // a variable of its own would cost too much to be inlined
	r = capacitypools.Readers.Get()
	r.Reset(b)
	return
}

// Release puts r. The caller must not use r any more. It does nothing if r is nil.
func Release(r *bytes.Reader) {
	if r != nil {
		*r = bytes.Reader{} // as Reset(nil), but faster
		capacitypools.Readers.Put(r)
	}
}
