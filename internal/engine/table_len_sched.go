//go:build basin_sched

package engine

import atomic "github.com/basin-go/basin/internal/sched"

// Has reports whether there is an entry i.
func (t *Table[T]) Has(i uint) bool { return i < uint(atomic.LoadUintptr(&t.len)) }

// show sets how many entries the fast path sees. The caller holds the engine's lock for
// that, so that they are not hidden and shown at a time.
func (t *Table[T]) show(n uint) { atomic.StoreUintptr(&t.len, uintptr(n)) }
