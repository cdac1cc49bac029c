//go:build go1.25

package check

import "sync"

// A site is a call stack that acquires from pools of one name. It counts tracked acquisitions and
// how they ended, without the weight of samples.
type site struct {
	key               siteKey
	last              *stack // stack of the latest Put of an item acquired here
	gets, puts, leaks uint64
	unfreed           uint64 // items that became garbage and need not be put; not among gets

	guarded, heap int  // outstanding arrays by their memory, while there is guarded memory
	excused       bool // some of these need not be put
}

// A siteKey identifies a site. While a stack is referenced, no other stack has the same calls.
type siteKey struct {
	pool     string
	acquired *stack
}

// held is the number of items that are neither put nor known to have leaked.
func (s *site) held() uint64 { return s.gets - s.puts - s.leaks }

// The most sites that a Tracker lists. Records share their stacks, and the budget pays for both.
const (
	maxSitesSampled = 512
	maxSitesFull    = 1 << 14
)

// sites has the sites of a tracker. If there are too many, or no memory for one more, a site with
// nothing outstanding is forgotten. Acquisitions that cannot be listed are counted in unlisted.
type sites struct {
	stacks *stacks

	mu       sync.Mutex
	all      map[siteKey]*site
	most     int
	unlisted site
}

func (l *sites) init(s *stacks, most int) {
	l.stacks, l.all, l.most = s, make(map[siteKey]*site), most
}

// get counts an acquisition, and returns its site. acquired may be nil.
func (l *sites) get(pool string, acquired *stack) *site {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.find(siteKey{pool, acquired})
	s.gets++
	return s
}

// find returns the site of k. It adds one if there is none. The caller holds the lock.
func (l *sites) find(k siteKey) *site {
	if s := l.all[k]; s != nil {
		return s
	}
	if k.acquired == nil || len(l.all) >= l.most && !l.forget() || !l.stacks.budget.take(siteCost, reservedForPuts) {
		return &l.unlisted
	}
	k.acquired.refs.Add(1)
	s := &site{key: k}
	l.all[k] = s
	return s
}

// forget removes the site with the fewest acquisitions that has neither leaks nor outstanding
// items. It reports false if there is none. The caller holds the lock.
func (l *sites) forget() bool {
	var least *site
	for _, s := range l.all {
		if s.leaks == 0 && s.held() == 0 && (least == nil || s.gets+s.unfreed < least.gets+least.unfreed) {
			least = s
		}
	}
	if least == nil {
		return false
	}
	delete(l.all, least.key)
	l.unlisted.gets += least.gets
	l.unlisted.puts += least.puts
	l.unlisted.unfreed += least.unfreed
	l.stacks.release(least.key.acquired)
	l.stacks.release(least.last)
	l.stacks.budget.give(siteCost)
	return true
}

// The following methods count events of an item that was acquired at s. s may be nil.

func (l *sites) again(s *site) { l.change(s, func() { s.gets++ }) }

func (l *sites) put(s *site, by *stack) {
	l.change(s, func() {
		s.puts++
		if by != nil && s.last != by && s != &l.unlisted {
			l.stacks.release(s.last)
			by.refs.Add(1) // the caller has a reference
			s.last = by
		}
	})
}

func (l *sites) leak(s *site, n int) { l.change(s, func() { s.leaks += uint64(n) }) }

func (l *sites) leftUnfreed(s *site) { l.change(s, func() { s.unfreed++ }) }

// cancel takes back an acquisition, because the item need not be put.
func (l *sites) cancel(s *site) { l.change(s, func() { s.gets-- }) }

// Nobody notices that a guarded array is lost, so a site that loses them must not take all guarded
// memory, and its losses must show. So it may have a few guarded arrays outstanding, and beyond them one for
// each on the heap, whose death is noticed. A site whose arrays need not be put is likely to lose them, and gets
// one for eight.
const (
	guardedExcused = 1
	guardedSampled = 16
	guardedFull    = 1 << 10
)

// mayGuard reports whether an array that is acquired at s may be guarded.
func (l *sites) mayGuard(s *site, full bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case s.excused:
		return s.guarded < guardedExcused+s.heap/8
	case full:
		return s.guarded < guardedFull+s.heap
	}
	return s.guarded < guardedSampled+s.heap
}

// holds adds n to the outstanding arrays of a site.
func (l *sites) holds(s *site, guarded bool, n int) {
	l.change(s, func() {
		if guarded {
			s.guarded += n
		} else {
			s.heap += n
		}
	})
}

// excuse notes that an array of a site need not be put.
func (l *sites) excuse(s *site) { l.change(s, func() { s.excused = true }) }

func (l *sites) change(s *site, f func()) {
	if s == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s != &l.unlisted && l.all[s.key] != s { // forgotten meanwhile
		return
	}
	f()
}
