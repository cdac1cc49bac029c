package subjects

import (
	"bytes"
	"sync/atomic"
)

// A missCounter counts where a subject allocates, which is never on its fast path.
type missCounter struct{ atomic.Uint64 }

// asBytesBuffer is the type assertion that a user of an interface makes.
func asBytesBuffer(b Buffer) *bytes.Buffer { return b.(*bytes.Buffer) }
