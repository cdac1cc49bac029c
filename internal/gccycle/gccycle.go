// Package gccycle calls back once per garbage collection, without a goroutine
// of its own. One such call of all hooks is a round.
//
// Any of these begins a round, whichever comes first, so that it is not up to one of them:
//
//   - The finalizer of a sentinel, an object that nothing refers to. One finalizer of
//     the program that blocks holds up all others.
//   - The cleanup of another sentinel. Cleanups run elsewhere, but Go 1.25 loses those that are
//     queued on a P when GOMAXPROCS falls.
//   - [Poll], which the slow paths of pools call now and then.
//   - [Overdue], which those call who read statistics. It does not wait for a collection.
//
// Rounds never overlap, and the world is stopped at least once between the end of one and
// the begin of the next. That holds for each way to begin a round:
//
//   - A sentinel is allocated when a round has ended, and only a collection
//     that begins later, which stops the world, can find it dead. A sentinel that is
//     from before the last round begins none.
//   - Poll waits until two collections have been completed since the last round. The second
//     of them began after it.
//   - Overdue stops the world itself.
package gccycle

import (
	"math"
	"runtime/metrics"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
)

// A Hook is called in each round, never twice at a time. It is told how close the live heap
// comes to the memory limit, and is forgotten when it returns false. It should
// be short, and is called on whatever goroutine begins the round.
type Hook func(Pressure) (keep bool)

// A Pressure is how much of the memory limit the program cannot do without.
type Pressure int

const (
	Low      Pressure = iota // or there is no limit
	Raised                   // over seven tenths
	High                     // over eight tenths
	Critical                 // over nine tenths
)

var (
	mu      sched.Mutex // guards all that follows
	hooks   []Hook
	running bool   // a round is under way
	rounds  uint64 // that have ended
	cycles  uint64 // collections completed when the last of them ended, or the first hook was registered
	by      [triggers]trigger

	ended   sched.Int64 // when the last round ended, by pin.Now
	poll    sched.Int64 // when Poll is to look next
	patient sched.Int64 // how many wait with Overdue

	later []func() // of the round that is under way, which alone uses it
)

// Register adds a hook.
func Register(h Hook) {
	mu.Lock()
	defer mu.Unlock()
	if len(hooks) == 0 && !running {
		ended.Store(int64(pin.Now()))
		cycles = sched.Completed()
	}
	hooks = append(hooks, h)
	arm()
}

// Later has f called at the end of this round, after a stop of the world that begins after all
// hooks have returned: one for all. It is for hooks to call.
func Later(f func()) { later = append(later, f) }

// A trigger is a way to begin a round by an object that is found dead.
type trigger struct {
	armed    bool   // it has left one
	serial   uint64 // the last one's
	after    uint64 // how many rounds had ended by then
	patience uint64 // how many rounds by others it may take before it is taken for lost
}

const (
	finalizer = iota
	cleanup
	triggers
)

// A sentinel is large enough and has a pointer, so that the allocator does not
// pack it together with anything that lives longer.
type sentinel struct {
	_      *sentinel
	serial uint64
}

// leave leaves a sentinel for trigger i.
func leave(i int, serial uint64) {
	switch i {
	case finalizer:
		sched.SetFinalizer(&sentinel{serial: serial}, func(s *sentinel) { fired(finalizer, s.serial) })
	case cleanup:
		sched.AddCleanup(new(sentinel), func(serial uint64) { fired(cleanup, serial) }, serial)
	}
}

// arm leaves a sentinel for each trigger that has none, or none that is heard of. The caller
// holds the lock, and no round is under way; if one is, arm does nothing.
func arm() {
	if running || len(hooks) == 0 {
		return
	}
	for i := range by {
		t := &by[i]
		if t.armed {
			if rounds-t.after < t.patience {
				continue
			}
			t.patience *= 2 // or a finalizer that blocks would collect sentinels behind it
		} else {
			t.patience = 4
		}
		t.armed = true
		t.after = rounds
		t.serial++
		leave(i, t.serial)
	}
}

// fired is called when the sentinel with the given serial of trigger i has been found dead.
func fired(i int, serial uint64) {
	mu.Lock()
	defer mu.Unlock()
	t := &by[i]
	if serial != t.serial {
		return // it was taken for lost
	}
	t.armed = false
	if t.after == rounds && begin() {
		round()
	}
	arm() // if a round of another trigger is under way, its end does that
}

// Poll begins a round if the collections since the last one have begun none: if finalizers are
// blocked and cleanups are lost. It costs next to nothing unless it is some
// milliseconds since it looked last. The caller must not hold a lock that hooks take.
func Poll(now time.Duration) {
	if next := poll.Load(); int64(now) < next || !poll.CompareAndSwap(next, int64(now+10*time.Millisecond)) || !mu.TryLock() {
		return
	}
	defer mu.Unlock()
	if !running && len(hooks) > 0 && sched.Completed() >= cycles+2 && begin() {
		round()
		arm()
	}
}

// Overdue begins a round if the last one is at least age ago, as in a program that does not allocate.
// The caller must not hold a lock that hooks take.
func Overdue(now, age time.Duration) {
	if patient.Load() > 0 || int64(now)-ended.Load() < int64(age) || !mu.TryLock() {
		return
	}
	defer mu.Unlock()
	if int64(now)-ended.Load() >= int64(age) && begin() {
		mu.Unlock()
		pin.Quiesce()
		mu.Lock()
		round()
		arm()
	}
}

// Patient makes Overdue begin no round until undo is called. It is for tests that ask for each collection
// themselves: however slow they are, none of what they put is let go in between.
func Patient() (undo func()) {
	patient.Add(1)
	return func() { patient.Add(-1) }
}

// begin makes a round the one that is under way, if there is none. The caller holds the lock.
func begin() bool {
	if running || len(hooks) == 0 {
		return false
	}
	running = true
	return true
}

// round runs the hooks once. The caller holds the lock, which round gives up meanwhile, and
// has begun the round.
func round() {
	current := hooks
	hooks = nil
	mu.Unlock()

	p := pressure()
	kept := current[:0]
	for _, h := range current {
		if h(p) {
			kept = append(kept, h)
		}
	}
	clear(current[len(kept):])
	if len(later) > 0 {
		pin.Quiesce()
		for _, f := range later {
			f()
		}
		later = nil
	}
	if len(kept) < cap(kept)/4 { // of many pools few are left
		kept = append(make([]Hook, 0, 2*len(kept)), kept...)
	}

	mu.Lock()
	hooks = append(kept, hooks...)
	running = false
	rounds++
	cycles = sched.Completed()
	ended.Store(int64(pin.Now()))
}

// used holds what pressure reads; rounds do not overlap.
var used = []metrics.Sample{
	{Name: "/gc/heap/live:bytes"},
	{Name: "/memory/classes/total:bytes"},
	{Name: "/memory/classes/heap/objects:bytes"},
	{Name: "/memory/classes/heap/free:bytes"},
	{Name: "/memory/classes/heap/released:bytes"},
	{Name: "/memory/classes/heap/unused:bytes"},
}

// pressure compares the memory limit with what the program cannot do without: the heap that
// the collection found alive, and the memory that is not heap.
func pressure() Pressure {
	limit := sched.MemoryLimit()
	if limit == math.MaxInt64 {
		return Low
	}
	metrics.Read(used)
	value := func(i int) int64 { return int64(used[i].Value.Uint64()) }
	live, total := value(0), value(1)
	heap := value(2) + value(3) + value(4) + value(5)
	switch needed := live + total - heap; {
	case needed > limit-limit/10:
		return Critical
	case needed > limit-limit/5:
		return High
	case needed > limit-limit/10*3:
		return Raised
	}
	return Low
}
