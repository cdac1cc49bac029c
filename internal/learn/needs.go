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
		past := k.past.Load()
		for ; class < sizeclass.All.Len(); class++ {
			users += k.recent[class].Load()
			if past != nil {
				users += past[class].Load()
			}
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
		k.endPeriod(current)
	}
	var array [sizeclass.Count]user
	all := k.list(array[:0], 0, current, k.past.Load())
	all[0].n += k.missing
	return cheapest(all, current, saves)
}

// endPeriod moves the users of recent to the past, whose users fade, or go if the load has changed.
func (k *counts) endPeriod(current int) {
	past := k.past.Load()
	if past == nil {
		past = new([sizeclass.Count]atomic.Uint32)
		k.past.Store(past)
	}
	var array [sizeclass.Count]user
	now := k.list(array[:0], 0, current, nil)
	changed := cheapest(now, current, changes) != current
	if changed || k.before >= memory {
		k.before = 0
		for i := range past {
			if n := past[i].Load(); n > 0 && changed {
				past[i].Store(0)
			} else if n > 0 {
				past[i].Store(n / 2)
				k.before += n / 2
			}
		}
		k.missing /= 2
	}
	for _, u := range now {
		if n := uint32(u.n); n > 0 {
			k.recent[u.class].Add(-n)
			past[u.class].Add(n)
			k.before += n
		}
	}
}

// miss counts users who keep their items while others put theirs, such as streams that are open for
// days beside short transfers. Nobody knows their need before they come back, so they count as users
// who need nothing, but not as more users than have come back. out is the number of items
// outstanding, and users the sum of recent.
func (k *counts) miss(out int64, users uint32) {
	k.missing = min(max(0, k.missing+out-k.out), int64(k.before+users))
	k.out = out
}

// A user stands for n users who needed a class.
type user struct {
	class int
	n     int64
}

// list appends the users of the class from and larger ones to all, in the order of their classes:
// those of recent, and of past unless it is nil. The classes from and current are always in the list.
func (k *counts) list(all []user, from, current int, past *[sizeclass.Count]atomic.Uint32) []user {
	for i := from; i < len(k.recent); i++ {
		n := int64(k.recent[i].Load())
		if past != nil {
			n += int64(past[i].Load())
		}
		if n > 0 || i == from || i == current {
			all = append(all, user{i, n})
		}
	}
	return all
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

// cheapest returns the class of least cost for the given users, a result of list. Only classes in the
// list can be cheapest: a class between two of them helps nobody more than the smaller one does.
// cheapest returns current unless another class saves more than the given part of the cost of current.
func cheapest(users []user, current int, part float64) int {
	var all, needed int64
	for _, u := range users {
		all += u.n
		needed += u.n * int64(sizeclass.All.Size(u.class))
	}
	best, least, now := current, int64(math.MaxInt64), int64(0)
	var growers, grown, steps int64 // users who need more, their bytes, and the classes that they grow by
	for i := len(users) - 1; i >= 0; i-- {
		u := users[i]
		if i < len(users)-1 {
			steps += growers * int64(users[i+1].class-u.class)
		}
		size := int64(sizeclass.All.Size(u.class))
		cost := all*size - (needed - grown) + grown + stepBytes*(growers+steps/stepClasses)
		if cost < least {
			best, least = u.class, cost
		}
		if u.class == current {
			now = cost
		}
		growers += u.n
		grown += u.n * size
	}
	own := now
	for _, u := range users {
		if u.class > max(best, current) {
			own -= u.n * int64(sizeclass.All.Size(u.class))
		}
	}
	if float64(now-least) <= float64(own)*part {
		return current
	}
	return best
}
