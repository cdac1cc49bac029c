//go:build go1.25

// Package gccycle calls hooks once per garbage collection, without a goroutine of its own. One call
// of all hooks is a round.
//
// There are four ways to begin a round, because each of them can fail:
//
//   - The finalizer of a sentinel, an unreachable object. A finalizer that blocks holds up all
//     others.
//   - The cleanup of another sentinel. Cleanups run on other goroutines, but Go 1.25 loses those that
//     are queued on a P when GOMAXPROCS falls.
//   - [Poll], which the slow paths of pools call now and then.
//   - [Overdue], which readers of statistics call. It does not wait for a collection.
//
// Rounds never overlap. The world is stopped at least once between the end of a round and the start
// of the next, in all four ways:
//
//   - A sentinel is allocated when a round has ended. Only a collection that begins later, and stops
//     the world, can find it dead. A sentinel from before the latest round begins no round.
//   - Poll begins no round before two collections have been completed since the latest round. The
//     second one began after that round.
//   - Overdue stops the world itself.
//
// Touch it to change when rounds begin. The engine decides which memory a round releases.
package gccycle

import (
	"math"
	"runtime/metrics"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
)

// A Hook is called in each round, never twice at a time. Its argument says how close the live heap
// is to the memory limit. If it returns false, it is unregistered. It should be short. It runs on
// the goroutine that begins the round.
type Hook func(Pressure) (keep bool)

// A DueHook is a hook that rounds skip while it is not due, unless memory is short or the memory
// limit has changed.
type DueHook interface {
	// Round is a [Hook] with the start of the round as another argument, on the clock of pin.Now.
	Round(now time.Duration, p Pressure) (keep bool)

	// Due reports whether the round that started at now must call Round. It must be cheap, because
	// each round calls it.
	Due(now time.Duration) bool
}

// A Pressure is the part of the memory limit taken by memory that a collection does not free.
type Pressure int

const (
	Low      Pressure = iota // up to seven tenths, or no limit
	Raised                   // over seven tenths
	High                     // over eight tenths
	Critical                 // over nine tenths
)

var (
	mu       sched.Mutex // guards the variables up to triggers
	hooks    []DueHook
	running  bool   // a round is under way
	rounds   uint64 // rounds that have ended
	cycles   uint64 // collections completed at the end of the latest round, or when the first hook was registered
	triggers [numTriggers]trigger

	ended     sched.Int64 // end of the latest round, on the clock of pin.Now
	poll      sched.Int64 // Poll does nothing before this time
	suspended sched.Int64 // calls of SuspendOverdue in force

	released sched.Int64 // bytes that hooks have released

	short bool     // memory was short in the latest round; used only by rounds
	limit int64    // memory limit of the latest round, or zero; used only by rounds
	later []func() // functions for the end of the current round; used only by rounds
)

// Register adds a hook that is due in each round.
func Register(h Hook) { RegisterDue(h) }

// Round makes h a DueHook.
func (h Hook) Round(_ time.Duration, p Pressure) (keep bool) { return h(p) }

// Due makes h a DueHook.
func (h Hook) Due(time.Duration) bool { return true }

// RegisterDue adds a hook. Its first round is the one after the current round.
func RegisterDue(h DueHook) {
	mu.Lock()
	defer mu.Unlock()
	if len(hooks) == 0 && !running {
		ended.Store(int64(pin.Now()))
		cycles = sched.Completed()
	}
	hooks = append(hooks, h)
	arm()
}

// Later makes the current round call f at its end, after a stop of the world that begins when all
// hooks have returned. One stop serves all calls. Only hooks may call Later.
func Later(f func()) { later = append(later, f) }

// Release counts bytes that have been released, which a collection can free.
func Release(bytes int64) { released.Add(bytes) }

// Released returns the number of bytes released so far.
func Released() int64 { return released.Load() }

// A trigger begins rounds through a sentinel that is found dead.
type trigger struct {
	armed    bool   // its latest sentinel has not been found dead
	serial   uint64 // of its latest sentinel
	after    uint64 // rounds that had ended when that sentinel was allocated
	patience uint64 // rounds of other triggers after which the sentinel counts as lost
}

const (
	finalizer = iota
	cleanup
	numTriggers
)

// A sentinel has a pointer and is large enough that the allocator does not pack it together with
// objects that live longer.
type sentinel struct {
	_      *sentinel
	serial uint64
}

// leave allocates a sentinel for trigger i and drops it.
func leave(i int, serial uint64) {
	switch i {
	case finalizer:
		sched.SetFinalizer(&sentinel{serial: serial}, func(s *sentinel) { fired(finalizer, s.serial) })
	case cleanup:
		sched.AddCleanup(new(sentinel), func(serial uint64) { fired(cleanup, serial) }, serial)
	}
}

// arm leaves a sentinel for each trigger that has none, or whose sentinel counts as lost. The
// caller must hold mu. During a round, arm does nothing.
func arm() {
	if running || len(hooks) == 0 {
		return
	}
	for i := range triggers {
		t := &triggers[i]
		if t.armed {
			if rounds-t.after < t.patience {
				continue
			}
			t.patience *= 2 // or sentinels would pile up behind a finalizer that blocks
		} else {
			t.patience = 4
		}
		t.armed = true
		t.after = rounds
		t.serial++
		leave(i, t.serial)
	}
}

// fired runs when the sentinel of trigger i with the given serial number has been found dead.
func fired(i int, serial uint64) {
	mu.Lock()
	defer mu.Unlock()
	t := &triggers[i]
	if serial != t.serial {
		return // that sentinel counts as lost
	}
	t.armed = false
	if t.after == rounds && begin() {
		round()
	}
	arm() // does nothing during a round of another trigger, which arms at its end
}

// Poll begins a round if the collections since the latest round have begun none, because finalizers
// block and cleanups were lost. It costs next to nothing except every ten milliseconds. The caller
// must not hold a lock that hooks take.
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

// Overdue begins a round if the latest one ended at least age ago, as in a program that does not
// allocate. The caller must not hold a lock that hooks take.
func Overdue(now, age time.Duration) {
	if suspended.Load() > 0 || int64(now)-ended.Load() < int64(age) || !mu.TryLock() {
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

// SuspendOverdue stops Overdue from beginning rounds until undo is called. It is for tests that ask for
// each collection themselves: however slow they are, no idle item is released in between.
func SuspendOverdue() (undo func()) {
	suspended.Add(1)
	return func() { suspended.Add(-1) }
}

// begin marks a round as running and reports whether it did: not if one is running. The caller must
// hold mu.
func begin() bool {
	if running || len(hooks) == 0 {
		return false
	}
	running = true
	return true
}

// round runs the hooks once, after begin. The caller must hold mu, which round unlocks meanwhile.
func round() {
	current := hooks
	hooks = nil
	mu.Unlock()

	before := limit
	limit = sched.MemoryLimit()
	p, now := pressure(), pin.Now()
	// The first round in which memory is no longer short must reach all hooks, too, and so must the
	// first one with another limit, which MaxIdle may follow.
	all := p != Low || short || before != 0 && limit != before
	short = p != Low
	kept := current[:0]
	for _, h := range current {
		if !(all || h.Due(now)) || h.Round(now, p) {
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
	if len(kept) < cap(kept)/4 { // most pools are gone
		kept = append(make([]DueHook, 0, 2*len(kept)), kept...)
	}

	mu.Lock()
	hooks = append(kept, hooks...)
	running = false
	rounds++
	cycles = sched.Completed()
	ended.Store(int64(pin.Now()))
}

// used holds the metrics that pressure reads. Rounds do not overlap, so no lock is needed.
var used = []metrics.Sample{
	{Name: "/gc/heap/live:bytes"},
	{Name: "/memory/classes/total:bytes"},
	{Name: "/memory/classes/heap/objects:bytes"},
	{Name: "/memory/classes/heap/free:bytes"},
	{Name: "/memory/classes/heap/released:bytes"},
	{Name: "/memory/classes/heap/unused:bytes"},
}

// pressure compares limit with the heap that the latest collection found alive, and the memory
// outside the heap.
func pressure() Pressure {
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
