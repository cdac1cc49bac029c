// Package gctest is for tests that wait for the garbage collector. It may overlook a dead object once, and
// finalizers and cleanups run some time after it. Nothing here gives up: the limit is that of the whole test run.
package gctest

import (
	"runtime"
	"sync/atomic"
)

// Until collects garbage until done reports true.
func Until(done func() bool) {
	for !done() {
		runtime.GC()
		runtime.Gosched()
	}
}

// Collect collects garbage. It returns when the finalizers and cleanups of objects that were dead before have
// run, unless there are several goroutines for cleanups: from GOMAXPROCS 8 on.
func Collect() {
	// Those of one collection run in any order, the first of the next may run before the last
	// of them, but those of a third run after all.
	for range 3 {
		var ran atomic.Int32
		runtime.SetFinalizer(new(object), func(*object) { ran.Add(1) })
		runtime.AddCleanup(new(object), func(*atomic.Int32) { ran.Add(1) }, &ran)
		Until(func() bool { return ran.Load() == 2 })
	}
}

// An object has a pointer and is large, or the allocator would pack it together with others that live longer.
type object [16]*int
