// Package readerpool recycles readers of package bytes.
package readerpool

import (
	"bytes"

	"github.com/basin-go/basin/compat/capacitypools"
)

// New returns a reader of b.
func New(b []byte) *bytes.Reader {
	r := capacitypools.Readers.Get()
	r.Reset(b)
	return r
}

// Release gives r back, which nobody may use any more. Nothing happens if r is nil.
func Release(r *bytes.Reader) {
	if r != nil {
		capacitypools.Readers.Put(r)
	}
}
