package check

import (
	"os"
	"sync"
	"sync/atomic"
)

// Variable is the environment variable that says how closely a program is checked when it
// starts.
const Variable = "BASIN_CHECK"

// Current is the tracker that is on, or nil if nothing is checked. Only Switch stores it. It
// is no function, because fast paths load it: a call that is inlined leaves an instruction.
var Current atomic.Pointer[Tracker]

var (
	switches sync.Mutex // held to change Current, and what follows from it
	onSwitch func(on bool)
	used     atomic.Bool // whether any pool was
)

// Switch has t on from now on, or nothing checked if it is nil, and stops the tracker that
// was on.
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

// OnSwitch has f called after each Switch, with whether anything is checked now. There is
// one such function: it belongs to the package that knows the pools.
func OnSwitch(f func(on bool)) {
	switches.Lock()
	defer switches.Unlock()
	onSwitch = f
}

// Hold calls f with the tracker that is on, which stays on until f returns.
func Hold(f func(t *Tracker)) {
	switches.Lock()
	defer switches.Unlock()
	f(Current.Load())
}

// Begun says that a pool begins to be used.
func Begun() {
	used.Store(true)
	// go test keeps the results of tests, with the environment that they look at. What
	// init looks at it does not see.
	os.Getenv(Variable)
}
