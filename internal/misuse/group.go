//go:build go1.25

package misuse

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"sort"
	"sync"
	"time"

	"github.com/basin-go/basin/internal/callsite"
)

// MaxBytes is the most memory that all groups and the times of the log take.
const (
	MaxBytes   = 880 << 10
	groupCost  = 1500 // group with its latest Finding: three stacks (or two and Into), a key with one more, the pool's name
	trailCost  = 4000 // the Trail of a Finding
	loggedCost = 80   // time of a line in the log, map slot
)

// The largest numbers fit into MaxBytes.
const _ = uint(MaxBytes - maxGroups*groupCost - maxTrails*trailCost - maxLogged*loggedCost)

// A group has all findings with the same kind, pool and acquisition site. A finding without an
// acquisition site counts by the site of the misuse.
type group struct {
	count  uint64
	latest *Finding
	number uint64 // in order of creation
}

type groupKey struct {
	kind Kind
	pool string
	site string // the bytes of a stack
}

// maxGroups limits the number of groups. Beyond that, a new group replaces the oldest one with the
// lowest count.
const maxGroups = 512

// maxTrails limits the number of groups whose latest Finding keeps its Trail.
const maxTrails = 20

type groupTable struct {
	mu   sync.Mutex
	all  map[groupKey]*group
	made uint64
}

var groups = groupTable{all: make(map[groupKey]*group)}

// get returns the group of f. The caller holds the lock.
func (m *groupTable) get(f *Finding) *group {
	key := groupKey{f.Kind, f.Pool.Name, stackKey(f.Site())}
	if known := m.all[key]; known != nil {
		return known
	}
	m.made++
	if len(m.all) >= maxGroups {
		m.drop()
	}
	made := &group{number: m.made}
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

// drop removes the oldest group with the lowest count. The caller holds the lock.
func (m *groupTable) drop() {
	var least *group
	var at groupKey
	for key, g := range m.all {
		if least == nil || cmp.Or(cmp.Compare(g.count, least.count), cmp.Compare(g.number, least.number)) < 0 {
			least, at = g, key
		}
	}
	delete(m.all, at)
}

// count adds f to its group, of which it becomes the latest finding. If too many groups have a Trail
// already, the group keeps f without its own.
func (m *groupTable) count(f *Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.get(f)
	g.count += f.Weight
	f.Count = g.count
	g.latest = nil
	if kept := *f; f.Trail != nil && m.trails() >= maxTrails {
		kept.Trail = nil
		g.latest = &kept
		return
	}
	g.latest = f
}

// trails returns the number of groups that keep a Trail. The caller holds the lock.
func (m *groupTable) trails() (n int) {
	for _, g := range m.all {
		if g.latest != nil && g.latest.Trail != nil {
			n++
		}
	}
	return n
}

// maxLogged limits the lines of the log that a logTable remembers.
const maxLogged = 512

// A logTable has the times of the last lines in the log.
type logTable struct {
	mu   sync.Mutex
	last map[uint64]time.Time // by hash of kind, pool and source line
}

var logged = logTable{last: make(map[uint64]time.Time)}

var logSeed = maphash.MakeSeed()

// Due reports whether to log f: at most once per interval every for each kind, pool and source line
// of the acquisition, and for at most maxLogged of them.
func Due(f *Finding, now time.Time, every time.Duration) bool {
	type line struct {
		kind       Kind
		pool, file string
		line       int
	}
	at := callsite.Of(f.Site())
	return logged.due(maphash.Comparable(logSeed, line{f.Kind, f.Pool.Name, at.File, at.Line}), now, every)
}

func (l *logTable) due(line uint64, now time.Time, every time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, ok := l.last[line]; ok && now.Sub(last) < every {
		return false
	}
	if len(l.last) >= maxLogged {
		maps.DeleteFunc(l.last, func(_ uint64, last time.Time) bool { return now.Sub(last) >= every })
		if len(l.last) >= maxLogged {
			return false
		}
	}
	l.last[line] = now
	return true
}

func (l *logTable) bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.last)) * loggedCost
}

// Found returns the latest finding of each group, largest groups first.
func Found() []*Finding {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	var all []*Finding
	for _, g := range groups.all {
		all = append(all, g.latest)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Pool.Name, b.Pool.Name)) < 0
	})
	return all
}

// Bytes returns the memory of all groups and of the times of the log, in bytes.
func Bytes() int64 {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	return int64(len(groups.all))*groupCost + int64(groups.trails())*trailCost + logged.bytes()
}
