package basin

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
)

// A CheckLevel says how closely pools watch for misuse: see [SetChecking].
type CheckLevel uint8

const (
	// CheckOff is the default: Put compares capacities and addresses, and drops
	// what cannot be its own.
	CheckOff CheckLevel = iota

	// CheckSampled tracks one in so many acquisitions, for production.
	CheckSampled

	// CheckFull tracks every acquisition, for tests.
	CheckFull
)

// String returns the level as BASIN_CHECK spells it.
func (l CheckLevel) String() string {
	switch l {
	case CheckOff:
		return "off"
	case CheckSampled:
		return "sampled"
	case CheckFull:
		return "full"
	}
	return fmt.Sprintf("CheckLevel(%d)", uint8(l))
}

// Checking says how to watch for misuse and what to do about it.
type Checking struct {
	Level CheckLevel

	// Every is the N of CheckSampled: one in N acquisitions is tracked, at random. Zero
	// means DefaultCheckEvery. The other levels do not look at it.
	Every int

	// Guard makes CheckFull hand out memory, where the system is Linux and as far as
	// it has enough, that faults at the very instruction that touches it after Put,
	// or beyond its capacity. Each slice takes two pages or more, and those that
	// are never put back are never freed.
	Guard bool

	// Handler is told of each misuse, on the goroutine that misuses, or, if the
	// garbage collector found it, on one of the runtime that finalizers wait for. No
	// locks are held: it may use pools, and may panic.
	//
	// If it is nil, CheckFull panics with the *Misuse, except for a Leak, which is
	// logged, and CheckSampled logs all. What is logged goes to log/slog, at most
	// once a minute for each kind of misuse and acquisition site.
	Handler func(*Misuse)
}

// DefaultCheckEvery is the sampling of [CheckSampled] if nothing else is said.
const DefaultCheckEvery = 256

var checking struct {
	mu  sync.Mutex // guards all that follows, and the change of tracker
	now Checking
}

// tracker knows what is out, or is nil if checking is off.
var tracker atomic.Pointer[check.Tracker]

// SetChecking changes the level of checking, for all pools, from now on. What is out
// from before is not judged; unless only the Handler is another, so that one can be
// exchanged at any time. It panics if the level is unknown or Every negative.
//
// A program starts with the level that the environment variable BASIN_CHECK says: off,
// sampled, sampled=N, full, or full,guard. If it says anything else, there is a line on
// the standard error, and checking is off.
//
// A checked slice is fresh from the heap and goes back to the collector: it is never
// handed out again, so that whoever misuses it harms nobody. Until it is collected it
// is full of poison, 0xDB.
func SetChecking(c Checking) {
	switch {
	case c.Level > CheckFull:
		panic(fmt.Sprintf("basin: Checking.Level is %d, want CheckOff, CheckSampled or CheckFull", c.Level))
	case c.Every < 0:
		panic(fmt.Sprintf("basin: Checking.Every is %d, want 0 (for the default) or more", c.Every))
	}
	switch {
	case c.Level != CheckSampled:
		c.Every = 0
	case c.Every == 0:
		c.Every = DefaultCheckEvery
	}
	c.Guard = c.Guard && c.Level == CheckFull && guard.Available

	checking.mu.Lock()
	defer checking.mu.Unlock()
	old := checking.now
	checking.now = c
	setHandler(c)
	if c.Level == old.Level && c.Every == old.Every && c.Guard == old.Guard {
		return
	}
	before := tracker.Load()
	if c.Level == CheckOff {
		tracker.Store(nil)
	} else {
		tracker.Store(check.New(max(c.Every, 1), c.Guard, found))
	}
	if before != nil {
		before.Stop()
	}
	eachPool(func(p any) { setChecked(p, c.Level) })
}

// setChecked has p, which is a pool or the engine of one, leave its fast path if it checks
// anything at the given level, or take it.
func setChecked(p any, level CheckLevel) {
	switch p := p.(type) {
	case interface{ setChecked(CheckLevel) }:
		p.setChecked(level)
	case interface{ Hide(bool) }:
		p.Hide(level != CheckOff)
	}
}

// startChecked has p switched with the checks from now on, which is when it begins to be
// used and registers. It returns the tracker of the time.
func startChecked(p any, register func()) *check.Tracker {
	checking.mu.Lock()
	defer checking.mu.Unlock()
	register()
	setChecked(p, checking.now.Level)
	return tracker.Load()
}

// CheckingNow returns what SetChecking has set, or the environment.
func CheckingNow() Checking {
	checking.mu.Lock()
	defer checking.mu.Unlock()
	return checking.now
}

// Verify looks at all checked memory that was put and has not been collected yet, and
// reports each write to it that it has not reported before. The collector will
// do so anyway, when it collects the memory; Verify is for the end of a program
// or a test, when that may be too late. If checking is off, it does nothing.
func Verify() {
	if t := tracker.Load(); t != nil {
		t.Verify()
	}
}

// A Site is what is out that was acquired at one place.
type Site struct {
	Pool           string // its name
	Stack          Stack  // of the acquisition
	Objects, Bytes int64
}

// InUse returns what has been handed out and not put back, by pool and acquisition
// site, the most bytes first. Of that it knows what was acquired since checking
// began; CheckSampled makes it an estimate. If checking is off, it returns nil.
func InUse() []Site {
	t := tracker.Load()
	if t == nil {
		return nil
	}
	var sites []Site
	for _, s := range t.Sites() {
		sites = append(sites, Site{s.Owner.Name, stackOf(s.Acquired), s.Objects, s.Bytes})
	}
	return sites
}

// checkVariable is the environment variable that SetChecking speaks of.
const checkVariable = "BASIN_CHECK"

func init() {
	builtin.owner().Default.Store(true)
	level := os.Getenv(checkVariable)
	c, ok := parseChecking(level)
	if !ok {
		fmt.Fprintf(os.Stderr, "basin: %s=%q is not off, sampled, sampled=N, full or full,guard: checking is off\n", checkVariable, level)
	}
	if c.Guard && !guard.Available {
		fmt.Fprintf(os.Stderr, "basin: %s=%s: there is no guarded memory on this system\n", checkVariable, level)
	}
	SetChecking(c)
}

// parseChecking reads what BASIN_CHECK may say.
func parseChecking(s string) (c Checking, ok bool) {
	switch s {
	case "", "off":
		return Checking{}, true
	case "sampled":
		return Checking{Level: CheckSampled}, true
	case "full":
		return Checking{Level: CheckFull}, true
	case "full,guard":
		return Checking{Level: CheckFull, Guard: true}, true
	}
	if n, found := strings.CutPrefix(s, "sampled="); found {
		if every, err := strconv.Atoi(n); err == nil && every > 0 {
			return Checking{Level: CheckSampled, Every: every}, true
		}
	}
	return Checking{}, false
}
