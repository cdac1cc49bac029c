package engine

import (
	"math"
	"slices"
	"time"

	"github.com/basin-go/basin/internal/sched"
)

// A depot holds the idle items of one class that no magazine does, and what is
// counted about the class apart from the magazines. Each of its items is paid
// for from the engine's idle budget.
type depot[T any] struct {
	Size int64       // as in Class
	mu   sched.Mutex // guards all that follows, and the class's entries in the table

	items   []T        // a stack: the last was used most recently
	stocked sched.Bool // whether items or limbo have any, for those who have not locked yet

	// See Engine.look.
	window time.Duration // begin of the present window
	last   time.Duration // the last look
	low    int32         // the low-water mark: fewest items since the window began
	least  int32         // the same since the last look
	due    int32         // items still to be let go in this window

	local, fit uint8  // as in Class
	borrowed   uint32 // see borrows

	gets, uses uint32 // requests served when count was last called, and since the call before; they wrap
	served     uint32 // hits by the last round of reclaim; it wraps

	limbo []retired[T]

	hits, misses, asked uint64 // requests served here
	released            uint64 // idle items let go
	full, double        uint64 // items turned away
	adopted             uint64 // items kept or full that no Get had handed out
}

// retired is a magazine that has been taken out of the table.
type retired[T any] struct {
	*Magazine[T]
	entry  uint   // where it was in the table
	round  uint64 // the first round of reclaim that may rely on a grace period
	halve  bool   // if it comes back, then without the older half of its items
	doomed bool   // its items are to be let go, not to be used again

	since time.Duration // nobody has used it since
}

// earns is the size of slots that a hit of the depot earns. What sits in a magazine is out of the
// reach of other Ps, which then make one more: that matters where items are large. The lock
// that a magazine saves matters where it is taken often. So an item of 64 KiB has to be
// asked for 16 times between two rounds of reclaim before a P may keep one for itself, and one of 4 MiB
// 1024 times.
const earns = 4 << 10

// earned reports whether a P may have a slot, or one more. The caller holds the lock.
func (d *depot[T]) earned() bool { return int64(uint32(d.hits)-d.served) >= d.Size/earns }

// pop removes the k items that were put last.
func (d *depot[T]) pop(k uint) {
	n := len(d.items) - int(k)
	clear(d.items[n:]) // or the depot would keep them alive
	d.items = d.items[:n]
	d.low = min(d.low, d.count())
	d.least = min(d.least, d.count())
	d.restock()
}

// restock keeps stocked true to what d has.
func (d *depot[T]) restock() {
	if stocked := len(d.items)+len(d.limbo) > 0; stocked != d.stocked.Load() {
		d.stocked.Store(stocked)
	}
}

// count returns the number of items, as far as it can matter: the mark is only
// so wide to keep a depot in two cache lines.
func (d *depot[T]) count() int32 { return int32(min(len(d.items), math.MaxInt32)) }

// looked says that all items that there are have been looked at or have come now.
func (d *depot[T]) looked(now time.Duration) {
	d.last = now
	d.least = d.count()
}

// push adds items. The caller has paid for them, and if it is pinned it has
// made sure that there is room.
func (d *depot[T]) push(items []T) {
	d.items = append(d.items, items...)
	d.restock()
}

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
	d.restock()
	d.low = max(0, d.low-int32(k))
	d.least = max(0, d.least-int32(k))
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
	d.restock()
}
