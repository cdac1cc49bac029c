//go:build go1.25

package check

import (
	"cmp"
	"slices"
	"sort"
)

// A Site is the balance of one stack that acquires from pools of one name, since the tracker
// began. If only a sample of acquisitions is tracked, all numbers are estimates.
type Site struct {
	Pool              string
	Acquired          []uintptr // nil for the sum of all sites that are not listed
	Goroutine         uint64    // of Outstanding, if Goroutines is set
	Items, Bytes      int64     // outstanding and not exempt
	Gets, Puts, Leaks uint64    // in items
	Unfreed           uint64    // items that became garbage and need not be put; not among Gets
	LastPut           []uintptr // nil if there was no Put
}

// outBy returns the outstanding items that are not exempt, grouped by key.
func outBy[K comparable](t *Tracker, key func(*record) K) map[K]*Site {
	out := make(map[K]*Site)
	t.eachOut(func(r *record, n int64) {
		if !t.full && r.owner.Held.Load() {
			return
		}
		k := key(r)
		s := out[k]
		if s == nil {
			s = &Site{Pool: r.owner.Name, Acquired: r.acquired.calls(), Goroutine: r.goroutine}
			out[k] = s
		}
		s.Items += n * int64(t.every)
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
	Sort(list)
	return list
}

// Sites returns all sites, those with the most outstanding bytes first.
func (t *Tracker) Sites() (list []Site) {
	out := outBy(t, func(r *record) siteKey { return siteKey{r.owner.Name, r.acquired} })
	every := uint64(t.every)
	l := &t.sites
	l.mu.Lock()
	count := func(s *site, into *Site) {
		into.Gets, into.Puts, into.Leaks, into.LastPut = s.gets*every, s.puts*every, s.leaks*every, s.last.calls()
		into.Unfreed = s.unfreed * every
	}
	for k, s := range l.all {
		x := out[k]
		if x == nil {
			x = &Site{Pool: k.pool, Acquired: k.acquired.calls()}
			out[k] = x
		}
		count(s, x)
	}
	for _, s := range out {
		list = append(list, *s)
	}
	if l.unlisted.gets+l.unlisted.unfreed > 0 {
		var unlisted Site
		count(&l.unlisted, &unlisted)
		list = append(list, unlisted)
	}
	l.mu.Unlock()
	Sort(list)
	return list
}

// Sort sorts sites, those with the most outstanding bytes first.
func Sort(list []Site) {
	sort.Slice(list, func(i, j int) bool { // package slices would have a copy of its sort for this type alone
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Items, a.Items), cmp.Compare(b.Leaks, a.Leaks),
			cmp.Compare(b.Gets, a.Gets), cmp.Compare(a.Pool, b.Pool), slices.Compare(a.Acquired, b.Acquired)) < 0
	})
}

// eachOut calls f for the record of each outstanding item that is not exempt, with the number
// of times that it is outstanding.
func (t *Tracker) eachOut(f func(r *record, n int64)) {
	for r := range t.table.all {
		if r.state == out && !r.exempt {
			f(r, 1)
		}
	}
	for fixed := range t.fixedList.all {
		fixed.each(func(r *record) {
			if r.state == out {
				f(r, 1)
			}
		})
	}
	t.values.each(func(r *value) { f(&r.record, int64(r.outstanding)) })
}
