package engine

import (
	"math"
	"slices"
	"sync"
)

// A depot holds the idle items of one class that no magazine does, and what is
// counted about the class apart from the magazines. Each of its items is paid
// for from the engine's idle budget.
type depot[T any] struct {
	Class
	mu sync.Mutex // guards all that follows, and the class's entries in the table

	items []T   // a stack: the last was used most recently
	low   int32 // the low-water mark: fewest items since the window began
	due   int32 // items still to be let go in this window

	limbo []retired[T]

	hits, misses, asked uint64 // requests served here
	released            uint64 // idle items let go
	full, double        uint64 // items turned away
}

// retired is a magazine that has been taken out of the table.
type retired[T any] struct {
	*Magazine[T]
	entry  uint   // where it was in the table
	round  uint64 // the first round of reclaim that may rely on a grace period
	halve  bool   // if it comes back, then without the older half of its items
	doomed bool   // its items are to be let go, not to be used again
}

// pop removes the k items that were put last.
func (d *depot[T]) pop(k uint) {
	n := len(d.items) - int(k)
	clear(d.items[n:]) // or the depot would keep them alive
	d.items = d.items[:n]
	d.low = min(d.low, d.count())
}

// count returns the number of items, as far as it can matter: the mark is only
// so wide to keep a depot in two cache lines.
func (d *depot[T]) count() int32 { return int32(min(len(d.items), math.MaxInt32)) }

// push adds items. The caller has paid for them, and if it is pinned it has
// made sure that there is room.
func (d *depot[T]) push(items []T) { d.items = append(d.items, items...) }

// room returns how many items can be pushed without allocating.
func (d *depot[T]) room() uint { return uint(cap(d.items) - len(d.items)) }

// reserve makes room for k items.
func (d *depot[T]) reserve(k uint) { d.items = slices.Grow(d.items, int(k)) }

// drop removes the k items that have been idle for longest, and room that is
// no longer needed.
func (d *depot[T]) drop(k int) {
	n := len(d.items) - k
	if n < cap(d.items)/4 {
		d.items = append(make([]T, 0, n), d.items[k:]...)
	} else {
		copy(d.items, d.items[k:])
		clear(d.items[n:])
		d.items = d.items[:n]
	}
	d.low = max(0, d.low-int32(k))
	d.released += uint64(k)
}

// inLimbo returns the magazine of the given entry if it is in limbo, or nil.
func (d *depot[T]) inLimbo(entry uint) *retired[T] {
	for i := range d.limbo {
		if r := &d.limbo[i]; r.entry == entry && !r.doomed {
			return r
		}
	}
	return nil
}

// removeFromLimbo removes what inLimbo returned.
func (d *depot[T]) removeFromLimbo(r *retired[T]) {
	last := len(d.limbo) - 1
	*r = d.limbo[last]
	d.limbo[last] = retired[T]{}
	d.limbo = d.limbo[:last]
}
