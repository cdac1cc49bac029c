//go:build go1.25

package learn

import "sync/atomic"

// A Learner finds the size class that suffices for nearly all users of a pool: all but one in a
// hundred. Those who need more grow their buffers; they do not make the buffers of the others
// larger.
type Learner struct {
	Class atomic.Uint32 // learned class, an index of sizeclass.All
	needs needs
}

const (
	interval   = 256  // users of one class from one learning to the next
	window     = 1024 // counts are halved after this many users
	exceptions = 100  // one in this many users may need more than the learned class
)

// Observe counts weight users who needed n bytes, capped to limit. If they had to grow their
// buffers, grown must be set; Observe then learns sooner.
func (l *Learner) Observe(n, limit int, weight uint32, grown bool) {
	count := l.needs.add(min(n, limit), weight)
	each := uint32(interval)
	if grown {
		each = interval / 16
	}
	if count/each != (count-weight)/each && l.needs.tryLock() {
		l.learn()
		l.needs.unlock()
	}
}

// learn sets Class. The caller must hold the lock of needs.
func (l *Learner) learn() {
	users := l.needs.above(0)
	// Among few users, allow one exception, too.
	class := uint32(l.needs.enough(max(1, users/exceptions)))
	if class != l.Class.Load() { // a store would take the line from the caches of all Ps
		l.Class.Store(class)
	}
	if users >= window {
		l.needs.fade()
	}
}
