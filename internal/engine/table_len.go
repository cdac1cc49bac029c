//go:build !basin_sched

package engine

import "sync/atomic"

// These are apart from the rest of the table because the machine code of the fast path is better
// off without one more function between it and sync/atomic.

// Has reports whether there is an entry i.
func (t *Table[T]) Has(i uint) bool { return i < uint(atomic.LoadUintptr(&t.len)) }

// show sets how many entries the fast path sees. The caller holds the engine's lock for
// that, so that they are not hidden and shown at a time.
func (t *Table[T]) show(n uint) { atomic.StoreUintptr(&t.len, uintptr(n)) }
