package check

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// handler is told of every finding.
var handler atomic.Pointer[listener]

// A listener is a handler, and the tracker whose leaks it wants to know.
type listener struct {
	tell func(*Finding) // nil if nobody is to be told
	t    *Tracker
}

// Handle has h told of every finding from now on, and of those that no call is to blame for only
// if t makes them. It is called before t is switched on.
func Handle(t *Tracker, h func(*Finding)) { handler.Store(&listener{h, t}) }

// Report counts f and tells the handler. The caller holds no locks, and has nothing left to
// do that must be done: the handler may panic.
func Report(f Finding) { report(f, handler.Load()) }

// reportLeak is Report of a leak that the collector found, on a goroutine of its own. By now t may
// have been stopped: then the handler is that of its successor, which knows nothing of f.
func (t *Tracker) reportLeak(f Finding) {
	if l := handler.Load(); l == nil || l.t == t {
		f.Kind = Leak
		report(f, l)
	}
}

func report(f Finding, l *listener) {
	f.Owner.counts[f.Kind].Add(1)
	g := findingGroups.of(&f)
	f.Count = g.count.Add(1)
	g.latest.Store(&f)
	if l != nil && l.tell != nil {
		l.tell(&f)
	}
}

// A group is all misuse of one kind, of one pool, with one acquisition site. Where nothing
// was acquired, the site is the one that misused.
type group struct {
	count  atomic.Uint64
	latest atomic.Pointer[Finding]
	logged time.Time // when Due reported true last
	number uint64    // by when it was made
}

type groupKey struct {
	kind Kind
	pool string
	site string // the bytes of a stack
}

// maxGroups is how many groups there can be. A new one takes the place of the one
// that was found least often, and of those the one that was made first.
const maxGroups = 512

type groupMap struct {
	mu   sync.Mutex
	all  map[groupKey]*group
	made uint64
}

var findingGroups = groupMap{all: make(map[groupKey]*group)}

// get returns the group of f. The caller holds the lock.
func (m *groupMap) get(f *Finding) *group {
	site := f.Acquired
	if site == nil {
		site = f.Here
	}
	key := groupKey{f.Kind, f.Owner.Name, stackKey(site)}
	if known := m.all[key]; known != nil {
		return known
	}
	m.made++
	made := &group{number: m.made}
	if len(m.all) >= maxGroups {
		made.logged = m.drop() // or there would be no end of lines in the log
	}
	m.all[key] = made
	return made
}

// stackKey returns pcs in a form that can be compared.
func stackKey(pcs []uintptr) string {
	b := make([]byte, 0, 8*len(pcs))
	for _, pc := range pcs {
		b = binary.NativeEndian.AppendUint64(b, uint64(pc))
	}
	return string(b)
}

// drop removes the group that is missed least, and returns its logged. The caller holds the
// lock.
func (m *groupMap) drop() time.Time {
	var least *group
	var at groupKey
	for key, g := range m.all {
		if least == nil || cmp.Or(cmp.Compare(g.count.Load(), least.count.Load()), cmp.Compare(g.number, least.number)) < 0 {
			least, at = g, key
		}
	}
	delete(m.all, at)
	return least.logged
}

func (m *groupMap) of(f *Finding) *group {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(f)
}

// Due reports whether it has not reported true for the group of f for as long as every.
func Due(f *Finding, now time.Time, every time.Duration) bool {
	findingGroups.mu.Lock()
	defer findingGroups.mu.Unlock()
	g := findingGroups.get(f)
	if !g.logged.IsZero() && now.Sub(g.logged) < every {
		return false
	}
	g.logged = now
	return true
}

// Found returns the latest finding of each group, those of the largest groups first.
func Found() []*Finding {
	findingGroups.mu.Lock()
	defer findingGroups.mu.Unlock()
	var all []*Finding
	for _, g := range findingGroups.all {
		if f := g.latest.Load(); f != nil {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Owner.Name, b.Owner.Name))
	})
	return all
}

// FoundBytes returns how many bytes Found remembers.
func FoundBytes() int64 {
	findingGroups.mu.Lock()
	defer findingGroups.mu.Unlock()
	return int64(len(findingGroups.all)) * groupCost
}
