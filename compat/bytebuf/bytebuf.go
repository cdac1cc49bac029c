// Package bytebuf has the API of github.com/intel-go/bytebuf, on basin: that of package
// bytes, and New.
//
// What differs on purpose:
//
//   - The zero Buffer is ready, as that of package bytes.
//   - A Buffer that outgrows its first 64 bytes grows through the default pool of basin,
//     so it appears as "default" in statistics. Free, which is optional, gives back what it
//     has last.
//   - A slice that Bytes, Next, Peek or AvailableBuffer has returned may be
//     somebody else's once the Buffer was modified, where it is merely
//     old with the original.
//
// Go fix, of Go 1.26 or later, then rewrites programs to use basin itself. To put it in place of
// the original:
//
//	go mod edit -replace github.com/intel-go/bytebuf=github.com/basin-go/basin/compat/bytebuf@v0.1.0
package bytebuf

import (
	"bytes"

	"github.com/basin-go/basin"
)

// MinRead is the least room that [Buffer.ReadFrom] makes for a Read.
//
//go:fix inline
const MinRead = bytes.MinRead

// ErrTooLarge is what a Buffer panics with that would become too large.
var ErrTooLarge = bytes.ErrTooLarge

// A Buffer is a [basin.Buffer]: a [bytes.Buffer] on recycled memory. It must not be copied
// after its first use.
//
//go:fix inline
type Buffer = basin.Buffer

// New returns an empty Buffer whose first 64 bytes live where the Buffer does: on the
// stack of the caller, if the Buffer does not escape from there.
//
//go:fix inline
func New() *Buffer { return basin.NewSmallBuffer() }

// NewBuffer returns a Buffer with buf as its contents, of which it takes ownership.
//
//go:fix inline
func NewBuffer(buf []byte) *Buffer { return basin.NewBuffer(buf) }

// NewBufferString returns a Buffer with a copy of s as its contents.
//
//go:fix inline
func NewBufferString(s string) *Buffer { return basin.NewBufferString(s) }
