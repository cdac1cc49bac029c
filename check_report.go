package basin

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/internal/check"
)

// handler is told of every misuse.
var handler atomic.Pointer[func(*Misuse)]

func setHandler(c Checking) {
	h := c.Handler
	if h == nil {
		h = logMisuse
		if c.Level == CheckFull {
			h = panicMisuse
		}
	}
	handler.Store(&h)
}

// found counts a misuse and reports it. The caller holds no locks, and has nothing left
// to do that must be done: the handler may panic.
func found(f check.Finding) {
	f.Owner.Counts[f.Kind].Add(1)
	g := groups.of(f)
	m := &Misuse{
		Kind:     MisuseKind(f.Kind),
		Pool:     f.Owner.Name,
		Size:     f.Size,
		Offset:   f.Offset,
		Acquired: stackOf(f.Acquired),
		FirstPut: stackOf(f.FirstPut),
		Here:     stackOf(f.Here),
		Count:    g.count.Add(1),
	}
	g.latest.Store(m)
	(*handler.Load())(m)
}

// panicMisuse is the handler of CheckFull. A leak is no reason to panic on a goroutine
// of the runtime.
func panicMisuse(m *Misuse) {
	if m.Kind == Leak {
		logMisuse(m)
		return
	}
	panic(m)
}

// logEach is the least time between two lines in the log about one group.
const logEach = time.Minute

// logMisuse is the handler of CheckSampled.
func logMisuse(m *Misuse) {
	if !groups.due(m, time.Now()) {
		return
	}
	slog.Warn("basin: "+m.Kind.String(), "pool", m.Pool, "size", m.Size, "offset", m.Offset, "count", m.Count,
		"here", m.Here.String(), "put", m.FirstPut.String(), "acquired", m.Acquired.String())
}

// A group is all misuse of one kind, of one pool, with one acquisition site; or, where
// nothing was acquired, with one site that misused.
type group struct {
	count  atomic.Uint64
	latest atomic.Pointer[Misuse]
	logged time.Time // when there was a line about it last
}

type groupKey struct {
	kind  MisuseKind
	owner string
	site  *uintptr // begin of the stack, of which there is only one
}

type groupMap struct {
	mu sync.Mutex
	m  map[groupKey]*group
}

var groups = groupMap{m: make(map[groupKey]*group)}

func (g *groupMap) get(kind MisuseKind, pool string, site, here Stack) *group {
	if site == nil {
		site = here
	}
	key := groupKey{kind: kind, owner: pool}
	if len(site) > 0 {
		key.site = &site[0]
	}
	if g.m[key] == nil {
		g.m[key] = new(group)
	}
	return g.m[key]
}

func (g *groupMap) of(f check.Finding) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.get(MisuseKind(f.Kind), f.Owner.Name, stackOf(f.Acquired), stackOf(f.Here))
}

// Found returns what checks have found since the program began: of each kind, pool and
// acquisition site the latest misuse, whose Count says how often. Those found most
// often come first.
func Found() []*Misuse {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	var all []*Misuse
	for _, g := range groups.m {
		if m := g.latest.Load(); m != nil {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *Misuse) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Pool, b.Pool))
	})
	return all
}

// due reports whether m is to be logged now.
func (g *groupMap) due(m *Misuse, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	group := g.get(m.Kind, m.Pool, m.Acquired, m.Here)
	if !group.logged.IsZero() && now.Sub(group.logged) < logEach {
		return false
	}
	group.logged = now
	return true
}
