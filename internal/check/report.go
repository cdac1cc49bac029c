//go:build go1.25

package check

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// handler receives every finding.
var handler atomic.Pointer[listener]

// A listener is a handler, with the tracker whose leaks it receives.
type listener struct {
	tell func(*Finding) // may be nil
	t    *Tracker
}

// Handle makes h the handler of all findings from now on. h receives leaks only if t found
// them. Call Handle before t is switched on.
func Handle(t *Tracker, h func(*Finding)) { handler.Store(&listener{h, t}) }

// Report counts f and calls the handler. The handler may panic, so the caller must hold no
// locks and must have completed its work.
func Report(f Finding) {
	count(&f)
	handler.Load().hear(&f)
}

// reportLeak reports a leak of n items. Cleanups call it, perhaps after t was stopped. If the
// handler is already that of another tracker, reportLeak does nothing.
func (t *Tracker) reportLeak(f Finding, n int) {
	if l := handler.Load(); l == nil || l.t == t {
		f.Kind, f.Weight = Leak, uint64(n)*uint64(t.every)
		count(&f)
		leaks.tell(l, &f)
	}
}

func count(f *Finding) {
	f.Weight = max(f.Weight, 1)
	f.Owner.counts[f.Kind].Add(f.Weight)
	g := findingGroups.of(f)
	f.Count = g.count.Add(f.Weight)
	g.latest.Store(f)
}

func (l *listener) hear(f *Finding) {
	if l != nil && l.tell != nil {
		l.tell(f)
	}
}

// A teller calls handlers with the findings of cleanups, one at a time, on a goroutine that
// exits when none are left. A cleanup must not call a handler itself: the handler may wait for
// memory that only other cleanups recover.
type teller struct {
	mu      sync.Mutex
	waiting []func()
	running bool
}

var leaks teller

// maxWaiting is the most findings that wait for a handler. Further ones are counted, but the
// handler does not see them.
const maxWaiting = 1000

func (t *teller) tell(l *listener, f *Finding) {
	if l == nil || l.tell == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == maxWaiting {
		return
	}
	t.waiting = append(t.waiting, func() { l.tell(f) })
	if !t.running {
		t.running = true
		go t.run()
	}
}

func (t *teller) run() {
	for {
		t.mu.Lock()
		if len(t.waiting) == 0 {
			t.waiting, t.running = nil, false
			t.mu.Unlock()
			return
		}
		next := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.mu.Unlock()
		next()
	}
}

// Told waits until handlers have received all leaks found so far. It is for tests.
func Told() {
	for {
		leaks.mu.Lock()
		running := leaks.running
		leaks.mu.Unlock()
		if !running {
			return
		}
		runtime.Gosched()
	}
}

// A group has all findings with the same kind, pool and acquisition site. A finding without an
// acquisition site counts by the site of the misuse.
type group struct {
	count  atomic.Uint64
	latest atomic.Pointer[Finding]
	logged time.Time // time of the last Due that reported true
	number uint64    // in order of creation
}

type groupKey struct {
	kind Kind
	pool string
	site string // the bytes of a stack
}

// maxGroups is the most groups there can be. A new group then replaces the one with the lowest
// count, and of those the oldest.
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
		made.logged = m.drop() // a dropped group must not make room for another line in the log at once
	}
	m.all[key] = made
	return made
}

// stackKey returns pcs as a comparable value.
func stackKey(pcs []uintptr) string {
	b := make([]byte, 0, 8*len(pcs))
	for _, pc := range pcs {
		b = binary.NativeEndian.AppendUint64(b, uint64(pc))
	}
	return string(b)
}

// drop removes the oldest group with the lowest count, and returns its logged. The caller holds
// the lock.
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

// Due reports whether to log f: at most once per interval every for each group.
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

// Found returns the latest finding of each group, largest groups first.
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

// FoundBytes returns the memory of all groups in bytes.
func FoundBytes() int64 {
	findingGroups.mu.Lock()
	defer findingGroups.mu.Unlock()
	return int64(len(findingGroups.all)) * groupCost
}
