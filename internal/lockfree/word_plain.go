//go:build go1.25 && !race

package lockfree

import "sync/atomic"

// A Word is a number with one writer at a time and any number of readers. A store of 32 bits is never
// torn, so the writer needs no atomics: on amd64, an atomic store takes twenty cycles.
type Word uint32

// Set stores n.
func (w *Word) Set(n uint32) { *w = Word(n) }

// Get returns the number.
func (w *Word) Get() uint32 { return atomic.LoadUint32((*uint32)(w)) }
