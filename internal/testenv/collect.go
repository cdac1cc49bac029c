//go:build go1.25

// The functions in this file wait for the garbage collector. It may overlook a dead object once, and
// finalizers and cleanups run some time later. Nothing here gives up; only the time limit of the
// whole test run applies.

package testenv

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// CollectUntil collects garbage until done returns true. If that takes long, it fetches cleanups back that Go has
// lost: if GOMAXPROCS falls while the runtime sweeps, cleanups stay with Ps that do not run any more. They run
// once these Ps run again.
func CollectUntil(done func() bool) {
	const (
		patience = 30  // collections
		most     = 256 // Ps of any test
	)
	for n := 1; !done(); n++ {
		runtime.GC()
		runtime.Gosched()
		if n%patience == 0 {
			procs := runtime.GOMAXPROCS(most)
			runtime.GC()
			runtime.GOMAXPROCS(procs)
		}
	}
}

// RunCleanups collects garbage. It returns when the finalizers and cleanups of objects that were dead
// before have run. With Go 1.25, which does not count them, it may return earlier if they are
// hundreds, or from GOMAXPROCS 8 on.
func RunCleanups() {
	// Functions of one collection run in any order, and the first function of the next collection
	// may run before the last of them.
	for range 3 {
		var ran atomic.Int32
		runtime.SetFinalizer(new(object), func(*object) { ran.Add(1) })
		runtime.AddCleanup(new(object), func(*atomic.Int32) { ran.Add(1) }, &ran)
		CollectUntil(func() bool { return ran.Load() == 2 })
	}
	for _, kind := range []string{"cleanups", "finalizers"} {
		queued, _ := counter("/gc/" + kind + "/queued:" + kind)
		CollectUntil(func() bool {
			executed, known := counter("/gc/" + kind + "/executed:" + kind)
			return !known || executed >= queued
		})
	}
}

// counter returns one of the runtime's counters, if this version of Go has it.
func counter(name string) (n uint64, known bool) {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0, false
	}
	return s[0].Value.Uint64(), true
}

// An object has a pointer and is large. Otherwise, the allocator would pack it together with
// objects that live longer.
type object [16]*int
