//go:build basin_sched

package sched

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"time"
)

// A Strategy chooses wherever there is a choice. Sets are of bits.
type Strategy interface {
	// Thread returns which of the threads that can run does. The one that has run
	// so far is among them unless it waits or has ended.
	Thread(able uint32, running int) int

	// P returns on which of the Ps that are free a thread is pinned that was on
	// last before, which need not be free.
	P(free uint32, last int) int
}

// A Program is what is run, from the beginning, each time.
type Program struct {
	Threads []func() // at most MaxThreads
	Procs   int      // Ps at first

	MemoryLimit int64

	// Blocked says what never runs, as if some other of its kind blocked.
	Blocked [daemons]bool

	// Check is called whenever the running thread changes, with the one that has run,
	// and says what is wrong.
	Check func(ran int) error
}

const (
	MaxThreads = 8
	Daemons    = int(daemons)
	maxSteps   = 50_000 // in one run; else it makes no progress
)

// A Daemon is a thread of the runtime that runs what a collection has found dead.
// Daemon d of a program has the thread id len(Threads) + d.
type Daemon int

const (
	Finalizers Daemon = iota
	Cleanups
	daemons
	none Daemon = -1
)

// waiting is what a thread waits for; the zero waiting is for nothing.
type waiting struct {
	mutex   *Mutex
	stop    bool        // of the world
	garbage bool        // for something that the daemon can run
	until   func() bool // for what the program says
}

// A thread is a coroutine, which is used again for the next run.
type thread struct {
	id     int
	body   func()
	wait   waiting
	live   bool // begun, not ended
	daemon Daemon
	pinned bool
	p      int // it is pinned to, or was last
	moves  int // how often that has changed

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// w is the world.
var w struct {
	threads  []*thread // by id; all that ever were
	live     []*thread // of this run
	current  *thread   // nil outside of a run, and while Check runs
	chosen   *thread   // goes on after current
	strategy Strategy
	procs    int
	onP      uint32 // Ps that a thread is pinned to
	steps    int
	users    int // threads that are no daemons and have not ended

	clock       time.Duration
	left        [daemons][]func() // to a collection
	garbage     [daemons][]func() // found dead, not run
	blocked     [daemons]bool
	collecting  bool
	collections uint64 // completed
	stops       int    // of the world
	moves       int

	memoryLimit int64

	err      error
	aborting bool
}

// aborted is what threads panic with whose run is over.
type aborted struct{}

// Run runs p once. It returns what went wrong: a panic, a deadlock, what Check says or
// what has been reported to Fail.
func Run(p Program, s Strategy) error {
	w.strategy, w.procs, w.onP, w.steps = s, p.Procs, 0, 0
	w.clock, w.left, w.garbage, w.blocked = 0, [daemons][]func(){}, [daemons][]func(){}, p.Blocked
	w.collecting, w.collections, w.stops = false, 0, 0
	w.err, w.aborting, w.moves = nil, false, 0
	w.memoryLimit = p.MemoryLimit
	w.live = w.live[:0]
	for i, body := range p.Threads {
		start(i, body, none)
	}
	for d := range daemons {
		start(len(p.Threads)+int(d), func() { d.run() }, d)
	}
	w.users = len(p.Threads)
	choose(nil)
	for w.err == nil && w.chosen != nil {
		t := w.chosen
		w.chosen = nil
		w.current = t
		t.next()
		w.current = nil
		if w.err == nil {
			w.err = p.Check(t.id)
		}
	}
	if w.err != nil || w.users > 0 {
		abort()
	} else {
		for _, t := range w.live[len(p.Threads):] {
			t.live = false // daemons wait at their beginning
		}
	}
	return w.err
}

// Steps returns how many steps the last run took.
func Steps() int { return w.steps }

// start makes thread id of the run.
func start(id int, body func(), daemon Daemon) {
	if id == len(w.threads) {
		w.threads = append(w.threads, nil)
	}
	t := w.threads[id]
	if t != nil && t.daemon != daemon { // it is somewhere in its body
		w.aborting = true
		t.stop()
		w.aborting = false
		t = nil
	}
	if t == nil {
		t = &thread{id: id}
		w.threads[id] = t
		t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
			t.yield = yield
			for t.main() && yield(struct{}{}) {
			}
		})
	}
	t.body, t.daemon, t.live, t.pinned, t.p, t.moves, t.wait = body, daemon, true, false, id%w.procs, 0, waiting{}
	if daemon != none {
		t.wait.garbage = true
	}
	w.live = append(w.live, t)
}

// main runs the thread's body and reports whether it came to its end.
func (t *thread) main() (ended bool) {
	defer func() {
		if w.aborting {
			recover()
			return
		}
		if r := recover(); r != nil {
			w.err = fmt.Errorf("panic: %v", r)
			return
		}
		if t.pinned {
			w.err = errors.New("a thread has ended pinned")
			return
		}
		ended = true
		t.live = false
		if t.daemon == none {
			w.users--
		}
		choose(t)
	}()
	t.body()
	return
}

// abort ends all threads where they are.
func abort() {
	w.aborting = true
	for _, t := range w.live {
		w.current = t
		t.stop()
		w.threads[t.id] = nil
	}
	w.current = nil
}

// run runs what is the daemon's, one after another.
func (d Daemon) run() {
	for {
		f := w.garbage[d][0]
		w.garbage[d] = w.garbage[d][1:]
		f()
		wait(waiting{garbage: true})
	}
}

// able reports whether t can take its next step.
func (t *thread) able() bool {
	if !t.live {
		return false
	}
	if !t.pinned && bits.OnesCount32(w.onP) >= w.procs {
		return false // no P is left for it
	}
	switch {
	case t.wait.mutex != nil:
		return !t.wait.mutex.locked
	case t.wait.stop:
		return w.onP == 0
	case t.wait.garbage:
		return len(w.garbage[t.daemon]) > 0 && !w.blocked[t.daemon]
	case t.wait.until != nil:
		return t.wait.until()
	}
	return true
}

// choose sets who goes on after t. If nobody can, that is a deadlock, unless all have
// come to their ends.
func choose(t *thread) {
	able := uint32(0)
	for _, o := range w.live {
		if o.able() {
			able |= 1 << o.id
		}
	}
	switch {
	case able != 0:
		id := -1
		if t != nil {
			id = t.id
		}
		w.steps++
		w.chosen = w.live[w.strategy.Thread(able, id)]
	case w.users > 0 || !resting():
		w.err = errors.New("deadlock")
	}
}

// point is where another thread may go on.
func point() { wait(waiting{}) }

// wait is point, and what follows it waits for something.
func wait(for_ waiting) {
	t := w.current
	if t == nil {
		return
	}
	if w.aborting {
		return
	}
	if w.steps > maxSteps {
		fail("no progress")
	}
	t.wait = for_
	choose(t)
	if w.chosen != t {
		if !t.yield(struct{}{}) {
			panic(aborted{})
		}
	} else {
		w.chosen = nil
	}
	t.wait = waiting{}
}

// fail ends the run.
func fail(format string, args ...any) {
	if w.current == nil || w.aborting {
		return
	}
	w.err = fmt.Errorf(format, args...)
	w.current.yield(struct{}{})
	panic(aborted{})
}

// Fail is for the program: it ends the run with an error.
func Fail(format string, args ...any) { fail(format, args...) }

// Until waits until the condition holds. It must not take steps.
func Until(condition func() bool) { wait(waiting{until: condition}) }

// Pin pins the running thread to a P that is free, as any thread that is not pinned may
// be on any P by now.
func Pin() int {
	t := w.current
	if t == nil {
		return -1
	}
	point()
	if t.pinned {
		fail("pinned twice")
	}
	p := t.p
	if free := (uint32(1)<<w.procs - 1) &^ w.onP; free&(free-1) == 0 {
		p = bits.TrailingZeros32(free)
	} else {
		p = w.strategy.P(free, p)
	}
	if p != t.p {
		t.p = p
		t.moves++
	}
	t.pinned = true
	w.onP |= 1 << t.p
	return t.p
}

// Unpin ends what Pin began.
func Unpin() {
	t := w.current
	if t == nil || w.aborting {
		return
	}
	point()
	if !t.pinned {
		fail("unpinned twice")
	}
	t.pinned = false
	w.onP &^= 1 << t.p
}

// Stop stops the world for a moment: once nobody is pinned.
func Stop() {
	if w.current != nil && w.current.pinned {
		fail("the world is stopped by one who is pinned")
	}
	wait(waiting{stop: true})
	w.stops++
}

// Stops returns how often the world has been stopped.
func Stops() int { return w.stops }

// GC is a garbage collection, of which there is one at a time. It stops the world to begin
// with, and what has been left to finalizers and cleanups by then is theirs when it has been
// completed. This takes some time.
func GC(takes time.Duration) {
	wait(waiting{until: func() bool { return !w.collecting && w.onP == 0 }})
	w.stops++
	w.collecting = true
	dead := w.left
	w.left = [daemons][]func(){}
	point()
	w.clock += takes
	w.collecting = false
	w.collections++
	point()
	for d := range daemons {
		w.garbage[d] = append(w.garbage[d], dead[d]...)
	}
}

// Advance lets time go by.
func Advance(d time.Duration) {
	point()
	w.clock += d
}

// Running returns the P that the running thread was pinned to last, and a number that
// changes when that P does, or the number of Ps.
func Running() (p, moves int) { return w.current.p, w.current.moves + w.moves }

// resting reports whether no daemon is in the middle of something.
func resting() bool {
	for _, t := range w.live {
		if t.daemon != none && !t.wait.garbage {
			return false
		}
	}
	return true
}

// Collected reports whether everything has been run that was found dead, but what is blocked.
func Collected() bool {
	for d := range daemons {
		if len(w.garbage[d]) > 0 && !w.blocked[d] {
			return false
		}
	}
	return resting()
}

// Aside returns what f does, in which no operation is a point.
func Aside[T any](f func() T) T {
	t := w.current
	w.current = nil
	defer func() { w.current = t }()
	return f()
}
