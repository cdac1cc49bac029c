//go:build go1.25

package quota

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/pin"
)

// While there is plenty of room, each P has a credit: amounts that were given back there and are taken again
// there, which the Quota counts as taken all the time. So a Take and a Give of a pinned goroutine need no atomic
// operation, and Ps share no cache line. Requests that find no room recall the credits: they unlink them, wait
// until all pinned sections have ended, as the engine does for magazines, and give the amounts back.
//
// So nobody is refused, or waits, because of credits. All of them together are at most a share of the maximum.

const (
	creditShare = 64                            // all credits together are at most one part in so many of the maximum
	mostCredit  = 256 << 10                     // of a P
	leastMax    = 1 << 20                       // a Quota with a lower maximum has no credits
	roomy       = 4                             // credits begin while less than one part in so many of the maximum is taken
	creditPause = int64(100 * time.Millisecond) // least time between a recall and new credits: a recall stops the world
	creditDelay = int64(time.Millisecond)       // and after the first use: a pool that is used once needs no credits
)

// A Credit is that of a P. Its methods must be called by goroutines that are pinned to the P.
type Credit struct {
	left lockfree.Word
	most uint32
	_    [56]byte // or Ps would share a cache line
}

// Take takes n, and reports whether the credit has as much.
func (c *Credit) Take(n int) bool {
	left := c.left.Get()
	if uint(n) > uint(left) {
		return false
	}
	c.left.Set(left - uint32(n))
	return true
}

// Give gives back n, which was taken, and reports whether the credit takes as much.
func (c *Credit) Give(n int) bool {
	left := c.left.Get()
	if uint(n) > uint(c.most-left) {
		return false
	}
	c.left.Set(left + uint32(n))
	return true
}

// Credit returns the credit of P p, to which the caller is pinned, or nil.
func (q *Quota) Credit(p uint) *Credit {
	if all := q.credits.Load(); all != nil && p < uint(len(*all)) {
		return &(*all)[p]
	}
	return nil
}

// A recalling is the state of recalls.
type recalling struct {
	sync.Mutex
	over atomic.Int64 // no credits begin before this time, on the clock of pin.Now
}

// extend begins credits, if there have been none for a while. taken is the amount that q has taken.
func (q *Quota) extend(taken int64) {
	most := q.Max()
	if !pin.Available || q.within != nil || most < leastMax || taken > most/roomy ||
		int64(pin.Now()) < q.recalls.over.Load() || !q.recalls.TryLock() {
		return
	}
	defer q.recalls.Unlock()
	if q.credits.Load() != nil || int64(pin.Now()) < q.recalls.over.Load() {
		return
	}
	ps := runtime.GOMAXPROCS(0)
	all := make([]Credit, ps)
	for i := range all {
		all[i].most = uint32(min(mostCredit, most/creditShare/int64(ps)))
	}
	q.credits.Store(&all)
	// A goroutine that begins to wait sets someWait and then recalls. So either it sees these credits, or the next
	// line sees that it waits.
	if _, waiting := split(q.state.Load()); waiting {
		q.end()
	}
}

// recall ends all credits, and reports whether it has given something back. The caller must not be pinned.
func (q *Quota) recall() (some bool) {
	if q.credits.Load() == nil && q.recalls.TryLock() { // otherwise another recall may be about to give back
		q.recalls.Unlock()
		return false
	}
	q.recalls.Lock()
	defer q.recalls.Unlock()
	return q.end()
}

// end is recall for a caller that holds the lock of recalls.
func (q *Quota) end() (some bool) {
	all := q.credits.Swap(nil)
	if all == nil {
		return true // another recall has just ended
	}
	pin.Quiesce()
	q.recalls.over.Store(int64(pin.Now()) + creditPause)
	n := sum(*all)
	if q.give(n) {
		q.serveAll()
	}
	return n > 0
}

func sum(credits []Credit) (n int64) {
	for i := range credits {
		n += int64(credits[i].left.Get())
	}
	return n
}
