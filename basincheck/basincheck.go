//go:build go1.25

// Package basincheck makes the pools of package basin watch for misuse: memory put
// twice, put into another pool, written to after Put, used after its release, or
// never put back.
//
// The environment variable BASIN_CHECK sets the level of checks: off, sampled, sampled=N, or
// full. With ",guard" behind it, checks use guarded memory. It needs no code and no import of
// this package. [Set] changes the level while the program runs:
//
//	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 64})
//
// Each misuse is a [Report] with the call stacks involved. [Found] returns the reports so far,
// and [Outstanding] the outstanding memory by source line. Tests need only package
// basintest.
//
// A checked slice is fresh from the heap and is never handed out again, so its misuse harms no
// other user. From its Put until the collector frees it, it is full of poison, 0xDB.
//
// All functions are safe for concurrent use.
package basincheck

import (
	"cmp"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// A Level sets how many acquisitions are checked.
type Level uint8

const (
	// Off is the default. Put then only compares capacities and addresses, and drops slices
	// that cannot be the pool's own. The only finding is [WrongPool], of pools with a MaxInUse.
	Off Level = iota

	// Sampled tracks one in N acquisitions, for production. Its records take at most 8 MiB: see
	// [Usage].
	Sampled

	// Full tracks every acquisition, for tests.
	Full
)

// String returns the level as BASIN_CHECK spells it.
func (l Level) String() string {
	switch l {
	case Off:
		return "off"
	case Sampled:
		return "sampled"
	case Full:
		return "full"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Settings have the level of checks, and the handler of reports. The zero value switches checks
// off.
type Settings struct {
	Level Level

	// Every is the N of Sampled: one in N acquisitions is tracked, at random. Zero
	// means DefaultEvery. The other levels ignore it.
	Every int

	// Guard makes slices that are tracked guarded memory, on Linux, macOS and Windows. A read or
	// a write after Put, or beyond the capacity, faults at its very instruction: see [Catch] and
	// [At]. Guarded memory is limited: see [Usage]. Beyond the limit, slices are not guarded. A
	// guarded slice that is never put back is never freed, and no leak is reported. So a line that
	// has many outstanding gets only a part of its slices guarded.
	Guard bool

	// Handler is called for each misuse, on the goroutine whose call found it. Leaks, which the
	// garbage collector finds, come one at a time on a separate goroutine. At most 1,000 leaks
	// wait for the Handler; it never sees further ones. No locks are held: a Handler may use
	// pools. It may panic, which for a Leak ends the program.
	//
	// If Handler is nil, Full panics with the *Report, except that it logs a Leak.
	// Sampled logs everything. Logs go to log/slog, at most once a minute for each
	// kind, pool and acquisition site.
	Handler func(*Report)
}

// DefaultEvery replaces a zero Every in [Settings].
const DefaultEvery = 256

var settings struct {
	mu  sync.Mutex // held to change now and the state derived from it
	now atomic.Pointer[Settings]
}

// Set changes the settings of all pools. Memory handed out earlier is no longer checked, unless
// only Handler changed: a Handler can be exchanged at any time. Set panics if the level is
// unknown or Every is negative.
//
// A program starts with the level in BASIN_CHECK. If its value is not a level, checks are off,
// and one line on standard error says so.
func Set(s Settings) {
	switch {
	case s.Level > Full:
		panic(fmt.Sprintf("basin: basincheck.Settings.Level is %d, want Off, Sampled or Full", s.Level))
	case s.Every < 0:
		panic(fmt.Sprintf("basin: basincheck.Settings.Every is %d, want 0 (for the default) or more", s.Every))
	}
	switch {
	case s.Level != Sampled:
		s.Every = 0
	case s.Every == 0:
		s.Every = DefaultEvery
	}
	s.Guard = s.Guard && s.Level != Off && guard.Available

	settings.mu.Lock()
	defer settings.mu.Unlock()
	old := Now()
	settings.now.Store(&s)
	if s.Level == old.Level && s.Every == old.Every && s.Guard == old.Guard {
		misuse.Handle(check.IDOf(check.Current.Load()), handlerOf(s))
		return
	}
	var t *check.Tracker
	if s.Level != Off {
		t = check.New(max(s.Every, 1), s.Level == Full, s.Guard)
	}
	misuse.Handle(check.IDOf(t), handlerOf(s))
	check.Switch(t)
}

// Now returns the settings in force, with their defaults filled in.
func Now() Settings {
	if s := settings.now.Load(); s != nil {
		return *s
	}
	return Settings{}
}

// Verify reports each write to put memory that has not been reported before. Without Verify,
// checks find such a write only shortly before the memory is freed. That may be too late at the
// end of a program or of a test. If checks are off, Verify does nothing.
func Verify() {
	if t := check.Current.Load(); t != nil {
		t.Verify()
	}
}

// Usage is the number of tracked acquisitions, and the memory of checks. The numbers of
// acquisitions restart at zero when the level changes.
type Usage struct {
	// Tracked counts the acquisitions that were tracked.
	Tracked uint64

	// Untracked counts the acquisitions that Sampled picked but could not track within
	// MaxBytes. They are missing from Outstanding, and their misuse is not found.
	Untracked uint64

	// Bytes is the memory of checks: records of outstanding memory, call stacks, put memory
	// that waits to be verified, and findings.
	Bytes int64

	// MaxBytes is the ceiling on Bytes: 8 MiB at Sampled, for any program. At the other levels
	// it is zero, which means no ceiling.
	MaxBytes int64

	// Unguarded counts the tracked slices that came from the heap although Guard is set: beyond a
	// limit, or because the system refused memory. For them, checks are those without Guard.
	Unguarded uint64

	// GuardBytes is the guarded memory: the pages of outstanding slices, and the bookkeeping.
	// MaxGuardBytes is its ceiling: 64 MiB at Sampled and 1 GiB at Full, or zero if no level had
	// guarded memory yet. Neither is part of Bytes.
	GuardBytes, MaxGuardBytes int64
}

// Stats returns the usage of checks. While checks are off, only Bytes may be more than zero,
// because of earlier findings.
func Stats() Usage {
	u := Usage{Bytes: misuse.Bytes()}
	if guard.On() {
		u.GuardBytes, u.MaxGuardBytes = guard.Usage()
	}
	if t := check.Current.Load(); t != nil {
		c := t.Usage()
		u.Tracked, u.Untracked, u.Unguarded, u.MaxBytes = c.Tracked, c.Untracked, c.Unguarded, c.Limit
		u.Bytes += c.Bytes
	}
	return u
}

// A Site is a source line that acquires from pools of one name, with its balance since checks
// began. The line is the first outside basin and the standard library: see [Stack.Line]. At
// [Sampled] the figures are estimates, except for Items and Bytes of a pool with a MaxInUse.
type Site struct {
	Pool  string // the name of the pools
	Stack Stack  // of the acquisition; if several lead to the line, of the one with the most bytes
	Paths int    // number of call stacks that lead to the line: see [Stacks]
	Items int64  // outstanding slices, buffers and values
	Bytes int64  // size of these

	// Gets are the slices, buffers and values acquired here that have to be put back. Puts are
	// those of them that were put back, at any place. Leaks are those that the collector has
	// found. Slices in a Pool[T] are not counted, because an append may replace their array
	// before the Put.
	Gets, Puts, Leaks uint64

	// Unfreed are the arrays taken here that need not be put back, and that the collector has
	// found: of Buffers without Free, and of results of Detach. They are no leaks, and no Gets. Still,
	// nobody reuses their memory, and a pool without a limit counts it as in use for ever.
	Unfreed uint64

	// LastPut is the stack of the latest Put of an item acquired here, or nil. If Paths is above 1,
	// it belongs to the first of them that had a Put.
	LastPut Stack
}

// Outstanding returns the [Sites] with outstanding items, most bytes first.
func Outstanding() []Site {
	var held []Site
	for _, s := range Sites() {
		if s.Items > 0 {
			held = append(held, s)
		}
	}
	return held
}

// Sites returns the source lines that have acquired since checks began, those with the most
// outstanding bytes first. Where Gets stay ahead of Puts, some path does not put back. One Site
// without a Stack has the sum of all places that are not remembered: see [Stacks]. At Sampled the
// figures are estimates. Acquisitions before checks began are not included.
//
// A BytePool with a MaxInUse records the place of each outstanding slice, whether checks are on or not.
// Items and Bytes of its places are exact and include all acquisitions, at each level. At Off there are
// only these places. Their Gets and Puts count the changes from one call of Sites or Stacks to the next,
// so that Gets - Puts - Leaks - Unfreed = Items. Stats counts both Leaks and Unfreed as Lost. Below Full,
// a Buffer whose storage counts towards the MaxInUse is one of the Items, too.
func Sites() []Site {
	var sites []Site
	at := make(map[lineKey]int) // index in sites
	for _, s := range Stacks() {
		f := s.Stack.Line()
		k := lineKey{s.Pool, f.File, f.Line, len(s.Stack) > 0}
		i, known := at[k]
		if !known {
			at[k] = len(sites)
			sites = append(sites, s)
			continue
		}
		sites[i].add(s)
	}
	sort.SliceStable(sites, func(i, j int) bool {
		a, b := &sites[i], &sites[j]
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Items, a.Items), cmp.Compare(b.Leaks, a.Leaks),
			cmp.Compare(b.Unfreed, a.Unfreed), cmp.Compare(b.Gets, a.Gets)) < 0
	})
	return sites
}

// A lineKey is a source line that acquires from pools of one name.
type lineKey struct {
	pool, file string
	line       int
	known      bool // false for the sum of all places that are not remembered
}

// add adds the balance of another stack that leads to the same line.
func (s *Site) add(t Site) {
	s.Paths += t.Paths
	s.Items += t.Items
	s.Bytes += t.Bytes
	s.Gets += t.Gets
	s.Puts += t.Puts
	s.Leaks += t.Leaks
	s.Unfreed += t.Unfreed
	if s.LastPut == nil {
		s.LastPut = t.LastPut
	}
}

// Stacks returns the [Sites] with an entry for each call stack, for profiles and for lines in
// helpers that all callers share. Checks remember 512 stacks at Sampled, and 16,384 at Full. Beyond
// that, stacks without outstanding items are forgotten first, and one Site without a Stack has
// the sum of all that are not remembered. Stacks of pools with a MaxInUse end about two calls beyond the
// first that is neither basin's nor the standard library's; 8,192 of them are remembered.
func Stacks() []Site {
	t := check.Current.Load()
	if t == nil {
		return withHolders(nil, sitesOf(check.Holders(nil)), false)
	}
	var known func(uintptr) bool
	if t.Full() {
		known = t.Tracks
	}
	return withHolders(sitesOf(t.Sites()), sitesOf(check.Holders(known)), true)
}
