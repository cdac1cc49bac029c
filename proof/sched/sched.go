//go:build go1.25 && basin_sched

package sched

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"time"
)

// A Strategy makes all choices of a run. Sets are bits of a word.
type Strategy interface {
	// Thread returns the thread that goes on, from the set able. The running thread is in the set
	// unless it waits or has ended.
	Thread(able uint32, running int) int

	// P returns the P that a thread is pinned to, from the set free. last is the thread's last P,
	// which need not be free.
	P(free uint32, last int) int
}

// A Program is run from its start each time.
type Program struct {
	Threads []func() // at most MaxThreads
	Procs   int      // initial number of Ps

	MemoryLimit int64

	// Blocked daemons never run, as if a finalizer or cleanup of the program blocked.
	Blocked [daemons]bool

	// Check is called whenever another thread goes on. ran is the thread that has run. It returns a
	// fault, or nil.
	Check func(ran int) error
}

const (
	MaxThreads = 8
	Daemons    = int(daemons)
	maxSteps   = 50_000 // a run of more steps makes no progress
)

// A Daemon is a thread of the runtime that runs finalizers or cleanups after a collection. Daemon d
// of a program has the thread ID len(Threads) + d.
type Daemon int

const (
	Finalizers Daemon = iota
	Cleanups
	daemons
	none Daemon = -1
)

// waiting is the event that a thread waits for; the zero waiting is none.
type waiting struct {
	mutex   *Mutex
	stop    bool        // a stop of the world
	garbage bool        // garbage for the daemon
	until   func() bool // a condition of the program
}

// A thread is a coroutine. Later runs reuse it.
type thread struct {
	id     int
	body   func()
	wait   waiting
	live   bool // started and not ended
	daemon Daemon
	pinned bool
	p      int // the P that it is pinned to, or was last
	moves  int // changes of p

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// w is the world: the state of the scheduler.
var w struct {
	threads  []*thread // by ID, of all runs
	live     []*thread // of this run
	current  *thread   // nil outside a run and during Check
	chosen   *thread   // goes on after current
	strategy Strategy
	procs    int
	onP      uint32 // set of Ps that have a pinned thread
	steps    int
	users    int // threads that are not daemons and have not ended

	clock       time.Duration
	left        [daemons][]func() // finalizers and cleanups of objects that no collection has found dead
	garbage     [daemons][]func() // finalizers and cleanups that are due
	blocked     [daemons]bool
	collecting  bool
	collections uint64 // completed
	stops       int    // of the world
	moves       int

	memoryLimit int64

	err      error
	aborting bool
}

// aborted is the panic value in threads of a run that is over.
type aborted struct{}

// Run runs p once. It returns the first fault: a panic, a deadlock, an error of Check or of Fail.
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
			t.live = false // daemons wait at their start
		}
	}
	return w.err
}

// Steps returns the number of steps of the latest run.
func Steps() int { return w.steps }

// start prepares thread id for the run.
func start(id int, body func(), daemon Daemon) {
	if id == len(w.threads) {
		w.threads = append(w.threads, nil)
	}
	t := w.threads[id]
	if t != nil && t.daemon != daemon { // it is in the middle of its body
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

// main runs the thread's body and reports whether the body returned.
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

// abort ends all threads wherever they are.
func abort() {
	w.aborting = true
	for _, t := range w.live {
		w.current = t
		t.stop()
		w.threads[t.id] = nil
	}
	w.current = nil
}

// run runs the daemon's finalizers or cleanups, one after another.
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
		return false // no P is free for it
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

// choose sets the thread that goes on after t. If no thread can, that is a deadlock, unless all
// threads have ended.
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

// point is a point at which another thread may go on.
func point() { wait(waiting{}) }

// wait is point for a thread that goes on only after an event.
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

// Fail ends the run with an error. It is for the program.
func Fail(format string, args ...any) { fail(format, args...) }

// Until waits until condition is true. condition must not take steps.
func Until(condition func() bool) { wait(waiting{until: condition}) }

// Pin pins the running thread to a free P, to any of them: a thread that is not pinned may be on
// any P by now.
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

// Unpin unpins the running thread.
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

// Stop stops the world for a moment, once no thread is pinned.
func Stop() {
	if w.current != nil && w.current.pinned {
		fail("a pinned thread stops the world")
	}
	wait(waiting{stop: true})
	w.stops++
}

// Stops returns the number of stops of the world.
func Stops() int { return w.stops }

// GC is a garbage collection; there is one at a time. It starts with a stop of the world.
// Finalizers and cleanups that were left before that are due when the collection has been
// completed. That takes the given time.
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

// Running returns the P that the running thread was pinned to last, and a number that changes with
// that P and with the number of Ps.
func Running() (p, moves int) { return w.current.p, w.current.moves + w.moves }

// resting reports whether no daemon is in the middle of a function.
func resting() bool {
	for _, t := range w.live {
		if t.daemon != none && !t.wait.garbage {
			return false
		}
	}
	return true
}

// Collected reports whether all due finalizers and cleanups have run, except blocked ones.
func Collected() bool {
	for d := range daemons {
		if len(w.garbage[d]) > 0 && !w.blocked[d] {
			return false
		}
	}
	return resting()
}

// Aside returns f(). Operations of f are no points.
func Aside[T any](f func() T) T {
	t := w.current
	w.current = nil
	defer func() { w.current = t }()
	return f()
}
