//go:build go1.25

package learn

import (
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// Reads tracks recent input lengths to choose ReadAll's chunk sizes. Each chunk should suffice for
// nine in ten of the inputs that are longer than the data so far: docs/decisions/readall.md.
type Reads struct {
	first atomic.Uint32 // size of the first chunk, or 0 before it is learned
	needs needs
}

const (
	MinRead   = 512      // fewest bytes that a read asks for
	firstRead = 4 << 10  // first read before anything is learned
	maxFirst  = 64 << 10 // limit of the first read: many readers may wait for little data

	readsEach   = 16   // inputs of one class from one learning to the next
	readsWindow = 2048 // counts are halved after this many inputs
)

// Observe counts an input of n bytes. The size of the first chunk stays the same while it is too
// small for one in twenty to one in six inputs.
func (l *Reads) Observe(n int) {
	count := l.needs.add(min(n+1, sizeclass.All.Largest()), 1) // plus one byte of room for the read that returns io.EOF
	if count%readsEach != 0 && count&(count-1) != 0 || !l.needs.tryLock() {
		return
	}
	defer l.needs.unlock()
	all := l.needs.above(0)
	first := int(l.first.Load())
	longer := l.needs.above(int(sizeclass.All.Class(first + 1).Index()))
	if longer < all/20 || longer > all/6 {
		class := sizeclass.All.Size(l.needs.enough(all / 10))
		l.first.Store(uint32(max(MinRead, min(class, maxFirst))))
	}
	if all >= readsWindow {
		l.needs.fade()
	}
}

// Enough returns a length that suffices for nine in ten of the inputs longer than arrived, or twice
// arrived if none was longer.
func (l *Reads) Enough(arrived int) int {
	if arrived == 0 {
		if first := l.first.Load(); first > 0 {
			return int(first)
		}
		return firstRead
	}
	class := sizeclass.All.Class(min(arrived+1, sizeclass.All.Largest()))
	if longer := l.needs.above(int(class.Index())); longer > 0 {
		return sizeclass.All.Size(l.needs.enough(longer / 10))
	}
	return arrived + min(arrived, math.MaxInt-arrived)
}
