//go:build go1.25

// Package learn finds the sizes that suffice for nearly all users of a pool, from the sizes that they
// needed: a [Learner] for buffers, and [Reads] for the chunks of ReadAll.
//
// Touch it for how fast a pool follows its load, and how many users may need more than it offers.
package learn

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// needs counts users by the size class that they needed. From time to time, all counts are halved,
// so old ones fade: needs follows a growing load soon, and a shrinking load after some halvings.
type needs struct {
	// It is allocated at the first count, because most pools of a program with many pools never
	// count. Everything that changes often is in there: Learner.Class, which each Get reads, would
	// otherwise be in a cache line with it.
	count atomic.Pointer[counts]
}

type counts struct {
	mu sync.Mutex // held while learning from the counts
	of [sizeclass.Count]atomic.Uint32
}

// tryLock reports whether the caller may learn now. There must be counts.
func (c *needs) tryLock() bool { return c.count.Load().mu.TryLock() }

func (c *needs) unlock() { c.count.Load().mu.Unlock() }

// add counts weight users who needed n bytes. It returns the new count of the class of n.
func (c *needs) add(n int, weight uint32) uint32 {
	k := c.count.Load()
	if k == nil {
		c.count.CompareAndSwap(nil, new(counts))
		k = c.count.Load()
	}
	return k.of[sizeclass.All.Class(max(1, n)).Index()].Add(weight)
}

// above returns the number of users counted for the given class and all larger ones.
func (c *needs) above(class int) (users uint32) {
	if k := c.count.Load(); k != nil {
		for ; class < sizeclass.All.Len(); class++ {
			users += k.of[class].Load()
		}
	}
	return users
}

// enough returns the smallest class that suffices for all but the given number of exceptions. There
// must be counts.
func (c *needs) enough(exceptions uint32) int {
	k, larger, class := c.count.Load(), uint32(0), sizeclass.All.Len()-1
	for ; class > 0; class-- {
		if larger += k.of[class].Load(); larger > exceptions {
			break
		}
	}
	return class
}

// fade halves all counts. There must be counts.
func (c *needs) fade() {
	k := c.count.Load()
	for i := range k.of {
		if n := k.of[i].Load(); n > 0 {
			k.of[i].Add(-(n - n/2))
		}
	}
}
