//go:build go1.25

package basin

import (
	"runtime"
	"sync"
	"time"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/waitlist"
	"github.com/basin-go/basin/internal/warn"
)

// While requests wait or are refused and nothing is put back, the memory that they need may already
// be garbage. But a program that waits does not allocate, and the runtime collects only every two
// minutes then. So a limit collects garbage itself.
const (
	collectAfter = 100 * time.Millisecond // first pause; four times as long each time that nothing is found
	collectPause = time.Minute            // longest pause, except in a bubble of package synctest
	complainFrom = 5 * time.Second
)

// An overseer has the quota of a Limit, or of the MaxInUse of a pool, and looks for memory while requests wait.
type overseer struct {
	kind, name string // of the Limit or the pool
	quota      *quota.Quota
	outer      *overseer // of the Limit that it lies within, or nil

	mu       sync.Mutex
	searched time.Time     // time of the latest collection by watch
	pause    time.Duration // from searched to the next collection
	some     bool          // lost memory was found since
	waitSaid bool          // the log has reported that requests wait in vain
}

// An overseen is a Limit, for files below it.
type overseen interface {
	// begun returns the overseer of the Limit, and ensures that it is ready for use.
	begun() *overseer
}

func newOverseer(kind, name string, most int64, outer *overseer) *overseer {
	o := &overseer{kind: kind, name: name, outer: outer}
	var within *quota.Quota
	if outer != nil {
		within = outer.quota
	}
	o.quota = quota.New(most, within, o.watch)
	return o
}

// found notes that lost memory was found.
func (o *overseer) found() {
	for ; o != nil; o = o.outer {
		o.mu.Lock()
		o.some = true
		o.mu.Unlock()
	}
}

// watch runs now and then while requests wait or are refused. idle is the time without a Put.
// waited is the longest wait of a request that waits or has just given up.
func (o *overseer) watch(idle, waited time.Duration) {
	search(o.quota, o.quota.Max()) // however much the requests need
	now := time.Now()
	o.mu.Lock()
	if o.some || o.pause == 0 {
		o.some, o.pause = false, collectAfter
	}
	since := now.Sub(o.searched)
	due := idle >= collectAfter && (since >= o.pause || since < 0) // below 0: searched is of another bubble
	complain := idle >= complainFrom && waited > 0 && !o.waitSaid
	o.waitSaid = o.waitSaid || complain
	o.mu.Unlock()
	if bubble := waitlist.InBubble(now); due && collect(bubble) {
		endDead()
		o.mu.Lock()
		o.searched, o.pause = now, 4*o.pause
		if !bubble {
			o.pause = min(o.pause, collectPause)
		}
		o.mu.Unlock()
	}
	if complain {
		// In a new goroutine, because a log handler may be slow or use this very pool.
		go complainOf(o.kind, o.name, holdersOf(o), waited, o.quota.Waits().Waiting,
			"in_use", o.quota.Taken()-o.quota.Reserved(), "reserved", o.quota.Reserved(),
			"max_in_use", o.quota.Max())
	}
}

// holdersOf returns the names of the pools whose memory counts towards the quota of an overseer. A file above sets
// it.
var holdersOf func(*overseer) map[string]bool

// endDead gives back the room of lost memory whose cleanup is late. A file above sets it.
var endDead func()

// search looks for outstanding arrays of pools that draw from q in all other pools, unless a search ended shortly
// before. It reports whether there may be room for size bytes now.
func search(q *quota.Quota, size int64) bool {
	return searchOnce(
		func() bool { return q.Taken()+size <= q.Max() },
		func() bool { return lookElsewhere(q) },
	)
}

// lookElsewhere takes arrays of pools that draw from a quota out of other pools, where they are idle, and reports
// whether there was one. A file above sets it.
var lookElsewhere func(*quota.Quota) bool

// collections limits collect to a tenth of the time.
var collections struct {
	sync.Mutex
	next time.Duration // as returned by pin.Now
}

// collect runs the garbage collector, unless another call does or did shortly before. It reports
// whether it ran. In a bubble of package synctest, a day of the bubble may pass in a moment, so there it
// always runs.
func collect(bubble bool) bool {
	if !collections.TryLock() {
		return false
	}
	defer collections.Unlock()
	began := pin.Now()
	if began < collections.next && !bubble {
		return false
	}
	runtime.GC()
	ended := pin.Now()
	collections.next = ended + 10*(ended-began)
	return true
}

// complainOf reports in the log that requests wait and nothing is put back.
func complainOf(kind, name string, holders map[string]bool, waited time.Duration, waiting int, holdings ...any) {
	attrs := append([]any{
		"pool", name, "kind", kind, "waiting", waiting, "waited", waited}, holdings...)
	do := "see the lines in sites, which are those of all pools with these names"
	switch sites := sitesOf(holders); {
	case sites != "":
		attrs = append(attrs, "sites", sites)
	case check.Current.Load() == nil: // a FixedPool
		do = "set BASIN_CHECK=sampled, and this message names the lines that hold it"
	default:
		do = "checks have not sampled the lines that hold it"
	}
	warn.Log("basin: requests wait for room in a pool, and nothing is put back. The goroutines that hold its memory may wait, too, "+
		"or have forgotten to put it: "+do+". GetContext waits no longer than its context, and TryGet does not wait", attrs...)
}
