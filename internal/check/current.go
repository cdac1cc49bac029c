//go:build go1.25

package check

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sched"
)

// Variable is the environment variable that sets the level of checking at start.
const Variable = "BASIN_CHECK"

// Current is the tracker in use, or nil if nothing is checked. Only Switch stores it. It is a
// variable, not a function: even an inlined accessor costs an instruction on the fast path.
var Current sched.Pointer[Tracker]

var (
	switches sync.Mutex // held to change Current and the state derived from it
	onSwitch = func(checked bool, t *Tracker) {}
	used     atomic.Bool // whether any pool has been used
)

// Switch makes t the current tracker, and ends the one before. With nil, nothing is checked.
//
// An item is tracked at its Get and judged at its Put, which may be minutes apart, and in between
// checks may be switched many times. Correct users must never hear of that, so the steps have an order:
//
//  1. All pools leave their fast paths, which know no tracker or the one before.
//  2. The tracker before is closed: it reports no leaks and verifies nothing from then on.
//  3. t becomes current. Each call of a pool works with the tracker that it has loaded, to its end.
//  4. The records of the tracker before end. Those under a ceiling pass their accounts on: see OnEnd.
//  5. The pools return to the fast paths for t, if there are any.
//
// So a Put that finds t has a record of each item that t tracks, because the Get came after step 3 and
// the Put after the Get. A Put that finds no tracker, or another one, may meet an item with a record of a
// closed tracker. That record has no say any more; its item is treated as if it had never been tracked.
func Switch(t *Tracker) {
	switches.Lock()
	defer switches.Unlock()
	before := Current.Load()
	if t != nil {
		t.First = !used.Load()
	}
	onSwitch(true, nil)
	if before != nil {
		before.close()
	}
	Current.Store(t)
	if before != nil {
		before.end()
	}
	onSwitch(t != nil, t)
}

// Refresh tells the pools the state of checks once more.
func Refresh() { Hold(func(t *Tracker) { onSwitch(t != nil, t) }) }

// OnSwitch sets f to be called by Switch. Its arguments say whether anything may be checked from now
// on, and by which tracker alone, or nil if that may still change. There is one such function: it
// belongs to the package that knows the pools.
func OnSwitch(f func(checked bool, t *Tracker)) {
	switches.Lock()
	defer switches.Unlock()
	onSwitch = f
}

// Hold calls f with the current tracker, which stays current until f returns.
func Hold(f func(t *Tracker)) {
	switches.Lock()
	defer switches.Unlock()
	f(Current.Load())
}

// Begun notes the first use of a pool.
func Begun() {
	used.Store(true)
	// go test caches results together with the environment variables that a test reads, but
	// does not see those that init functions read. So Begun reads it again.
	os.Getenv(Variable)
}
