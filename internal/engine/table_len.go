//go:build go1.25 && !basin_sched

package engine

import "sync/atomic"

// Each build has its own Has and show: one more function between the fast path and sync/atomic
// would make the machine code of the fast path worse.

// Has reports whether there is an entry i.
func (t *Table[T]) Has(i uint) bool { return i < uint(atomic.LoadUintptr(&t.len)) }

// show sets the number of entries that the fast path sees. The caller must hold the engine's growth
// lock, so that hiding and showing exclude each other.
func (t *Table[T]) show(n uint) { atomic.StoreUintptr(&t.len, uintptr(n)) }
