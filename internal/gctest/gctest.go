//go:build go1.25

// Package gctest is for tests that wait for the garbage collector. The collector may overlook a
// dead object once, and finalizers and cleanups run some time later. Nothing here gives up; only
// the time limit of the whole test run applies.
package gctest

import (
	"runtime"
	"sync/atomic"
)

// Until collects garbage until done returns true.
func Until(done func() bool) {
	for !done() {
		runtime.GC()
		runtime.Gosched()
	}
}

// Collect collects garbage. It returns when the finalizers and cleanups of objects that were dead
// before have run. With several goroutines for cleanups, from GOMAXPROCS 8 on, it may return
// earlier.
func Collect() {
	// Functions of one collection run in any order, and the first function of the next collection
	// may run before the last of them. But the functions of a third collection run after all of
	// them.
	for range 3 {
		var ran atomic.Int32
		runtime.SetFinalizer(new(object), func(*object) { ran.Add(1) })
		runtime.AddCleanup(new(object), func(*atomic.Int32) { ran.Add(1) }, &ran)
		Until(func() bool { return ran.Load() == 2 })
	}
}

// An object has a pointer and is large. Otherwise, the allocator would pack it together with
// objects that live longer.
type object [16]*int
