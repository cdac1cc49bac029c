// Package gccycle calls back once per garbage collection, without a goroutine
// of its own.
//
// A sentinel object that nothing refers to has a finalizer. The collector finds it
// dead, the finalizer runs the callbacks and leaves a new sentinel. It follows
// that the world was stopped at least once between the end of one round of
// callbacks and the begin of the next: the sentinel of a round is
// allocated when the round before has ended, and only a later cycle, which
// stops the world to begin, can find it dead.
package gccycle

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A Hook is called after a garbage collection, on a goroutine of the runtime,
// never twice at a time. It is told whether the live heap comes close to the
// memory limit, and is forgotten when it returns false. It should be short.
type Hook func(nearLimit bool) (keep bool)

var (
	mu    sync.Mutex
	hooks []Hook
	armed bool
)

// Register adds a hook.
func Register(h Hook) {
	mu.Lock()
	defer mu.Unlock()
	hooks = append(hooks, h)
	if !armed {
		armed = true
		arm()
	}
}

// sentinel is large enough and has a pointer, so that the allocator does not
// pack it together with anything that lives longer.
type sentinel struct{ _ *sentinel }

// arm leaves a sentinel. It has a finalizer and not a cleanup because Go 1.25
// loses cleanups that are queued on a P when GOMAXPROCS falls, and with the one
// sentinel all later rounds would be lost.
func arm() { runtime.SetFinalizer(new(sentinel), round) }

// round runs the hooks once.
func round(*sentinel) {
	mu.Lock()
	current := hooks
	hooks = nil
	mu.Unlock()

	near := nearLimit()
	kept := current[:0]
	for _, h := range current {
		if h(near) {
			kept = append(kept, h)
		}
	}
	clear(current[len(kept):])

	mu.Lock()
	defer mu.Unlock()
	hooks = append(kept, hooks...)
	armed = len(hooks) > 0
	if armed {
		arm()
	}
}

// used holds what nearLimit reads; rounds do not overlap.
var used = []metrics.Sample{
	{Name: "/gc/heap/live:bytes"},
	{Name: "/memory/classes/total:bytes"},
	{Name: "/memory/classes/heap/objects:bytes"},
	{Name: "/memory/classes/heap/free:bytes"},
	{Name: "/memory/classes/heap/released:bytes"},
	{Name: "/memory/classes/heap/unused:bytes"},
}

// nearLimit reports whether less than a tenth of the memory limit is left over
// what the program cannot do without: the heap that the collection found
// alive, and the memory that is not heap.
func nearLimit() bool {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return false
	}
	metrics.Read(used)
	value := func(i int) int64 { return int64(used[i].Value.Uint64()) }
	live, total := value(0), value(1)
	heap := value(2) + value(3) + value(4) + value(5)
	return live+total-heap > limit-limit/10
}
