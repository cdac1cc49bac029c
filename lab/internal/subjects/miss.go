package subjects

import (
	"bytes"
	"sync/atomic"
)

// A missCounter counts allocations of a subject. They are never on its fast path.
type missCounter struct{ atomic.Uint64 }

// asBytesBuffer is the type assertion that users of an interface make.
func asBytesBuffer(b Buffer) *bytes.Buffer { return b.(*bytes.Buffer) }
