//go:build go1.25

package learn

import "sync/atomic"

// A Learner finds the size class that costs a pool's users least: see [counts.cheapest]. Rare users
// who need much more grow their buffers; they do not make the buffers of the others larger.
type Learner struct {
	Class       atomic.Uint32 // learned class, an index of sizeclass.All
	Outstanding func() int64  // returns the number of items outstanding; set before the first use
	needs       needs
}

// eachGrown is the number of users of one class, who had to grow, from one learning to the next.
const eachGrown = 16

// Observe counts weight users who needed n bytes, capped to limit. If they had to grow their
// buffers, grown must be set; Observe then learns sooner. It reports whether Class has changed.
func (l *Learner) Observe(n, limit int, weight uint32, grown bool) (changed bool) {
	users := uint32(period)
	if grown {
		users = eachGrown
	}
	k := l.needs.add(min(n, limit), weight, users)
	if k == nil {
		return false
	}
	defer k.mu.Unlock()
	current := l.Class.Load()
	class := uint32(k.learn(int(current), grown, l.Outstanding))
	if class == current { // a store would take the line from the caches of all Ps
		return false
	}
	l.Class.Store(class)
	return true
}
