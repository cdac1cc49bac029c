//go:build go1.25

package basinio

import "github.com/basin-go/basin/internal/gccycle"

// PutSpares gives all spares back to their pools.
func PutSpares() { putSpares(maxReserve) }

// ReturnSpares does as after a collection.
func ReturnSpares() { returnSpares(gccycle.Low) }

// Raw reports whether b reads from a connection of the system.
func (b *Reader) Raw() bool { return b.rc != nil }

// Holds reports whether b has memory of the pool.
func (b *Reader) Holds() bool { return b.flags&pooled != 0 }

// Holds reports whether b has memory of the pool.
func (b *Writer) Holds() bool { return b.buf != nil && b.err == nil }
