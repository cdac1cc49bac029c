// Package export reads the pools of a program in the form that metrics systems
// need: few series, no two alike, whose counters never go back.
//
// The exporters are modules of their own, of versions of their own. So what is
// exported here must stay compatible, as if it were public.
package export

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/basin-go/basin"
)

// A Reader reads all pools. It adds up those of one name and kind: what has
// an ID of its own for each pool, different in each run of the program, would be too
// many series for a program that makes pools again and again. What pools
// counted that are garbage by now stays counted, up to when they were last read.
//
// The zero value is ready. It may be used by many goroutines at once.
type Reader struct {
	PerPool bool // read each pool as it is, with its ID

	mu        sync.Mutex
	now, last []basin.Snapshot // as of this reading and of the one before
	groups    []*group         // those first seen first
	byKey     map[key]*group
}

type key struct{ name, kind string }

// A group is the pools of one name and kind.
type group struct {
	gone basin.Snapshot // counted by those that are garbage
	sum  basin.Snapshot
	live int
}

// Each reads all pools and calls f for each of them, or for each name and kind: then
// IDs are zero, and limits are the sums of the limits, or zero if one of the
// pools has none. Names and kinds are UTF-8 and of at most MaxLabel bytes. The
// snapshot is valid until f returns.
func (r *Reader) Each(f func(*basin.Snapshot)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now, r.last = basin.AppendSnapshots(r.last[:0]), r.now
	r.label()
	if r.PerPool {
		for i := range r.now {
			f(&r.now[i])
		}
		return
	}
	r.group()
	for _, g := range r.groups {
		f(&g.sum)
	}
}

// label makes labels of names and kinds, once for each pool.
func (r *Reader) label() {
	last := r.last
	for i := range r.now { // both readings are in the order of IDs
		s := &r.now[i]
		for len(last) > 0 && last[0].ID < s.ID {
			last = last[1:]
		}
		if len(last) > 0 && last[0].ID == s.ID {
			s.Name, s.Kind = last[0].Name, last[0].Kind
		} else {
			s.Name, s.Kind = label(s.Name), label(s.Kind)
		}
	}
}

// group adds up the pools.
func (r *Reader) group() {
	now := r.now
	for i := range r.last {
		was := &r.last[i]
		for len(now) > 0 && now[0].ID < was.ID {
			now = now[1:]
		}
		if len(now) == 0 || now[0].ID != was.ID {
			count(&r.groupOf(was).gone, was)
		}
	}
	for _, g := range r.groups {
		g.live = 0
		g.sum = basin.Snapshot{Kind: g.gone.Kind, Stats: basin.Stats{Name: g.gone.Name, Classes: g.sum.Classes[:0]}}
		count(&g.sum, &g.gone)
	}
	for i := range r.now {
		g := r.groupOf(&r.now[i])
		count(&g.sum, &r.now[i])
		g.hold(&r.now[i])
	}
}

func (r *Reader) groupOf(s *basin.Snapshot) *group {
	k := key{s.Name, s.Kind}
	g := r.byKey[k]
	if g == nil {
		g = new(group)
		g.gone.Name, g.gone.Kind = s.Name, s.Kind
		g.sum.Name, g.sum.Kind = s.Name, s.Kind
		if r.byKey == nil {
			r.byKey = map[key]*group{}
		}
		r.byKey[k] = g
		r.groups = append(r.groups, g)
	}
	return g
}

// count adds to t what s has counted.
func count(t, s *basin.Snapshot) {
	t.Gets += s.Gets
	t.Hits += s.Hits
	t.Misses += s.Misses
	t.Oversize += s.Oversize
	t.Puts += s.Puts
	t.Drops += s.Drops
	t.DropsBy.Empty += s.DropsBy.Empty
	t.DropsBy.Small += s.DropsBy.Small
	t.DropsBy.Large += s.DropsBy.Large
	t.DropsBy.Foreign += s.DropsBy.Foreign
	t.DropsBy.Misaligned += s.DropsBy.Misaligned
	t.DropsBy.Double += s.DropsBy.Double
	t.DropsBy.Full += s.DropsBy.Full
	t.AskedBytes += s.AskedBytes
	t.HandedOutBytes += s.HandedOutBytes
	t.OversizeBytes += s.OversizeBytes
	t.Trimmed += s.Trimmed
	t.Misuse.DoublePut += s.Misuse.DoublePut
	t.Misuse.WriteAfterPut += s.Misuse.WriteAfterPut
	t.Misuse.ForeignPut += s.Misuse.ForeignPut
	t.Misuse.InteriorPut += s.Misuse.InteriorPut
	t.Misuse.ReslicedPut += s.Misuse.ReslicedPut
	t.Misuse.WrongPool += s.Misuse.WrongPool
	t.Misuse.UseAfterRelease += s.Misuse.UseAfterRelease
	t.Misuse.Leak += s.Misuse.Leak
	t.Waited += s.Waited
	t.Refused += s.Refused
	t.LongestWait = max(t.LongestWait, s.LongestWait)
	for i := range s.Classes {
		c, d := classOf(t, s.Classes[i].Size), &s.Classes[i]
		c.Gets += d.Gets
		c.Hits += d.Hits
		c.Misses += d.Misses
		c.Puts += d.Puts
		c.Full += d.Full
		c.Double += d.Double
		c.Trimmed += d.Trimmed
		c.AskedBytes += d.AskedBytes
		c.HandedOutBytes += d.HandedOutBytes
	}
}

// hold adds to the group what a pool holds and may hold.
func (g *group) hold(s *basin.Snapshot) {
	t := &g.sum
	t.InUse += s.InUse
	t.Idle += s.Idle
	t.InUseBytes += s.InUseBytes
	t.IdleBytes += s.IdleBytes
	t.Waiting += s.Waiting
	for i := range s.Classes {
		c := classOf(t, s.Classes[i].Size)
		c.InUseBytes += s.Classes[i].InUseBytes
		c.IdleBytes += s.Classes[i].IdleBytes
	}
	for _, limit := range [][2]*int64{
		{&t.MaxIdle, &s.MaxIdle}, {&t.MaxInUse, &s.MaxInUse}, {&t.MaxIdleItems, &s.MaxIdleItems},
	} {
		sum, n := limit[0], *limit[1]
		switch {
		case g.live == 0:
			*sum = n
		case *sum == 0 || n == 0:
			*sum = 0
		case n > math.MaxInt64-*sum:
			*sum = math.MaxInt64
		default:
			*sum += n
		}
	}
	g.live++
}

// classOf returns the class of the given size of t, which gets it if it has it not.
func classOf(t *basin.Snapshot, size int) *basin.ClassStats {
	i, found := slices.BinarySearchFunc(t.Classes, size, func(c basin.ClassStats, size int) int { return c.Size - size })
	if !found {
		t.Classes = slices.Insert(t.Classes, i, basin.ClassStats{Size: size})
	}
	return &t.Classes[i]
}

// OfValues reports whether s is of pools that do not know how many bytes their items are.
func OfValues(s *basin.Snapshot) bool { return strings.HasPrefix(s.Kind, "Pool[") }

// Misuse lists the kinds of misuse that checks find, by names as labels can be.
var Misuse = []struct {
	Kind string
	Of   func(*basin.Snapshot) uint64
}{
	{"double_put", func(s *basin.Snapshot) uint64 { return s.Misuse.DoublePut }},
	{"write_after_put", func(s *basin.Snapshot) uint64 { return s.Misuse.WriteAfterPut }},
	{"foreign_put", func(s *basin.Snapshot) uint64 { return s.Misuse.ForeignPut }},
	{"interior_put", func(s *basin.Snapshot) uint64 { return s.Misuse.InteriorPut }},
	{"resliced_put", func(s *basin.Snapshot) uint64 { return s.Misuse.ReslicedPut }},
	{"wrong_pool", func(s *basin.Snapshot) uint64 { return s.Misuse.WrongPool }},
	{"use_after_release", func(s *basin.Snapshot) uint64 { return s.Misuse.UseAfterRelease }},
	{"leak", func(s *basin.Snapshot) uint64 { return s.Misuse.Leak }},
}

// Checked reports whether what s says of misuse means anything: the program is checked, or was.
func Checked(s *basin.Snapshot) bool {
	return s.Misuse != basin.Misuses{} || basin.CheckingNow().Level != basin.CheckOff
}

// MaxLabel is how long names of pools are at most, in bytes.
const MaxLabel = 200

// label returns name as a label can be.
func label(name string) string {
	const more = "…"
	if name = strings.ToValidUTF8(name, "\ufffd"); len(name) <= MaxLabel {
		return name
	}
	cut := MaxLabel - len(more)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + more
}
