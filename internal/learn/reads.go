//go:build go1.25

package learn

import (
	"cmp"
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// Reads tracks recent input lengths to choose ReadAll's chunk sizes, which cost least by the rule of
// [cheapest]: docs/decisions/readall.md.
type Reads struct {
	first atomic.Uint32 // size of the first chunk, or 0 before it is learned
	needs needs
}

const (
	MinRead   = 512      // fewest bytes that a read asks for
	firstRead = 4 << 10  // first read before anything is learned
	maxFirst  = 64 << 10 // limit of the first read: many readers may wait for little data
	readsEach = 16       // inputs from one learning to the next
	readsSoon = 64       // until as many inputs are counted, each of them is learned from
)

// Observe counts an input of n bytes.
func (l *Reads) Observe(n int) {
	each := uint32(readsEach)
	if l.needs.above(0) < readsSoon {
		each = 1
	}
	k := l.needs.add(min(n+1, sizeclass.All.Largest()), 1, each) // plus one byte of room for the read that returns io.EOF
	if k == nil {
		return
	}
	defer k.mu.Unlock()
	class := k.learn(int(sizeclass.All.Class(l.Enough(0)).Index()), false, nil)
	l.first.Store(uint32(max(MinRead, min(sizeclass.All.Size(class), maxFirst))))
}

// Enough returns the length of the next chunk when arrived bytes have arrived: the cheapest for the
// inputs that were longer, or twice arrived if none was, or if the cheapest is less and too small
// for a quarter of them.
func (l *Reads) Enough(arrived int) int {
	if arrived == 0 {
		return cmp.Or(int(l.first.Load()), firstRead)
	}
	double := arrived + min(arrived, math.MaxInt-arrived)
	from := int(sizeclass.All.Class(min(arrived+1, sizeclass.All.Largest())).Index())
	longer := l.needs.above(from)
	if longer == 0 {
		return double
	}
	k := l.needs.count.Load()
	var array [sizeclass.Count]user
	class := cheapest(k.list(array[:0], from, from, k.past.Load()), from, 0)
	if size := sizeclass.All.Size(class); size > double || l.needs.above(class+1) < longer/4 {
		return size
	}
	return double
}
