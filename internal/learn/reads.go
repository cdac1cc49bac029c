package learn

import (
	"math"
	"sync/atomic"
)

// Reads is how long what was read to its end was of late. Each chunk is to be
// enough for nine in ten of the readers that have come as far, which is next to
// the best that can be done without knowing the length: of Go's own source files
// 4.7 KB each have to be moved, 5.5 KB are.
type Reads struct {
	first atomic.Uint32 // bytes to begin with, or 0
	needs needs
}

const (
	MinRead   = 512      // bytes that a read asks for at least
	firstRead = 4 << 10  // what the first asks for while nothing is known
	maxFirst  = 64 << 10 // what it asks for at most: many readers may wait for little

	readsEach   = 16
	readsWindow = 2048
)

// Observe counts data of n bytes. What reading begins with stays the same while
// it is too small for one in twenty to one in six.
func (l *Reads) Observe(n int) {
	count := l.needs.add(min(n+1, Classes.Largest()), 1) // room that a read can see io.EOF with
	if count%readsEach != 0 && count&(count-1) != 0 || !l.needs.mu.TryLock() {
		return
	}
	defer l.needs.mu.Unlock()
	all := l.needs.above(0)
	first := int(l.first.Load())
	longer := l.needs.above(int(Classes.Class(first + 1).Index()))
	if longer < all/20 || longer > all/6 {
		class := Classes.Size(l.needs.enough(all / 10))
		l.first.Store(uint32(max(MinRead, min(class, maxFirst))))
	}
	if all >= readsWindow {
		l.needs.fade()
	}
}

// Enough returns how many bytes are enough for nine in ten of those who need more
// than have arrived.
func (l *Reads) Enough(arrived int) int {
	if arrived == 0 {
		if first := l.first.Load(); first > 0 {
			return int(first)
		}
		return firstRead
	}
	class := Classes.Class(min(arrived+1, Classes.Largest()))
	if longer := l.needs.above(int(class.Index())); longer > 0 {
		return Classes.Size(l.needs.enough(longer / 10))
	}
	return arrived + min(arrived, math.MaxInt-arrived)
}
