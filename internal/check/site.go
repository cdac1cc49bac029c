//go:build go1.25

package check

import (
	"cmp"
	"slices"
	"sync"
)

// A site is a call stack that acquires from pools of one name. It counts tracked acquisitions,
// each of which stands for t.every acquisitions, and their ends.
type site struct {
	key               siteKey
	last              *Stack // stack of the latest Put of an item acquired here
	gets, puts, leaks uint64
}

// A siteKey identifies a site. While a Stack is referenced, no other Stack has the same calls.
type siteKey struct {
	pool     string
	acquired *Stack
}

// held is the number of items that are neither put nor known to have leaked.
func (s *site) held() uint64 { return s.gets - s.puts - s.leaks }

// sites has the sites of a tracker. If there are too many, or no memory for one more, a site
// with nothing outstanding is forgotten. Acquisitions that cannot be listed are counted in
// rest.
type sites struct {
	mu   sync.Mutex
	all  map[siteKey]*site
	most int
	rest site
}

func (l *sites) init(most int) { l.all, l.most = make(map[siteKey]*site), most }

// get counts an acquisition, and returns its site. acquired may be nil.
func (l *sites) get(t *Tracker, pool string, acquired *Stack) *site {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.find(t, siteKey{pool, acquired})
	s.gets++
	return s
}

// find returns the site of k. It adds one if there is none. The caller holds the lock.
func (l *sites) find(t *Tracker, k siteKey) *site {
	if s := l.all[k]; s != nil {
		return s
	}
	if k.acquired == nil || len(l.all) >= l.most && !l.forget(t) || !t.ledger.take(siteCost, spareForPuts) {
		return &l.rest
	}
	k.acquired.refs.Add(1)
	s := &site{key: k}
	l.all[k] = s
	return s
}

// forget removes the site with the fewest acquisitions that has neither leaks nor outstanding
// items. It reports false if there is none. The caller holds the lock.
func (l *sites) forget(t *Tracker) bool {
	var least *site
	for _, s := range l.all {
		if s.leaks == 0 && s.held() == 0 && (least == nil || s.gets < least.gets) {
			least = s
		}
	}
	if least == nil {
		return false
	}
	delete(l.all, least.key)
	l.rest.gets += least.gets
	l.rest.puts += least.puts
	t.stacks.put(least.key.acquired, &t.ledger)
	t.stacks.put(least.last, &t.ledger)
	t.ledger.give(siteCost)
	return true
}

// The following methods count events of an item that was acquired at s. s may be nil.

func (l *sites) again(s *site) { l.change(s, func() { s.gets++ }) }

func (l *sites) put(t *Tracker, s *site, by *Stack) {
	l.change(s, func() {
		s.puts++
		if by != nil && s.last != by && s != &l.rest {
			t.stacks.put(s.last, &t.ledger)
			by.refs.Add(1) // the caller has a reference
			s.last = by
		}
	})
}

func (l *sites) leak(s *site, n int) { l.change(s, func() { s.leaks += uint64(n) }) }

// cancel takes back an acquisition, because the item need not be put.
func (l *sites) cancel(s *site) { l.change(s, func() { s.gets-- }) }

func (l *sites) change(s *site, f func()) {
	if s == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s != &l.rest && l.all[s.key] != s { // forgotten meanwhile
		return
	}
	f()
}

// A Site is the balance of one stack that acquires from pools of one name, since the tracker
// began. If only a sample of acquisitions is tracked, all numbers are estimates.
type Site struct {
	Pool              string
	Acquired          []uintptr // nil for the sum of all sites that are not listed
	Goroutine         uint64    // of Outstanding, if Goroutines is set
	Objects, Bytes    int64     // outstanding and not exempt
	Gets, Puts, Leaks uint64    // in items
	LastPut           []uintptr // nil if there was no Put
}

// outBy returns the outstanding items that are not exempt, grouped by key.
func outBy[K comparable](t *Tracker, key func(*record) K) map[K]*Site {
	out := make(map[K]*Site)
	t.eachOut(func(r *record, n int64) {
		k := key(r)
		s := out[k]
		if s == nil {
			s = &Site{Pool: r.owner.Name, Acquired: pcs(r.acquired), Goroutine: r.goroutine}
			out[k] = s
		}
		s.Objects += n * int64(t.every)
		s.Bytes += n * int64(t.every) * int64(r.size)
	})
	return out
}

// Outstanding returns the outstanding items that are not exempt, by pool, acquisition site and
// goroutine.
func (t *Tracker) Outstanding() (list []Site) {
	type key struct {
		siteKey
		goroutine uint64
	}
	for _, s := range outBy(t, func(r *record) key { return key{siteKey{r.owner.Name, r.acquired}, r.goroutine} }) {
		list = append(list, *s)
	}
	sortSites(list)
	return list
}

// Sites returns all sites, those with the most outstanding bytes first.
func (t *Tracker) Sites() (list []Site) {
	out := outBy(t, func(r *record) siteKey { return siteKey{r.owner.Name, r.acquired} })
	every := uint64(t.every)
	l := &t.sites
	l.mu.Lock()
	count := func(s *site, into *Site) {
		into.Gets, into.Puts, into.Leaks, into.LastPut = s.gets*every, s.puts*every, s.leaks*every, pcs(s.last)
	}
	for k, s := range l.all {
		x := out[k]
		if x == nil {
			x = &Site{Pool: k.pool, Acquired: pcs(k.acquired)}
			out[k] = x
		}
		count(s, x)
	}
	for _, s := range out {
		list = append(list, *s)
	}
	if l.rest.gets > 0 {
		var rest Site
		count(&l.rest, &rest)
		list = append(list, rest)
	}
	l.mu.Unlock()
	sortSites(list)
	return list
}

func sortSites(list []Site) {
	slices.SortFunc(list, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Objects, a.Objects), cmp.Compare(b.Leaks, a.Leaks),
			cmp.Compare(b.Gets, a.Gets), cmp.Compare(a.Pool, b.Pool), slices.Compare(a.Acquired, b.Acquired))
	})
}

// eachOut calls f for the record of each outstanding item that is not exempt, with the number
// of times that it is outstanding.
func (t *Tracker) eachOut(f func(r *record, n int64)) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.records {
			if r.state == out && !r.exempt {
				f(r, 1)
			}
		}
		s.mu.Unlock()
	}
	for fixed := range t.fixed.all {
		fixed.each(func(r *record) {
			if r.state == out {
				f(r, 1)
			}
		})
	}
	t.values.each(func(r *value) { f(&r.record, int64(r.outs)) })
}
