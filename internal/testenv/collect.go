//go:build go1.25

// The functions in this file wait for the garbage collector. It may overlook a dead object once, and
// finalizers and cleanups run some time later. Nothing here gives up; only the time limit of the
// whole test run applies.

package testenv

import (
	"runtime"
	"sync/atomic"
)

// CollectUntil collects garbage until done returns true.
func CollectUntil(done func() bool) {
	for !done() {
		runtime.GC()
		runtime.Gosched()
	}
}

// RunCleanups collects garbage. It returns when the finalizers and cleanups of objects that were dead
// before have run. With several goroutines for cleanups, from GOMAXPROCS 8 on, it may return
// earlier.
func RunCleanups() {
	// Functions of one collection run in any order, and the first function of the next collection
	// may run before the last of them. But the functions of a third collection run after all of
	// them.
	for range 3 {
		var ran atomic.Int32
		runtime.SetFinalizer(new(object), func(*object) { ran.Add(1) })
		runtime.AddCleanup(new(object), func(*atomic.Int32) { ran.Add(1) }, &ran)
		CollectUntil(func() bool { return ran.Load() == 2 })
	}
}

// An object has a pointer and is large. Otherwise, the allocator would pack it together with
// objects that live longer.
type object [16]*int
