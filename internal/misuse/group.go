//go:build go1.25

package misuse

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/basin-go/basin/internal/callsite"
)

// MaxBytes is the most memory that all groups and the times of the log take.
const (
	MaxBytes   = 880 << 10
	groupCost  = 1500 // group with its latest Finding: three stacks (or two and Into), a key with one more, the pool's name
	trailCost  = 4000 // the Trail of a Finding
	loggedCost = 320  // time of the log, map slot, the pool's name
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

// A logKey stands for a line in the log: the findings of one kind and pool with the same source line.
type logKey struct {
	kind       Kind
	pool, file string
	line       int
}

// maxLogged limits the times that Due remembers.
const maxLogged = 128

var logged = struct {
	sync.Mutex
	at map[logKey]time.Time // of the last Due that reported true
}{at: make(map[logKey]time.Time)}

// Due reports whether to log f: at most once per interval every for each kind, pool and source line
// of the acquisition, and for at most maxLogged of them.
func Due(f *Finding, now time.Time, every time.Duration) bool {
	at := callsite.Of(f.Site())
	key := logKey{f.Kind, f.Pool.Name, at.File, at.Line}
	logged.Lock()
	defer logged.Unlock()
	if last, ok := logged.at[key]; ok && now.Sub(last) < every {
		return false
	}
	if _, ok := logged.at[key]; !ok && len(logged.at) >= maxLogged {
		for k, last := range logged.at {
			if now.Sub(last) >= every {
				delete(logged.at, k)
			}
		}
		if len(logged.at) >= maxLogged {
			return false
		}
	}
	logged.at[key] = now
	return true
}

// Found returns the latest finding of each group, largest groups first.
func Found() []*Finding {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	var all []*Finding
	for _, g := range groups.all {
		all = append(all, g.latest)
	}
	slices.SortFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Pool.Name, b.Pool.Name))
	})
	return all
}

// Bytes returns the memory of all groups and of the times of the log, in bytes.
func Bytes() int64 {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	logged.Lock()
	defer logged.Unlock()
	return int64(len(groups.all))*groupCost + int64(groups.trails())*trailCost + int64(len(logged.at))*loggedCost
}
