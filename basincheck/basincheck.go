// Package basincheck makes the pools of package basin watch for misuse: memory put
// twice, put into another pool, written to after Put, used after its release, or
// never put back.
//
// The environment variable BASIN_CHECK sets how closely pools watch, without a
// line of code and without importing this package: off, sampled, sampled=N, full,
// or full,guard. [Set] does the same while the program runs:
//
//	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 64})
//
// Each misuse is a [Report] with the stacks of those concerned. [Found] returns what
// was found so far, and [Outstanding] what was handed out and not put back, by the
// place that acquired it. In tests, package basintest does all that is needed.
//
// A checked slice is fresh from the heap and is never handed out again, so its
// misuse harms no other user. From its Put until it is collected it is full of
// poison, 0xDB.
//
// All functions may be called from many goroutines at once.
package basincheck

import (
	"fmt"
	"sync"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
)

// A Level is how closely pools watch for misuse.
type Level uint8

const (
	// Off is the default. Put compares capacities and addresses, and drops what
	// cannot be its own.
	Off Level = iota

	// Sampled tracks one in so many acquisitions, for production. It holds at most
	// 8 MiB for that: see [Usage].
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

// Settings are how closely pools watch for misuse, and who is told of it. The zero
// value switches checks off.
type Settings struct {
	Level Level

	// Every is the N of Sampled: one in N acquisitions is tracked, at random. Zero
	// means DefaultEvery. The other levels ignore it.
	Every int

	// Guard makes Full hand out guarded memory, on Linux and while mappings last.
	// Guarded memory faults at the very instruction that touches it after Put, or
	// beyond its capacity. Each slice takes two pages or more. A slice that is never
	// put back is never freed. The other levels ignore Guard.
	Guard bool

	// Handler is called for each misuse, on the goroutine that misuses. For misuse
	// that the garbage collector finds, it is called on a goroutine of the runtime,
	// and other cleanups wait for it. No locks are held: a Handler may use pools, and
	// may panic.
	//
	// If Handler is nil, Full panics with the *Report, except that it logs a Leak.
	// Sampled logs everything. Logs go to log/slog, at most once a minute for each
	// kind, pool and acquisition site.
	Handler func(*Report)
}

// DefaultEvery is the Every of [Settings] where it is zero.
const DefaultEvery = 256

var settings struct {
	mu  sync.Mutex // held to change now, and what follows from it
	now Settings
}

// Set changes how all pools watch for misuse, from now on. Memory handed out earlier
// is no longer checked, unless only Handler changed: a Handler can be exchanged at
// any time. Set panics if the level is unknown or Every is negative.
//
// A program starts with the level in BASIN_CHECK. If the value of the variable is no
// level, one line on standard error says so, and checks are off.
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
	s.Guard = s.Guard && s.Level == Full && guard.Available

	settings.mu.Lock()
	defer settings.mu.Unlock()
	old := settings.now
	settings.now = s
	if s.Level == old.Level && s.Every == old.Every && s.Guard == old.Guard {
		check.Handle(check.Current.Load(), handlerOf(s))
		return
	}
	var t *check.Tracker
	if s.Level != Off {
		t = check.New(max(s.Every, 1), s.Level == Full, s.Guard)
	}
	check.Handle(t, handlerOf(s))
	check.Switch(t)
}

// Now returns the settings in force, with their defaults filled in.
func Now() Settings {
	settings.mu.Lock()
	defer settings.mu.Unlock()
	return settings.now
}

// Verify reports each write to checked memory that was put and is not collected yet,
// unless the write was reported before. Checks find such a write anyway before the
// memory is collected. At the end of a program or of a test that may be too late, and
// Verify is for then. If checks are off, it does nothing.
func Verify() {
	if t := check.Current.Load(); t != nil {
		t.Verify()
	}
}

// Usage is how many acquisitions checks have tracked, and how much memory they hold
// for that. The counts begin at zero when the level changes.
type Usage struct {
	// Tracked counts the acquisitions that were tracked.
	Tracked uint64

	// Untracked counts the acquisitions that Sampled picked and did not track, because
	// Bytes would have exceeded MaxBytes. They are missing from Outstanding, and
	// their misuse is not found.
	Untracked uint64

	// Bytes is the memory that checks hold: records of what is outstanding, call
	// stacks, memory that was put and waits to be verified, and what was found.
	Bytes int64

	// MaxBytes is the ceiling on Bytes: 8 MiB at Sampled, whatever the program
	// does. At the other levels it is zero, which means none.
	MaxBytes int64
}

// Stats returns the usage of checks. While checks are off, only Bytes may be more
// than zero, for what was found before.
func Stats() Usage {
	u := Usage{Bytes: check.FoundBytes()}
	if t := check.Current.Load(); t != nil {
		c := t.Usage()
		u.Tracked, u.Untracked, u.MaxBytes = c.Tracked, c.Untracked, c.Limit
		u.Bytes += c.Bytes
	}
	return u
}

// A Site is what one place in the program has acquired of one pool and not put back.
type Site struct {
	Pool    string // its name
	Stack   Stack  // of the acquisition
	Objects int64  // slices, buffers or values
	Bytes   int64
}

// Outstanding returns what was handed out and not put back, by pool and acquisition
// site, the most bytes first. It knows only what was acquired since checks began. At
// Sampled the figures are estimates. If checks are off, Outstanding returns nil.
func Outstanding() []Site {
	t := check.Current.Load()
	if t == nil {
		return nil
	}
	var sites []Site
	for _, s := range t.Sites() {
		sites = append(sites, Site{Pool: s.Owner.Name, Stack: s.Acquired, Objects: s.Objects, Bytes: s.Bytes})
	}
	return sites
}
