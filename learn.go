package basin

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// bufferClasses are the size classes of pools of buffers.
var bufferClasses = sizeclass.For(sizeclass.Min, sizeclass.Max)

// A learner finds the size class that is large enough for nearly all users of
// a pool: all but one in a hundred. Those who need more grow, and what they
// need does not decide what the others get.
//
// It counts the classes that users needed. When enough are counted all counts
// are halved, so what was long ago fades: a load that has grown is followed
// within a few uses in a hundred of what is counted, one that has shrunk within
// seven halvings.
type learner struct {
	class atomic.Uint32 // what was learned
	mu    sync.Mutex    // held to learn from the counts
	count [96]atomic.Uint32
}

const (
	learnEach   = 256  // users of one class between two looks at the counts
	learnWindow = 1024 // users counted before the counts are halved
	learnMost   = 100  // one in so many users may need more than is learned
)

// observe counts weight users who needed n bytes of at most limit. It looks at
// the counts sooner if what was learned was not enough for them.
func (l *learner) observe(n, limit int, weight uint32, grown bool) {
	count := l.count[bufferClasses.Find(max(1, min(n, limit))).Index()].Add(weight)
	each := uint32(learnEach)
	if grown {
		each = learnEach / 16
	}
	if count/each != (count-weight)/each && l.mu.TryLock() {
		l.learn()
		l.mu.Unlock()
	}
}

// learn sets what is learned. The caller holds the lock.
func (l *learner) learn() {
	total := uint32(0)
	for i := range l.count {
		total += l.count[i].Load()
	}
	// One of a few may be an exception too.
	larger, exceptions := uint32(0), max(1, total/learnMost)
	class := bufferClasses.Len() - 1
	for ; class > 0; class-- {
		if larger += l.count[class].Load(); larger > exceptions {
			break
		}
	}
	l.class.Store(uint32(class))
	if total < learnWindow {
		return
	}
	for i := range l.count {
		if n := l.count[i].Load(); n > 0 {
			l.count[i].Add(-(n - n/2))
		}
	}
}
