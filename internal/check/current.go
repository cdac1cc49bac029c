//go:build go1.25

package check

import (
	"os"
	"sync"
	"sync/atomic"
)

// Variable is the environment variable that sets the level of checking at start.
const Variable = "BASIN_CHECK"

// Current is the tracker in use, or nil if nothing is checked. Only Switch stores it. It is a
// variable, not a function: even an inlined accessor costs an instruction on the fast path.
var Current atomic.Pointer[Tracker]

var (
	switches sync.Mutex // held to change Current and the state derived from it
	onSwitch func(on bool)
	used     atomic.Bool // whether any pool has been used
)

// Switch stops the current tracker, and makes t the current one. With nil, nothing is checked.
func Switch(t *Tracker) {
	switches.Lock()
	defer switches.Unlock()
	if t != nil {
		t.First = !used.Load()
	}
	before := Current.Swap(t)
	if before != nil {
		before.Stop()
	}
	if onSwitch != nil {
		onSwitch(t != nil)
	}
}

// OnSwitch sets f to be called after each Switch. Its argument says whether anything is checked
// now. There is one such function: it belongs to the package that knows the pools.
func OnSwitch(f func(on bool)) {
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
