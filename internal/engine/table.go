//go:build go1.25

package engine

import (
	"unsafe"

	"github.com/basin-go/basin/internal/sched"
)

// A Table finds the magazines of all Ps: class c of P p is entry p<<Bits | c. It is a field of the
// pool, not of the engine, to save a load on the way to a magazine. The zero Table has no entries.
//
// A table grows until no class is busy, and then goes as a whole: see shrink.go. An entry of class c changes only under the lock of depot c, and only from or
// to the engine's empty magazine. So a P's magazine appears, goes to limbo, and comes back or ends
// there: two magazines are never exchanged in one step.
//
// Callers of the exported methods must be pinned, or hold the lock of the entry's depot. The results
// are valid until they unpin or unlock.
type Table[T any] struct {
	len   uintptr             // number of entries, or zero while they are hidden
	first sched.Pointer[byte] // address of the first entry
}

// Entry returns entry i, which must exist.
func (t *Table[T]) Entry(i uint) *sched.Pointer[Magazine[T]] {
	// In bounds: first is set before len, and a shorter array or none replaces it only when a grace
	// period has passed since len was zero. So each entry that Has reported is there. A slice would cost one more load.
	return (*sched.Pointer[Magazine[T]])(unsafe.Add(unsafe.Pointer(t.first.Load()), uintptr(i)*unsafe.Sizeof(t.first)))
}

// grow extends the table from old to n entries, and shows them unless they are hidden. New entries
// hold empty. The entries of the old array hold empty from then on, so a pinned section that still
// uses them takes the slow path. So does a Pool that was copied by value, which would find
// magazines there that have gone to limbo since. The caller must hold the locks of all depots.
func (t *Table[T]) grow(n, old uint, empty *Magazine[T], hidden bool) {
	entries := make([]sched.Pointer[Magazine[T]], n)
	for i := range n {
		if i < old {
			before := t.Entry(i)
			entries[i].Store(before.Load())
			before.Store(empty)
		} else {
			entries[i].Store(empty)
		}
	}
	t.first.Store((*byte)(unsafe.Pointer(&entries[0])))
	if !hidden {
		t.show(n)
	}
}
