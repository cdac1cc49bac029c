//go:build go1.25

package basin

import (
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/memlimit"
	"github.com/basin-go/basin/internal/smallsort"
	"github.com/basin-go/basin/internal/waitlist"
)

// Stats are the statistics of one pool, of any kind: counts of all calls so far, and the memory
// that it holds. Counting is always on, because it costs next to nothing.
//
// While other goroutines use the pool, the figures are of a short while rather than of
// one moment. They always keep these promises:
//
//   - Counters never go back.
//   - Each figure is within its bounds: Idle is at most MaxIdle, InUse at most MaxInUse unless requests
//     went Beyond, and nothing but [Unknown] is below zero.
//   - Gets is the sum of Hits, Misses and Outside.
//   - If there are Classes, the pool's figures are their sums, plus Outside and OutsideInUse.
//   - Neither the pool nor a class has more Puts than Gets, unless slices were put that the pool
//     had not handed out.
//
// There are three exceptions. If New or Make panics, the Get of a [Pool] is taken back. If the
// memory limit falls, and a MaxIdle with it, Idle may exceed MaxIdle until the next collections.
// The classes of a [StdBufferPool], and of a Pool with a Size, count no misses and no values
// dropped for their size. They count the other Puts by the size that the value had grown to.
//
// If no garbage collection has released memory that has been idle for longer than
// IdleTime, reading statistics does. It stops the world for that, once for all pools.
//
// As JSON and as attributes of package slog, figures have the names of the
// fields in snake case. Sizes are in bytes, durations in nanoseconds.
type Stats struct {
	// ID tells the pools of a process apart, and is never used twice. It is zero
	// before the pool is used.
	ID   uint64 `json:"id"`
	Kind string `json:"kind"` // the type of the pool, such as "BytePool" or "Pool[*http.Request]"
	Name string `json:"name"` // as the pool's field

	// Gets are the requests: Gets = Hits + Misses + Outside. Requests for no
	// bytes are not counted.
	Gets    uint64 `json:"gets"`
	Hits    uint64 `json:"hits"`    // served with a recycled array or value
	Misses  uint64 `json:"misses"`  // served with a new one
	Outside uint64 `json:"outside"` // served by the heap, as they are larger than MaxSize

	// Puts are the slices, buffers or values put back that can be the pool's, forgotten slices included.
	// Adopted are the slices that a BytePool has cut to a size class. Both were retained, except
	// for Drops.Full, Drops.Checked, forgotten slices and, in a StdBufferPool or Pool, values dropped for
	// their size.
	Puts    uint64 `json:"puts"`
	Adopted uint64 `json:"adopted"`
	Drops   Drops  `json:"drops"`
	Trimmed uint64 `json:"trimmed"` // idle items released: by time, memory pressure or Trim, or replaced by a larger item; and forgotten slices

	// Bytes of requests. A StdBufferPool and a Pool with a Size count the capacities
	// of reused values only. A Pool without a Size has zeros.
	AskedBytes     uint64 `json:"asked_bytes"`      // lengths asked for, Outside included; only BytePools and FixedPools have them
	HandedOutBytes uint64 `json:"handed_out_bytes"` // capacities handed out
	OutsideBytes   uint64 `json:"outside_bytes"`    // of Outside, a part of the two above

	// Items and Bytes are the pool's memory now, in slices, buffers or values, and in
	// bytes of capacity.
	Items Holdings `json:"items"`
	Bytes Holdings `json:"bytes"`

	// PeakInUse is the most of Items.InUse and of Bytes.InUse so far. Its bytes are
	// exact for a pool with a MaxInUse. Other figures are the most that any reading
	// of statistics has seen. A FixedPool also notices if a request finds all of its
	// buffers outstanding.
	PeakInUse Amount `json:"peak_in_use"`

	// Lost counts items that were handed out under a MaxInUse, were never put back and have been
	// found to be garbage. They are not in use any more, and their room is free again. Pools
	// without a limit, and FixedPools, count such items as in use.
	Lost Amount `json:"lost"`

	// Reserved is the part of a [Limit] that reservations hold in advance, in bytes. It is not in use.
	Reserved int64 `json:"reserved"`

	// OutsideInUse is the part of Items.InUse and of Bytes.InUse that is slices larger
	// than MaxSize. Without a limit it is too small if foreign slices of that size are put.
	OutsideInUse Amount `json:"outside_in_use"`

	// MemoryLimit is the memory limit of the program, in bytes, or zero if none is
	// known: GOMEMLIMIT, or else the limit of a control group. Pools release idle memory as the
	// program comes close to it. MemoryLimitSource is "GOMEMLIMIT", the path of a file, or empty.
	MemoryLimit       int64  `json:"memory_limit"`
	MemoryLimitSource string `json:"memory_limit_source"`

	// Requests that could not be served at once, because there was no room under a limit, or no buffer of a
	// FixedPool was idle.
	Waiting int    `json:"waiting"` // requests that wait at the moment
	Waited  uint64 `json:"waited"`  // requests that ever had to: those in WaitTimes and those that wait

	// WaitTimes counts the waits that have ended, served or given up, by how long they took: first those
	// below a millisecond, then the others below ten milliseconds, and so on by powers of ten. The last
	// count is of waits of 1,000 seconds or more.
	WaitTimes [8]uint64 `json:"wait_times"`

	TotalWait         time.Duration `json:"total_wait"`          // sum of waits that have ended
	LongestWait       time.Duration `json:"longest_wait"`        // of all waits, unfinished ones included
	RecentLongestWait time.Duration `json:"recent_longest_wait"` // of waits that ended in the last one to two minutes, or go on

	Refused uint64 `json:"refused"` // requests that got nothing: would not wait, gave up, or asked for too much
	Beyond  uint64 `json:"beyond"`  // requests that went beyond the limit, because they can neither wait nor fail

	// Misuse counts the misuse that checks have found. A pool with a MaxInUse also counts its slices that were found in
	// another pool as WrongPool, without checks.
	Misuse basincheck.Counts `json:"misuse"`

	// Classes has an entry for each size class that was ever used, the
	// smallest first.
	Classes []ClassStats `json:"classes"`
}

// newStats returns Stats with an ID, a kind, classes and the memory limit.
func newStats(id uint64, kind string, classes []ClassStats) Stats {
	s := Stats{ID: id, Kind: kind, Classes: classes}
	if limit := memlimit.Now(); limit != memlimit.None {
		s.MemoryLimit, s.MemoryLimitSource = limit.Bytes, limit.Source
	}
	return s
}

// Holdings are the items or the bytes that a pool holds, and their limits.
type Holdings struct {
	InUse    int64 `json:"in_use"`     // outstanding: handed out and not put back, garbage included in a pool without MaxInUse; or Unknown
	Idle     int64 `json:"idle"`       // retained for the next request; or Unknown
	MaxIdle  int64 `json:"max_idle"`   // the limit on Idle; zero if there is none in this unit, or it is KeepNone
	MaxInUse int64 `json:"max_in_use"` // the limit on InUse; zero if there is none in this unit
}

// An Amount is a number of items, and a number of bytes of capacity.
type Amount struct {
	Items int64 `json:"items"`
	Bytes int64 `json:"bytes"` // or Unknown
}

// add adds items of the given size.
func (a *Amount) add(size int, items int64) {
	a.Items += items
	a.Bytes += items * int64(size)
}

// Unknown is the value of a figure of [Holdings] or [Amount] that a pool cannot
// know. It is no setting. A [Pool] without a Size does not know how many bytes its values are. A Pool
// with a Size and a [StdBufferPool] do not know how large their outstanding values
// have grown.
const Unknown int64 = -1

// Drops counts slices, buffers and values that were put back and not retained, by
// reason.
type Drops struct {
	Empty      uint64 `json:"empty"`      // nil, of capacity zero, or of a negative Size
	Small      uint64 `json:"small"`      // of a capacity below MinSize, or below the size class that a StdBufferPool or a Pool has learned
	Large      uint64 `json:"large"`      // of a capacity above MaxSize, or far above the size that a StdBufferPool or a Pool has learned
	Extra      uint64 `json:"extra"`      // of a FixedPool, but made because none of its buffers was idle
	Foreign    uint64 `json:"foreign"`    // of a capacity that no size class has, such as a re-sliced one, or known not to be the pool's
	Misaligned uint64 `json:"misaligned"` // starting where no array of its size class can: a part of another array
	Double     uint64 `json:"double"`     // idle already
	Full       uint64 `json:"full"`       // the pool's own, or adopted, but beyond MaxIdle or MaxItems
	Checked    uint64 `json:"checked"`    // the pool's own, but tracked by checks, and so never reused
}

// Total returns the sum over all reasons.
func (d Drops) Total() uint64 {
	return d.Empty + d.Small + d.Large + d.Extra + d.Foreign + d.Misaligned + d.Double + d.Full + d.Checked
}

// waited sets the figures of requests that could not be served at once.
func (s *Stats) waited(w waitlist.Stats) {
	s.Waiting, s.Waited, s.WaitTimes = w.Waiting, w.Waited, w.Times
	s.TotalWait, s.LongestWait, s.RecentLongestWait = w.Total, w.Longest, w.Recent
	s.Refused, s.Beyond = w.Refused, w.Beyond
}

// ClassStats are the statistics of one size class: of the slices that have its
// capacity, whatever length was asked for. If a slice of a larger class serves a
// request, the larger class has the Get and the Hit, and later the Put. A miss is of
// the class of the request.
type ClassStats struct {
	Size int `json:"size"` // capacity of its slices

	Gets    uint64 `json:"gets"` // Gets = Hits + Misses
	Hits    uint64 `json:"hits"`
	Misses  uint64 `json:"misses"`
	Puts    uint64 `json:"puts"`
	Full    uint64 `json:"full"`    // as in Drops
	Double  uint64 `json:"double"`  // as in Drops
	Checked uint64 `json:"checked"` // as in Drops
	Trimmed uint64 `json:"trimmed"`
	Lost    uint64 `json:"lost"` // items, as in Stats

	AskedBytes     uint64 `json:"asked_bytes"`
	HandedOutBytes uint64 `json:"handed_out_bytes"`

	// A class has no limits of its own.
	Items Holdings `json:"items"`
	Bytes Holdings `json:"bytes"`
}

// A peak is the most that was ever in use, as far as raise was told.
type peak struct{ items, bytes atomic.Int64 }

// see raises the peak to the amount in use in s, and returns it.
func (k *peak) see(s *Stats) Amount {
	k.raise(s.Items.InUse, s.Bytes.InUse)
	a := Amount{Items: k.items.Load(), Bytes: k.bytes.Load()}
	if s.Bytes.InUse == Unknown {
		a.Bytes = Unknown
	}
	return a
}

func (k *peak) raise(items, bytes int64) {
	raise(&k.items, items)
	raise(&k.bytes, bytes)
}

// raise sets at to n, unless it is larger already.
func raise(at *atomic.Int64, n int64) {
	for was := at.Load(); n > was; was = at.Load() {
		if at.CompareAndSwap(was, n) {
			return
		}
	}
}

// A largeCount counts outstanding slices larger than MaxSize in a pool that has no
// records of them.
type largeCount struct{ items, bytes atomic.Int64 }

func (l *largeCount) add(bytes int) {
	l.items.Add(1)
	l.bytes.Add(int64(bytes))
}

// remove takes off a slice that was put, but never goes below zero: the slice may not
// be from the pool.
func (l *largeCount) remove(bytes int) {
	lower(&l.items, 1)
	lower(&l.bytes, int64(bytes))
}

func lower(at *atomic.Int64, n int64) {
	for was := at.Load(); was > 0; was = at.Load() {
		if at.CompareAndSwap(was, max(0, was-n)) {
			return
		}
	}
}

func (l *largeCount) amount() Amount {
	return Amount{Items: l.items.Load(), Bytes: l.bytes.Load()}
}

// add adds the class of the given size, if it was ever used. lost is the number of its lost items.
func (s *Stats) add(size int, e engine.ClassStats, lost uint64) {
	c := ClassStats{
		Size: size,
		Gets: e.Hits + e.Misses, Hits: e.Hits, Misses: e.Misses,
		Puts: e.Puts, Full: e.Full, Double: e.Double, Checked: e.Checked,
		Trimmed:        e.Released,
		Lost:           lost,
		AskedBytes:     e.Asked,
		HandedOutBytes: (e.Hits + e.Misses) * uint64(size),
	}
	if c.Gets == 0 && c.Puts == 0 && e.Adopted == 0 && c.Double == 0 {
		return
	}
	c.Items.Idle = int64(e.Idle)
	if back := c.Puts + c.Lost - e.Strays; c.Gets > back { // less if foreign slices were put
		c.Items.InUse = int64(c.Gets - back)
	}
	c.Bytes = c.Items.of(int64(size))
	s.Gets += c.Gets
	s.Hits += c.Hits
	s.Misses += c.Misses
	s.Puts += c.Puts
	s.Adopted += e.Adopted
	s.Trimmed += c.Trimmed
	s.Lost.add(size, int64(lost))
	s.Drops.Full += c.Full
	s.Drops.Double += c.Double
	s.Drops.Checked += c.Checked
	s.AskedBytes += c.AskedBytes
	s.HandedOutBytes += c.HandedOutBytes
	s.Items.InUse += c.Items.InUse
	s.Items.Idle += c.Items.Idle
	s.Bytes.InUse += c.Bytes.InUse
	s.Bytes.Idle += c.Bytes.Idle
	s.Classes = append(s.Classes, c)
}

// of converts h from items of the given size to bytes.
func (h Holdings) of(size int64) Holdings {
	return Holdings{InUse: h.InUse * size, Idle: h.Idle * size, MaxIdle: h.MaxIdle * size, MaxInUse: h.MaxInUse * size}
}

// String returns the statistics as one line to read. Sizes are rounded, and zeros
// that mean nothing are left out. The line has the three size classes that were reused most often.
// Names are quoted, and cut if they are long.
func (s Stats) String() string {
	var l line
	l.pool(&s)
	l.gets(s.Gets, s.Hits, s.Outside)
	l.some(", %d adopted", s.Adopted)
	l.holdings(&s)
	l.drops(s.Drops)
	l.waits(&s)
	l.misuse(s.Misuse)
	l.classes(mostReused(s.Classes, 3))
	return l.String()
}

// LogValue returns the statistics as a group of attributes with exact figures. It has
// all fields of s. For each size class it has only the gets and hits, and the items in use and
// idle.
func (s Stats) LogValue() slog.Value {
	classes := make([]slog.Attr, len(s.Classes))
	for i, c := range s.Classes {
		classes[i] = slog.Attr{Key: strconv.Itoa(c.Size), Value: slog.GroupValue(
			slog.Uint64("gets", c.Gets),
			slog.Uint64("hits", c.Hits),
			slog.Int64("in_use", c.Items.InUse),
			slog.Int64("idle", c.Items.Idle),
		)}
	}
	return slog.GroupValue(append(attrs(reflect.ValueOf(s)), slog.Attr{Key: "classes", Value: slog.GroupValue(classes...)})...)
}

// attrs returns an attribute for each field of a struct that is no list, by its name in JSON.
func attrs(v reflect.Value) (all []slog.Attr) {
	for i := range v.NumField() {
		field, key := v.Field(i), v.Type().Field(i).Tag.Get("json")
		logs, ok := field.Interface().(slog.LogValuer)
		switch {
		case ok:
			all = append(all, slog.Any(key, logs))
		case field.Kind() == reflect.Struct:
			all = append(all, slog.Attr{Key: key, Value: slog.GroupValue(attrs(field)...)})
		case field.Kind() != reflect.Slice:
			all = append(all, slog.Any(key, field.Interface()))
		}
	}
	return all
}

// A line is statistics as text, in parts that semicolons separate.
type line struct{ strings.Builder }

func (l *line) printf(format string, args ...any) { fmt.Fprintf(l, format, args...) }

// pool writes the kind, ID and name of the pool. A name may be anything, of any length.
func (l *line) pool(s *Stats) {
	if s.Kind != "" {
		l.printf("%s ", s.Kind)
	}
	l.some("%d ", s.ID)
	if s.Name == "" {
		l.printf("unnamed pool: ")
		return
	}
	const most = 64
	name := s.Name
	if len(name) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	l.printf("%q: ", name)
}

func (l *line) gets(gets, hits, outside uint64) {
	if gets == 1 {
		l.printf("1 get")
	} else {
		l.printf("%d gets", gets)
	}
	if gets > 0 {
		l.printf(", %s hits", share(hits, gets))
	}
	l.some(", %d outside", outside)
}

// holdings writes bytes, or items if the bytes are unknown.
func (l *line) holdings(s *Stats) {
	l.printf("; ")
	l.amount(s.Bytes.InUse, s.Items.InUse, " in use")
	l.most(s.Bytes.MaxInUse, s.Items.MaxInUse)
	l.printf(", ")
	l.amount(s.Bytes.Idle, s.Items.Idle, " idle")
	l.most(s.Bytes.MaxIdle, s.Items.MaxIdle)
	l.some(", %d trimmed", s.Trimmed)
	if s.Lost.Items > 0 {
		l.printf(", %d lost", s.Lost.Items)
	}
}

func (l *line) amount(bytes, items int64, what string) {
	if bytes == Unknown {
		l.printf("%d%s", items, what)
		return
	}
	l.printf("%s%s", inUnits(bytes), what)
}

// most writes the limit, if there is one.
func (l *line) most(bytes, items int64) {
	switch {
	case bytes > 0:
		l.printf(" of at most %s", inUnits(bytes))
	case items > 0:
		l.printf(" of at most %d", items)
	}
}

// classes writes those classes of top that were reused.
func (l *line) classes(top []ClassStats) {
	separator := "; most reused:"
	for _, c := range top {
		if c.Hits == 0 {
			break
		}
		l.printf("%s %s (%s hits", separator, inUnits(int64(c.Size)), share(c.Hits, c.Gets))
		if c.Bytes.InUse != Unknown {
			l.printf(", %s in use", inUnits(c.Bytes.InUse))
		}
		l.printf(", %s idle)", inUnits(c.Bytes.Idle))
		separator = ","
	}
}

func (l *line) drops(d Drops) {
	n := d.Total()
	if n == 0 {
		return
	}
	l.printf("; %d dropped:", n)
	for _, reason := range attrs(reflect.ValueOf(d)) {
		l.some(" %d "+reason.Key, reason.Value.Uint64())
	}
}

func (l *line) misuse(counts basincheck.Counts) {
	if counts.Total() > 0 {
		l.printf("; misuse found:")
		for _, k := range basincheck.Kinds() {
			if n := counts.Of(k); n > 0 && k != basincheck.Leak {
				l.printf(" %d %v", n, k)
			}
		}
	}
	l.some("; %d leaked", counts.Of(basincheck.Leak))
}

func (l *line) waits(s *Stats) {
	if s.Waiting == 0 && s.Waited == 0 && s.Refused == 0 {
		return
	}
	l.printf("; %d waiting, %d waited, longest %v, %d refused", s.Waiting, s.Waited, s.LongestWait.Round(time.Microsecond), s.Refused)
}

// some writes n, unless it is zero.
func (l *line) some(format string, n uint64) {
	if n > 0 {
		l.printf(format, n)
	}
}

// share returns part in percent of all, rounded down, so that only all of it is 100%.
func share(part, all uint64) string {
	return fmt.Sprintf("%.1f%%", math.Floor(float64(part)/float64(all)*1000)/10)
}

// inUnits returns n bytes in the largest binary unit that is not above n.
func inUnits(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	f, unit := float64(n)/1024, 0
	for f >= 1024 {
		f /= 1024
		unit++
	}
	return strings.TrimSuffix(strconv.FormatFloat(math.Floor(f*10)/10, 'f', 1, 64), ".0") + " " + units[unit:unit+1] + "iB"
}

// mostReused returns the n classes that were reused most often, or all if there are fewer, the most
// reused first.
func mostReused(classes []ClassStats, n int) []ClassStats {
	top := slices.Clone(classes)
	smallsort.Sort(top, func(a, b *ClassStats) bool { return a.Hits > b.Hits })
	return top[:min(n, len(top))]
}
