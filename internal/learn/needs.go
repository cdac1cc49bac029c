//go:build go1.25

// Package learn finds the sizes that cost a pool's users least, from the sizes that they needed: a
// [Learner] for buffers, and [Reads] for the chunks of ReadAll.
//
// Touch it for how fast a pool follows its load, and how much a byte costs that is held for nothing.
package learn

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// needs counts users by the size class that they needed.
type needs struct {
	// It is allocated at the first count, because most pools of a program with many pools never
	// count. Everything that changes often is in there: Learner.Class, which each Get reads, would
	// otherwise be in a cache line with it.
	count atomic.Pointer[counts]
}

// counts has the users of the current period, and those before. Counts of the past are halved now
// and then, so old ones fade.
type counts struct {
	mu      sync.Mutex                                     // held while learning; guards the numbers below
	past    atomic.Pointer[[sizeclass.Count]atomic.Uint32] // nil in the first period
	before  uint32                                         // the sum of past
	out     int64                                          // items outstanding at the latest learning
	missing int64                                          // users who have not come back, by the rise of out: see miss

	recent [sizeclass.Count]atomic.Uint32
}

const (
	period = 448     // users; a sample of one in 64 has seven of them
	memory = 8 << 10 // counts of the past are halved when they are as many users
)

// add counts weight users who needed n bytes. If the number of users of their class has passed a
// multiple of each, it returns the counts, locked, unless they are locked already.
func (c *needs) add(n int, weight, each uint32) (locked *counts) {
	k := c.count.Load()
	if k == nil {
		c.count.CompareAndSwap(nil, new(counts))
		k = c.count.Load()
	}
	users := k.recent[sizeclass.All.Class(max(1, n)).Index()].Add(weight)
	if users/each == (users-weight)/each || !k.mu.TryLock() {
		return nil
	}
	return k
}

// above returns the number of users counted for the given class and all larger ones.
func (c *needs) above(class int) (users uint32) {
	if k := c.count.Load(); k != nil {
		for ; class < sizeclass.All.Len(); class++ {
			users += uint32(k.all(class))
		}
	}
	return users
}

// learn returns the class of least cost for all users, where current is the class in force. At the
// end of a period, its users join those of the past. If the load has changed, they replace them.
// outstanding, if not nil, returns the number of items outstanding; learn calls it at once if soon is
// set, or else at the end of a period. The caller must have locked k.
func (k *counts) learn(current int, soon bool, outstanding func() int64) int {
	users := uint32(0)
	for i := range k.recent {
		users += k.recent[i].Load()
	}
	if outstanding != nil && (soon || users >= period) {
		k.miss(outstanding(), users)
	}
	if users >= period {
		changed := k.cheapest(0, current, changes, (*counts).now) != current
		fade := uint32(1)
		if k.before >= memory {
			fade = 2
			k.missing /= 2
		}
		k.before = 0
		if k.past.Load() == nil {
			k.past.Store(new([sizeclass.Count]atomic.Uint32))
		}
		past := k.past.Load()
		for i := range past { // writes change only what differs, because other Ps may have the lines in their caches
			n, before := k.recent[i].Load(), past[i].Load()
			if n > 0 {
				k.recent[i].Add(-n)
			}
			if !changed {
				n += before / fade
			}
			if n != before {
				past[i].Store(n)
			}
			k.before += n
		}
	}
	return k.cheapest(0, current, saves, (*counts).everybody)
}

// miss counts users who keep their items while others put theirs, such as streams that are open for
// days beside short transfers. Nobody knows their need before they come back, so they count as users
// who need nothing, but not as more users than have come back. out is the number of items outstanding, and users the sum of recent.
func (k *counts) miss(out int64, users uint32) {
	k.missing = min(max(0, k.missing+out-k.out), int64(k.before+users))
	k.out = out
}

// Functions that return the number of users of a class: of the current period, of all time, and
// with those who are missing.
func (k *counts) now(class int) int64 { return int64(k.recent[class].Load()) }
func (k *counts) all(class int) int64 {
	n := k.now(class)
	if past := k.past.Load(); past != nil {
		n += int64(past[class].Load())
	}
	return n
}
func (k *counts) everybody(class int) int64 {
	n := k.all(class)
	if class == 0 {
		n += k.missing
	}
	return n
}

// The cost of a class is a number of bytes, summed over all users. A user who needs less holds the
// rest for nothing. A user who needs more holds the whole class for nothing once the buffer has
// grown. Growth costs as many bytes as the user needs, because it copies them and leaves room for
// more. It also costs stepBytes for each array on the way.
//
// The smallest class costs hardly more than the bytes that all users need, so the cheapest class
// makes them hold hardly more than twice as much.
const (
	stepBytes   = 1 << 10 // a Get and a Put on the slow path take about as long as copying them
	stepClasses = 8       // a small buffer grows to four times its size
)

// Parts of the cost that another class must save, without the bytes of those who have to grow in any
// case: of all users, to become the learned class; of the users of one period, to show that the load
// has changed.
const (
	saves   = 1. / 16
	changes = 7. / 8
)

// cheapest returns the class of least cost for the users who needed the class from or a larger one,
// counted by of. It returns current unless that saves more than the given part of the cost of
// current, and if nobody is counted.
func (k *counts) cheapest(from, current int, part float64, of func(k *counts, class int) int64) int {
	var users, needed int64
	largest := current
	for i := from; i < sizeclass.All.Len(); i++ {
		if n := of(k, i); n > 0 {
			users += n
			needed += n * int64(sizeclass.All.Size(i))
			largest = max(largest, i)
		}
	}
	best, least, now := current, int64(math.MaxInt64), int64(0)
	var growers, grown, steps int64 // users who need more, their bytes, and the classes that they grow by
	for i := largest; i >= from; i-- {
		size := int64(sizeclass.All.Size(i))
		steps += growers
		cost := users*size - (needed - grown) + grown + stepBytes*(growers+steps/stepClasses)
		if cost < least {
			best, least = i, cost
		}
		if i == current {
			now = cost
		}
		n := of(k, i)
		growers += n
		grown += n * size
	}
	own := now
	for i := max(best, current) + 1; i <= largest; i++ {
		own -= of(k, i) * int64(sizeclass.All.Size(i))
	}
	if float64(now-least) <= float64(own)*part {
		return current
	}
	return best
}
