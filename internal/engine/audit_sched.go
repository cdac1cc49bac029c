//go:build basin_sched

package engine

import (
	"fmt"
	"time"

	"github.com/basin-go/basin/internal/sched"
)

// What proof/schedules sees of an engine whose items are numbers from 1 to 63. No
// thread may be running.

// Items returns which items are idle, and which of those that Trim is about to let go, or
// reclaim may be.
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
			quiet := d.mu.Held() && sched.Now()-r.since >= e.idleTime()
			for _, x := range r.items() {
				if r.doomed || quiet {
					doomed |= 1 << x
				} else {
					idle |= 1 << x
				}
			}
		}
	}
	const nothing = 1 // what a slot holds while it is cleared
	return idle &^ nothing, doomed &^ nothing
}

// Taken returns what has been taken from both budgets.
func Taken(e *Engine[int]) (idle, local int64) { return e.idle.taken.Load(), e.local.taken.Load() }

// Rounds returns how many rounds of reclaim have begun.
func Rounds(e *Engine[int]) uint64 { return e.round.Load() }

// Window returns when the present window of class c began.
func Window(e *Engine[int], c uint) time.Duration {
	if !e.used.Load() {
		return 0
	}
	if d := e.depots[c].Load(); d != nil {
		return d.window
	}
	return 0
}

// OpsPerRow is what earns a row of the table, Serve says that the depots have served so
// many operations of Ps without one, and Rows returns how many those are, and the rows.
const OpsPerRow = opsPerRow

func Serve(e *Engine[int], ops uint) { e.earned.Store(uint32(ops)) }

func Rows(e *Engine[int]) (rows, ops uint) {
	return uint(e.entries.Load()) >> e.config.Bits, uint(e.earned.Load())
}

// Magazines returns how many there are, those in limbo too.
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

// Figures returns the statistics of class c, and begins no round.
func Figures(e *Engine[int], c uint) ClassStats {
	if !e.used.Load() || e.depots[c].Load() == nil {
		return ClassStats{}
	}
	return e.stats(e.depots[c].Load(), c)
}

// Quiescent says what is wrong with an engine that nobody is using.
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
		magazine := func(what string, m *Magazine[int]) error {
			n := m.Len()
			if n > m.limit || m.limit > uint(d.local) {
				return fmt.Errorf("%s: %d items in %d slots, of %d", what, n, m.limit, d.local)
			}
			paid += int64(m.limit) * d.Size
			local += int64(m.limit) * d.Size
			if m.slots[0] != 0 {
				return fmt.Errorf("%s: something below its items", what)
			}
			return see(what, m.slots[1:][:n], m.slots[1:][n:])
		}
		if err := see("a depot", d.items, d.items[len(d.items):cap(d.items)]); err != nil {
			return err
		}
		if d.low > d.least || d.least > d.count() || d.low < 0 || d.due < 0 {
			return fmt.Errorf("a depot of %d: low-water mark %d, since the last look %d, due %d", len(d.items), d.low, d.least, d.due)
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
			if r.doomed {
				return fmt.Errorf("entry %d: doomed and still there", r.entry)
			}
			if err := magazine("a magazine in limbo", r.Magazine); err != nil {
				return err
			}
		}
	}
	if err := see("the empty magazine", nil, e.empty.slots[:]); err != nil {
		return err
	}
	if idle, taken := Taken(e); paid != idle || local != taken {
		return fmt.Errorf("taken from the budgets: %d and %d; paid: %d and %d", idle, taken, paid, local)
	}
	return nil
}
