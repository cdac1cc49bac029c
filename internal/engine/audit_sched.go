//go:build go1.25 && basin_sched

package engine

import (
	"fmt"
	"time"

	"github.com/basin-go/basin/proof/sched"
)

// The functions below let proof/schedules inspect an engine whose items are numbers from 1 to 63.
// No thread may be running.

// Items returns two sets of items as bits: those that are idle, and those that Trim will release or
// reclaim may be about to release.
func Items(e *Engine[int]) (idle, doomed uint64) {
	for c, d := range e.made() {
		for _, x := range d.items {
			idle |= 1 << x
		}
		for i := c; e.has(i); i += 1 << e.config.Bits {
			for _, x := range e.table.Entry(i).Load().items() {
				idle |= 1 << x
			}
		}
		for _, r := range d.limbo {
			quiet := d.mu.Held() && sched.Now()-r.since >= 2*e.windowLength()
			for _, x := range r.items() {
				if r.trimmed || quiet {
					doomed |= 1 << x
				} else {
					idle |= 1 << x
				}
			}
		}
	}
	const nothing = 1 // stored in a slot while it is cleared
	return idle &^ nothing, doomed &^ nothing
}

// Taken returns the amounts taken from the two budgets.
func Taken(e *Engine[int]) (idle, local int64) { return e.idle.taken.Load(), e.local.taken.Load() }

// Rounds returns the number of rounds of reclaim begun.
func Rounds(e *Engine[int]) uint64 { return e.round.Load() }

// Window returns the start of class c's current window.
func Window(e *Engine[int], c uint) time.Duration {
	if !e.used.Load() {
		return 0
	}
	if d := e.at(c); d != nil {
		return d.window
	}
	return 0
}

// Pace makes a class busy after gets Gets that take the lock, however long they take. The class
// stays busy after as many in a window.
func Pace(e *Engine[int], gets uint) { e.pace = &pace{uint32(gets), time.Hour} }

// Calm makes classes busy only by Gets within an eighth of a second, and no longer busy after a window
// of a second or more with few Gets.
func Calm(e *Engine[int]) { e.pace.each = time.Second / 8 }

// HasTable reports whether the table has an array, hidden or not.
func HasTable(e *Engine[int]) bool { return e.table.first.Load() != nil }

// Rows returns the number of rows of the table, and whether any class is busy.
func Rows(e *Engine[int]) (rows uint, busy bool) {
	for _, d := range e.made() {
		busy = busy || d.extra > 0
	}
	return uint(e.entries.Load()) >> e.config.Bits, busy
}

// Awake reports whether the engine's hook is registered.
func Awake(e *Engine[int]) bool { return e.awake.Load() }

// Grants reports whether the magazines of class c may get more slots.
func Grants(e *Engine[int], c uint) bool {
	if !e.used.Load() {
		return false
	}
	d := e.at(c)
	return d != nil && d.slots < d.allowed()
}

// Magazines returns the number of magazines, with those in limbo.
func Magazines(e *Engine[int]) (n int) {
	for c, d := range e.made() {
		for m := range e.magazines(d, c) {
			if m != e.empty {
				n++
			}
		}
	}
	return n
}

// Figures returns the statistics of class c without starting a round.
func Figures(e *Engine[int], c uint) ClassStats {
	if !e.used.Load() || e.at(c) == nil {
		return ClassStats{}
	}
	return e.stats(e.at(c), c)
}

// Quiescent returns the first fault that it finds in an engine that nobody is using.
func Quiescent(e *Engine[int]) error {
	var paid, local int64
	seen := uint64(0)
	see := func(what string, items, rest []int) error {
		for _, x := range items {
			if x <= 0 || seen>>x&1 != 0 {
				return fmt.Errorf("%s: item %d is there twice", what, x)
			}
			seen |= 1 << x
		}
		for _, x := range rest {
			if x != 0 {
				return fmt.Errorf("%s: holds on to item %d", what, x)
			}
		}
		return nil
	}
	for c, d := range e.made() {
		slots := uint(0)
		magazine := func(what string, m *Magazine[int]) error {
			n := m.Len()
			if n > m.limit || m.limit > uint(d.local) {
				return fmt.Errorf("%s: %d items in %d slots, of %d", what, n, m.limit, d.local)
			}
			slots += m.limit
			paid += int64(m.limit) * d.Size
			local += int64(m.limit) * d.Size
			if m.slots[0] != 0 {
				return fmt.Errorf("%s: an item below the first slot", what)
			}
			return see(what, m.slots[1:][:n], m.slots[1:][n:])
		}
		if err := see("a depot", d.items, d.items[len(d.items):cap(d.items)]); err != nil {
			return err
		}
		if d.low > d.least || d.least > d.count() || d.low < 0 || d.due < 0 {
			return fmt.Errorf("a depot of %d: low-water mark %d, since the last call of age %d, due %d", len(d.items), d.low, d.least, d.due)
		}
		paid += int64(len(d.items)) * d.Size
		for i := c; e.has(i); i += 1 << e.config.Bits {
			if m := e.table.Entry(i).Load(); m != e.empty {
				if err := magazine("a magazine", m); err != nil {
					return err
				}
				if d.inLimbo(i) != nil {
					return fmt.Errorf("entry %d has a magazine while its own is in limbo", i)
				}
			}
		}
		for _, r := range d.limbo {
			if r.trimmed {
				return fmt.Errorf("entry %d: trimmed and still there", r.entry)
			}
			if err := magazine("a magazine in limbo", r.Magazine); err != nil {
				return err
			}
		}
		if slots != d.slots {
			return fmt.Errorf("magazines of class %d have %d slots, counted %d", c, slots, d.slots)
		}
	}
	if e.empty != nil {
		if err := see("the empty magazine", nil, e.empty.slots[:]); err != nil {
			return err
		}
	}
	if idle, taken := Taken(e); paid != idle || local != taken {
		return fmt.Errorf("taken from the budgets: %d and %d; paid: %d and %d", idle, taken, paid, local)
	}
	return nil
}
