//go:build go1.25

package engine

import (
	"math"
	"slices"
	"time"

	"github.com/basin-go/basin/internal/sched"
)

// A depot holds the idle items of one class that are in no magazine, and counts for the class where
// no magazine does. Each of its items is paid for from the engine's idle budget.
type depot[T any] struct {
	Size int64       // as in Class
	mu   sched.Mutex // guards the fields below and the class's entries of the table

	items   []T        // a stack; the last item is the newest
	near    near       // the Ps that have put them
	stocked sched.Bool // items or limbo is not empty; read without the lock

	// The next five belong to Engine.age.
	window time.Duration // start of the current window
	last   time.Duration // time of the latest call of age
	low    int32         // low-water mark: fewest items since the window started
	least  int32         // fewest items since the latest call of age
	due    int32         // items still due for release in this window

	local, fit uint8  // as in Class
	borrowed   uint32 // see borrows

	gets, uses uint32 // Gets served before the end of reclaim's latest window, modulo 1<<32; those within that window

	// The fields from here to peakBefore belong to need.go.
	asks             uint32        // Gets that took the lock since mark
	mark             time.Duration // when asks was last evaluated
	slots            uint          // of all magazines
	extra            uint          // slots beyond need; zero unless the class is busy
	peak, peakBefore int32         // most items seen outstanding at one time, in this window and in the one before

	limbo []retired[T]

	hits, misses, asked uint64 // Gets at the depot, and those of settled magazines
	released            uint64 // idle items released
	full, double        uint64 // Puts turned away
	checked             uint64 // tracked items put, which are not kept
	adopted, strays     uint64 // items kept or dropped as full that no Get had handed out; those that Retrieve took out

	gone []T // items released since mu was locked, if the engine has a Drop: see drop.go
}

// A retired magazine has been taken out of the table. It is in limbo.
type retired[T any] struct {
	*Magazine[T]
	entry   uint   // its index in the table
	round   uint64 // the first round of reclaim that may rely on a grace period
	trimmed bool   // Trim releases its items; its P cannot get it back
	search  uint64 // the search of Retrieve that has found it in limbo, or 0

	// If the P comes back for it:
	halve    bool // the older half of its items goes to the depot
	recalled bool // all items and slots go to the depot

	since time.Duration // unused since then
}

// pop removes the k newest items.
func (d *depot[T]) pop(k uint) {
	n := len(d.items) - int(k)
	clear(d.items[n:]) // or the depot would keep them alive
	d.items = d.items[:n]
	d.low = min(d.low, d.count())
	d.least = min(d.least, d.count())
	d.restock()
}

// restock updates stocked.
func (d *depot[T]) restock() {
	if stocked := len(d.items)+len(d.limbo) > 0; stocked != d.stocked.Load() {
		d.stocked.Store(stocked)
	}
}

// count returns the number of items, capped to 32 bits. With marks of 32 bits, the fields before
// limbo take two cache lines.
func (d *depot[T]) count() int32 { return int32(min(len(d.items), math.MaxInt32)) }

// aged records that all present items were judged at now or arrived then.
func (d *depot[T]) aged(now time.Duration) {
	d.last = now
	d.least = d.count()
}

// push adds items. The caller must have paid for them. If it is pinned, it must have ensured that
// capLeft is sufficient, as push must not allocate then.
func (d *depot[T]) push(items []T) {
	d.items = append(d.items, items...)
	d.restock()
}

// capLeft returns the number of items that push can add without allocating.
func (d *depot[T]) capLeft() uint { return uint(cap(d.items) - len(d.items)) }

// reserve ensures room for k items.
func (d *depot[T]) reserve(k uint) { d.items = slices.Grow(d.items, int(k)) }

// drop removes the k oldest items, and shrinks the array if most of it is unused.
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
}

// inLimbo returns the retired magazine of the given entry, or nil if none is in limbo or Trim
// releases it.
func (d *depot[T]) inLimbo(entry uint) *retired[T] {
	for i := range d.limbo {
		if r := &d.limbo[i]; r.entry == entry && !r.trimmed {
			return r
		}
	}
	return nil
}

// removeFromLimbo removes r, a result of inLimbo.
func (d *depot[T]) removeFromLimbo(r *retired[T]) {
	last := len(d.limbo) - 1
	*r = d.limbo[last]
	d.limbo[last] = retired[T]{}
	d.limbo = d.limbo[:last]
	d.restock()
}
