package basin

import (
	"log/slog"
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
	m := &Misuse{
		Kind:     MisuseKind(f.Kind),
		Pool:     f.Owner.Name,
		Size:     f.Size,
		Offset:   f.Offset,
		Acquired: stackOf(f.Acquired),
		FirstPut: stackOf(f.FirstPut),
		Here:     stackOf(f.Here),
		Count:    groups.of(f).count.Add(1),
	}
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
