//go:build go1.25

package basinexport

import (
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// A Reader reads all pools and adds up those of one name and kind. If each pool had a
// series of its own, a program that makes pools again and again would have too many.
// When a pool is garbage, its counts at its last reading stay in the sum.
//
// The zero value is ready. All methods may be called from many goroutines at once.
type Reader struct {
	// PerPool makes All yield each pool by itself, with its ID.
	PerPool bool

	mu        sync.Mutex
	now, last []basin.Stats // this reading, and the one before
	groups    []*group      // in the order in which they were first seen
	byKey     map[key]*group
}

type key struct{ name, kind string }

// A group is the pools of one name and kind.
type group struct {
	gone basin.Stats // counters of pools that are garbage
	sum  basin.Stats // of all pools, those that are garbage included
	live int         // pools that add has added to sum
}

// All reads all pools when a loop over it begins, and yields the sums for each name and kind. Unless
// PerPool is set, the ID is zero. A limit is the sum of the pools' limits, or zero if
// one of them has none. A peak is the sum of the pools' peaks, which need not have
// been at one time. Names and kinds are UTF-8 and of at most 200 bytes, so that they
// can be labels. The statistics are valid until the next step of the loop, whose body must not use the Reader.
func (r *Reader) All() iter.Seq[*basin.Stats] {
	return func(yield func(*basin.Stats) bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now, r.last = Append(r.last[:0]), r.now
		r.compare()
		if r.PerPool {
			for i := range r.now {
				if !yield(&r.now[i]) {
					return
				}
			}
			return
		}
		r.group()
		for _, g := range r.groups {
			if !yield(&g.sum) {
				return
			}
		}
	}
}

// compare takes from the reading before the names and kinds, made fit to be labels, and counters that have gone back.
func (r *Reader) compare() {
	last := r.last
	for i := range r.now { // both readings are in the order of IDs
		s := &r.now[i]
		for len(last) > 0 && last[0].ID < s.ID {
			last = last[1:]
		}
		if len(last) > 0 && last[0].ID == s.ID {
			s.Name, s.Kind = last[0].Name, last[0].Kind
			notBack(s, &last[0])
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
			addCounters(&r.groupOf(was).gone, was)
		}
	}
	for _, g := range r.groups {
		g.live = 0
		g.sum = basin.Stats{Kind: g.gone.Kind, Name: g.gone.Name, Classes: g.sum.Classes[:0]}
		addCounters(&g.sum, &g.gone)
	}
	for i := range r.now {
		g := r.groupOf(&r.now[i])
		addCounters(&g.sum, &r.now[i])
		g.add(&r.now[i])
	}
}

func (r *Reader) groupOf(s *basin.Stats) *group {
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

// addCounters adds the counters of s to t.
func addCounters(t, s *basin.Stats) {
	counters(reflect.ValueOf(t).Elem(), reflect.ValueOf(s).Elem(), func(a, b uint64) uint64 { return a + b })
	t.Lost.Items += s.Lost.Items
	t.Lost.Bytes += s.Lost.Bytes
	t.TotalWait += s.TotalWait
	t.LongestWait = max(t.LongestWait, s.LongestWait)
	for i := range s.Classes {
		c, d := classOf(t, s.Classes[i].Size), &s.Classes[i]
		counters(reflect.ValueOf(c).Elem(), reflect.ValueOf(d).Elem(), func(a, b uint64) uint64 { return a + b })
		markUnknown(&c.Items, &d.Items)
		markUnknown(&c.Bytes, &d.Bytes)
	}
	markUnknown(&t.Items, &s.Items)
	markUnknown(&t.Bytes, &s.Bytes)
	markUnknownAmount(&t.PeakInUse, &s.PeakInUse)
	markUnknownAmount(&t.OutsideInUse, &s.OutsideInUse)
}

// counters sets each counter of t to f of it and of that of s. Counters are all unsigned fields but the ID; those of
// Classes are the caller's.
func counters(t, s reflect.Value, f func(a, b uint64) uint64) {
	for i := range s.NumField() {
		switch to, from := t.Field(i), s.Field(i); from.Kind() {
		case reflect.Struct:
			counters(to, from, f)
		case reflect.Array:
			for k := range from.Len() {
				to.Index(k).SetUint(f(to.Index(k).Uint(), from.Index(k).Uint()))
			}
		case reflect.Uint64:
			if s.Type().Field(i).Name != "ID" {
				to.SetUint(f(to.Uint(), from.Uint()))
			}
		}
	}
}

// notBack raises the counters of now to those of last, of the same pool before: a New that panics takes its Get back.
func notBack(now, last *basin.Stats) {
	counters(reflect.ValueOf(now).Elem(), reflect.ValueOf(last).Elem(), func(a, b uint64) uint64 { return max(a, b) })
	now.TotalWait = max(now.TotalWait, last.TotalWait)
	for i := range last.Classes {
		counters(reflect.ValueOf(classOf(now, last.Classes[i].Size)).Elem(), reflect.ValueOf(&last.Classes[i]).Elem(), func(a, b uint64) uint64 { return max(a, b) })
	}
}

// markUnknown sets to Unknown the fields of t that are Unknown in h. All pools of a group know the same
// figures, since they are of one kind.
func markUnknown(t, h *basin.Holdings) {
	if h.InUse == basin.Unknown {
		t.InUse = basin.Unknown
	}
	if h.Idle == basin.Unknown {
		t.Idle = basin.Unknown
	}
}

// markUnknownAmount is markUnknown for amounts.
func markUnknownAmount(t, a *basin.Amount) {
	if a.Items == basin.Unknown {
		t.Items = basin.Unknown
	}
	if a.Bytes == basin.Unknown {
		t.Bytes = basin.Unknown
	}
}

// add adds a pool's holdings and limits to the group.
func (g *group) add(s *basin.Stats) {
	t := &g.sum
	addHoldings(&t.Items, &s.Items)
	addHoldings(&t.Bytes, &s.Bytes)
	addAmount(&t.PeakInUse, &s.PeakInUse)
	addAmount(&t.OutsideInUse, &s.OutsideInUse)
	t.Waiting += s.Waiting
	t.Reserved += s.Reserved
	t.MemoryLimit, t.MemoryLimitSource = s.MemoryLimit, s.MemoryLimitSource
	t.RecentLongestWait = max(t.RecentLongestWait, s.RecentLongestWait)
	for i := range s.Classes {
		c := classOf(t, s.Classes[i].Size)
		addHoldings(&c.Items, &s.Classes[i].Items)
		addHoldings(&c.Bytes, &s.Classes[i].Bytes)
	}
	for _, limit := range [][2]*int64{
		{&t.Items.MaxIdle, &s.Items.MaxIdle}, {&t.Items.MaxInUse, &s.Items.MaxInUse},
		{&t.Bytes.MaxIdle, &s.Bytes.MaxIdle}, {&t.Bytes.MaxInUse, &s.Bytes.MaxInUse},
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

// addHoldings adds h to t, except for fields that markUnknown has set to Unknown.
func addHoldings(t, h *basin.Holdings) {
	if t.InUse != basin.Unknown {
		t.InUse += h.InUse
	}
	if t.Idle != basin.Unknown {
		t.Idle += h.Idle
	}
}

// addAmount is addHoldings for amounts.
func addAmount(t, a *basin.Amount) {
	if t.Items != basin.Unknown {
		t.Items += a.Items
	}
	if t.Bytes != basin.Unknown {
		t.Bytes += a.Bytes
	}
}

// classOf returns the class of the given size of t, and adds it if there is none.
func classOf(t *basin.Stats, size int) *basin.ClassStats {
	i, found := slices.BinarySearchFunc(t.Classes, size, func(c basin.ClassStats, size int) int { return c.Size - size })
	if !found {
		t.Classes = slices.Insert(t.Classes, i, basin.ClassStats{Size: size})
	}
	return &t.Classes[i]
}

// OfLimit reports whether s are the statistics of a [basin.Limit]. That is no pool: its memory in use is, once more, the
// memory of pools that draw from it, so a sum over pools leaves it out. Of Stats it has Bytes.InUse, Bytes.MaxInUse, Reserved,
// PeakInUse.Bytes, Lost, and Waits.
func OfLimit(s *basin.Stats) bool { return s.Kind == "Limit" }

// Checked reports whether the Misuse of s means anything: checks are on, or have
// found something in the pools of s.
func Checked(s *basin.Stats) bool {
	return s.Misuse != basincheck.Counts{} || basincheck.Now().Level != basincheck.Off
}

// maxLabel is the longest label, in bytes.
const maxLabel = 200

// label returns name as valid UTF-8 of at most maxLabel bytes.
func label(name string) string {
	const more = "…"
	if name = strings.ToValidUTF8(name, "\ufffd"); len(name) <= maxLabel {
		return name
	}
	cut := maxLabel - len(more)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + more
}
