//go:build go1.25

package misuse

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// MaxBytes is the most memory that all groups take.
const (
	MaxBytes  = 768 << 10
	groupCost = 1500 // group with its latest Finding: three stacks (or two and Into), a key with one more, the pool's name
)

// The largest number of groups fits into MaxBytes.
const _ = uint(MaxBytes - maxGroups*groupCost)

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

// maxGroups limits the number of groups. Beyond that, a new group replaces the oldest one with the
// lowest count.
const maxGroups = 512

type groupTable struct {
	mu   sync.Mutex
	all  map[groupKey]*group
	made uint64
}

var groups = groupTable{all: make(map[groupKey]*group)}

// get returns the group of f. The caller holds the lock.
func (m *groupTable) get(f *Finding) *group {
	site := f.Acquired
	if site == nil {
		site = f.Here
	}
	key := groupKey{f.Kind, f.Pool.Name, stackKey(site)}
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
func (m *groupTable) drop() time.Time {
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

func (m *groupTable) of(f *Finding) *group {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(f)
}

// Due reports whether to log f: at most once per interval every for each group.
func Due(f *Finding, now time.Time, every time.Duration) bool {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	g := groups.get(f)
	if !g.logged.IsZero() && now.Sub(g.logged) < every {
		return false
	}
	g.logged = now
	return true
}

// Found returns the latest finding of each group, largest groups first.
func Found() []*Finding {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	var all []*Finding
	for _, g := range groups.all {
		if f := g.latest.Load(); f != nil {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Pool.Name, b.Pool.Name))
	})
	return all
}

// Bytes returns the memory of all groups, in bytes.
func Bytes() int64 {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	return int64(len(groups.all)) * groupCost
}
