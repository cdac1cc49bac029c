package engine

import (
	"unsafe"

	"github.com/basin-go/basin/internal/sched"
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
	len   uintptr                                   // number of entries, or zero if they are hidden
	first sched.Pointer[sched.Pointer[Magazine[T]]] // what they begin with
}

// Entry returns entry i, which there must be.
func (t *Table[T]) Entry(i uint) *sched.Pointer[Magazine[T]] {
	// In bounds: first is set before len, and neither ever to less, so whatever
	// Has has seen is there. A slice would do, but for one more load.
	return (*sched.Pointer[Magazine[T]])(unsafe.Add(unsafe.Pointer(t.first.Load()), uintptr(i)*unsafe.Sizeof(t.first)))
}

// grow makes room for n entries, of which there were old, and shows them if they are
// not hidden. Those that are new hold empty. The old ones hold empty from then on: a
// pinned section that goes on with them takes the slow path, and so does a Pool that
// was copied by value, which would find magazines there that have gone to limbo since. The
// caller holds the locks of all depots.
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
	t.first.Store(&entries[0])
	if !hidden {
		t.show(n)
	}
}
