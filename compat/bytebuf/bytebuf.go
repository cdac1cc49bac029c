//go:build go1.25

// Package bytebuf has the API of github.com/intel-go/bytebuf, on basin: the API of
// bytes.Buffer, and New.
//
// Intended differences:
//
//   - The zero Buffer is ready to use, as in package bytes.
//   - A Buffer that outgrows its first 64 bytes uses the default pool of basin, so it appears as
//     "default" in statistics. Free, which is optional, returns its array to the pool.
//   - A slice that Bytes, Next, Peek or AvailableBuffer has returned may belong to another user
//     once the Buffer was modified. With the original, it is merely stale.
//
// With the replacement below, go fix of Go 1.26 or later rewrites programs to use basin itself.
// To use this package in place of the original:
//
//	go mod edit -replace github.com/intel-go/bytebuf=github.com/basin-go/basin/compat/bytebuf@v0.1.0
package bytebuf

import (
	"bytes"

	"github.com/basin-go/basin"
)

// MinRead is the least free space with which [Buffer.ReadFrom] calls Read.
//
//go:fix inline
const MinRead = bytes.MinRead

// ErrTooLarge is the value that a Buffer panics with if it would become too large.
var ErrTooLarge = bytes.ErrTooLarge

// A Buffer is a [basin.Buffer]: a [bytes.Buffer] on pooled memory. It must not be copied after
// its first use.
//
//go:fix inline
type Buffer = basin.Buffer

// New returns an empty Buffer whose first 64 bytes are stored in the Buffer itself: on the
// stack of the caller, if the Buffer does not escape.
//
//go:fix inline
func New() *Buffer { return basin.NewSmallBuffer() }

// NewBuffer returns a Buffer with buf as its contents, and takes ownership of buf.
//
//go:fix inline
func NewBuffer(buf []byte) *Buffer { return basin.NewBuffer(buf) }

// NewBufferString returns a Buffer with a copy of s as its contents.
//
//go:fix inline
func NewBufferString(s string) *Buffer { return basin.NewBuffer([]byte(s)) }
