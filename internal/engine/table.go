package engine

import (
	"sync/atomic"
	"unsafe"
)

// A Table finds the magazines of all Ps: class c of P p is entry p<<Bits | c. It is
// a field of the pool, apart from the engine, because each load on the way to a
// magazine counts: from here it takes two. The zero Table has no entries.
//
// A table only grows. An entry of class c changes only under the lock of depot
// c, and from or to the engine's empty magazine: a P's magazine appears, goes to
// limbo and comes back, but is never exchanged for another one.
//
// The exported methods are for those who are pinned, and what they return is valid
// while they are.
type Table[T any] struct {
	len   uintptr                                     // number of entries, or zero if they are hidden
	first atomic.Pointer[atomic.Pointer[Magazine[T]]] // what they begin with
}

// Has reports whether there is an entry i.
func (t *Table[T]) Has(i uint) bool { return i < uint(atomic.LoadUintptr(&t.len)) }

// Entry returns entry i, which there must be.
func (t *Table[T]) Entry(i uint) *atomic.Pointer[Magazine[T]] {
	// In bounds: first is set before len, and neither ever to less, so whatever
	// Has has seen is there. A slice would do, but for one more load.
	return (*atomic.Pointer[Magazine[T]])(unsafe.Add(unsafe.Pointer(t.first.Load()), uintptr(i)*unsafe.Sizeof(t.first)))
}

// show sets how many entries the fast path sees. The caller holds the engine's lock for
// that, so that they are not hidden and shown at a time.
func (t *Table[T]) show(n uint) { atomic.StoreUintptr(&t.len, uintptr(n)) }

// grow makes room for n entries, of which there were old, and shows them if they are
// not hidden. Those that are new hold empty. A pinned section may go on with the old
// entries; it finds the same magazines there. The caller holds the locks of all
// depots.
func (t *Table[T]) grow(n, old uint, empty *Magazine[T], hidden bool) {
	entries := make([]atomic.Pointer[Magazine[T]], n)
	for i := range n {
		if i < old {
			entries[i].Store(t.Entry(i).Load())
		} else {
			entries[i].Store(empty)
		}
	}
	t.first.Store(&entries[0])
	if !hidden {
		t.show(n)
	}
}
