// Package learn finds out how large the buffers of a pool should be.
package learn

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// Classes are the size classes that are learned: all that there are.
var Classes = sizeclass.For(sizeclass.Min, sizeclass.Max)

// needs counts the size classes that users needed. Half of all counts is taken
// away from time to time, so what was long ago fades: a load that has grown is
// followed soon, one that has shrunk within some halvings.
type needs struct {
	mu    sync.Mutex // held to learn from the counts
	count [sizeclass.Count]atomic.Uint32
}

// add counts weight users who needed n bytes. It returns how many are counted for
// the class of n now.
func (c *needs) add(n int, weight uint32) uint32 {
	return c.count[Classes.Class(max(1, n)).Index()].Add(weight)
}

// above returns how many users are counted for classes from the one that is given.
func (c *needs) above(class int) (users uint32) {
	for ; class < Classes.Len(); class++ {
		users += c.count[class].Load()
	}
	return users
}

// enough returns the smallest class that is enough for all but so many users.
func (c *needs) enough(exceptions uint32) int {
	larger, class := uint32(0), Classes.Len()-1
	for ; class > 0; class-- {
		if larger += c.count[class].Load(); larger > exceptions {
			break
		}
	}
	return class
}

// fade halves all counts.
func (c *needs) fade() {
	for i := range c.count {
		if n := c.count[i].Load(); n > 0 {
			c.count[i].Add(-(n - n/2))
		}
	}
}

// A Learner finds the size class that is large enough for nearly all users of
// a pool: all but one in a hundred. Those who need more grow, and what they
// need does not decide what the others get.
type Learner struct {
	Class atomic.Uint32 // of Classes: what was learned
	needs needs
}

const (
	interval   = 256  // users of one class between two looks at the counts
	window     = 1024 // users counted before the counts are halved
	exceptions = 100  // one in so many users may need more than is learned
)

// Observe counts weight users who needed n bytes of at most limit. It looks at
// the counts sooner if what was learned was not enough for them.
func (l *Learner) Observe(n, limit int, weight uint32, grown bool) {
	count := l.needs.add(min(n, limit), weight)
	each := uint32(interval)
	if grown {
		each = interval / 16
	}
	if count/each != (count-weight)/each && l.needs.mu.TryLock() {
		l.learn()
		l.needs.mu.Unlock()
	}
}

// learn sets what is learned. The caller holds the lock.
func (l *Learner) learn() {
	users := l.needs.above(0)
	// One of a few may be an exception too.
	l.Class.Store(uint32(l.needs.enough(max(1, users/exceptions))))
	if users >= window {
		l.needs.fade()
	}
}
