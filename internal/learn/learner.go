//go:build go1.25

package learn

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// A Learner finds the size class that costs a pool's users least: see [cheapest]. Rare users
// who need much more grow their buffers; they do not make the buffers of the others larger.
type Learner struct {
	Class       atomic.Uint32 // learned class, an index of sizeclass.All
	Outstanding func() int64  // returns the number of items outstanding; set before the first use
	needs       needs

	// For Fresh: most items outstanding before the latest learnings, and since the latest one.
	expected, high atomic.Int64
}

// fading is the part of the expected number of outstanding items that is forgotten at each learning.
const fading = 16

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
	// Stores that change nothing would take the line of Class from the caches of all Ps.
	high, before := l.high.Load(), l.expected.Load()
	if expected := max(high, k.out, before-before/fading); expected != before {
		l.expected.Store(expected)
	}
	if high != 0 {
		l.high.Store(0)
	}
	if class == current {
		return false
	}
	l.Class.Store(class)
	return true
}

// spare is the number of bytes that new items may have beyond those that Fresh expects.
const spare = 4 << 20

// Fresh returns the class of a new item: the learned class, or the smallest while more than twice as
// many items are outstanding as when the pool learned. Their users may need much less, which the
// pool learns when they come back.
func (l *Learner) Fresh() uint32 {
	out := l.Outstanding()
	if out > l.high.Load() {
		l.high.Store(out)
	}
	class := l.Class.Load()
	if out > 2*l.expected.Load()+spare/int64(sizeclass.All.Size(int(class))) {
		return 0
	}
	return class
}
