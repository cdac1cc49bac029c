//go:build go1.25 && basin_sched

package schedules

import (
	"time"

	"github.com/basin-go/basin/internal/engine"
)

// A scenario is a program of a few threads, with the configuration of the engine.
type scenario struct {
	name     string
	procs    int // GOMAXPROCS at the start
	classes  []engine.Class
	maxIdle  int64
	idleTime time.Duration
	hides    bool    // hides magazines now and then
	switches bool    // switches checks
	trims    bool    // several threads trim
	limit    bool    // the memory limit is always exceeded
	surplus  bool    // touched items may be dropped, because all classes together have a surplus
	blocked  [2]bool // finalizers, cleanups
	pace     uint    // Gets that make a class busy; 0 means one
	calms    bool    // classes are no longer busy when time passes
	threads  []func(*user)
}

const (
	never = time.Hour // no window ends
	tick  = time.Second
)

// repeat gets and puts the given number of items, n times.
func repeat(n, items int, classes ...uint) func(*user) {
	return func(u *user) {
		for i := range n {
			for range items {
				u.get(classes[i%len(classes)])
			}
			for range items {
				u.put()
			}
		}
	}
}

var scenarios = []scenario{
	{
		name: "grace", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			repeat(3, 1, 0),
			func(u *user) {
				u.gc(0)
				u.gc(0)
				u.gc(0)
				u.get(0)
				u.get(0)
				u.put()
			},
		},
	},
	{
		name: "users", procs: 3, classes: []engine.Class{{Size: 1, Local: 3}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){repeat(2, 2, 0), repeat(2, 1, 0), func(u *user) { u.get(0); u.gc(0); u.put(); u.gc(0) }},
	},
	{
		name: "handover", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 6, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				for range 4 {
					u.get(0)
					u.send()
				}
			},
			func(u *user) {
				for range 4 {
					u.receive()
					u.put()
				}
				u.gc(0)
			},
		},
	},
	{
		// A miss recalls the magazine of another P, which may be using it and may come back to
		// it.
		name: "recall", procs: 2, classes: []engine.Class{{Size: 1, Local: 5}}, maxIdle: 20, idleTime: never,
		threads: []func(*user){
			repeat(3, 5, 0),
			func(u *user) {
				u.get(0)
				u.get(0)
				u.put()
				u.put()
				u.get(0)
				u.put()
			},
			func(u *user) { u.gc(0); u.gc(0); u.gc(0) },
		},
	},
	{
		// The round was scheduled before a miss recalled a magazine.
		name: "late recall", procs: 2, classes: []engine.Class{{Size: 1, Local: 5}}, maxIdle: 20, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				repeat(2, 5, 0)(u)
				u.reach()
				u.await(2)
				u.get(0)
				u.put()
			},
			func(u *user) { u.await(1); u.gc(0); u.reach() },
			func(u *user) { u.await(2); u.get(0) },
		},
	},
	{
		name: "values", procs: 2, classes: []engine.Class{{Size: 1, Local: engine.Slots}}, maxIdle: 3, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.getValue()
				u.getValue()
				u.putValue()
				u.putValue()
				u.getValue()
				u.putValue()
			},
			func(u *user) {
				u.getValue()
				u.putValue()
				u.gc(0)
				u.gc(0)
				u.getValue()
				u.putValue()
			},
		},
	},
	{
		name: "trim", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) { u.get(0); u.put(); u.get(0); u.put(); u.get(0) },
			func(u *user) { u.gc(0); u.trim(); u.get(0); u.put() },
		},
	},
	{
		name: "trims", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never, trims: true,
		threads: []func(*user){repeat(2, 1, 0), func(u *user) { u.trim() }, func(u *user) { u.gc(0); u.trim(); u.gc(0) }},
	},
	{
		// A search takes items out beside users of the same magazines, and beside rounds.
		name: "retrieve", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			repeat(3, 2, 0),
			func(u *user) { u.retrieve(1); u.get(0); u.put(); u.gc(0); u.retrieve(0) },
		},
	},
	{
		name: "limit", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 3, idleTime: never, trims: true, limit: true,
		threads: []func(*user){repeat(3, 1, 0), func(u *user) { u.get(0); u.gc(0); u.put(); u.gc(0); u.gc(0) }},
	},
	{
		// Each round trims, with its own stop of the world.
		name: "limit and Trim", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1, Local: 1}}, maxIdle: 6, idleTime: 4 * tick, trims: true, limit: true,
		threads: []func(*user){
			repeat(3, 2, 0, 1),
			func(u *user) { u.gc(tick); u.trim(); u.gc(tick) },
			func(u *user) { u.get(0); u.put(); u.pass(tick); u.stats(0) },
		},
	},
	{
		// The round was scheduled before Trim took a magazine out of the table.
		name: "round", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.put()
				u.reach()
				u.await(2)
				u.get(0)
				u.put()
			},
			func(u *user) { u.await(1); u.gc(0); u.reach() },
			func(u *user) { u.await(2); u.trim() },
		},
	},
	{
		name: "growth", procs: 1, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.put()
				u.get(0)
				u.put()
				u.get(0)
				u.put()
			},
			func(u *user) {
				u.get(0)
				u.put()
				u.gc(0)
				u.procs(2)
				u.get(0)
				u.put()
				u.procs(1)
				u.gc(0)
			},
		},
	},
	{
		name: "wide growth", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){repeat(2, 1, 0, 1), repeat(2, 1, 1, 0), func(u *user) { u.procs(4); u.get(0); u.put(); u.procs(2); u.gc(0) }},
	},
	{
		name: "windows", procs: 2, classes: []engine.Class{{Size: 1, Local: 3}}, maxIdle: 8, idleTime: 8 * tick,
		threads: []func(*user){
			func(u *user) {
				for range 4 {
					u.get(0)
				}
				for range 4 {
					u.put()
				}
				u.get(0)
				u.get(0)
				u.put()
				u.put()
			},
			func(u *user) {
				for range 6 {
					u.gc(tick)
				}
			},
		},
	},
	{
		// Items that are due are touched before they are released.
		name: "due", procs: 2, classes: []engine.Class{{Size: 1}}, maxIdle: 8, idleTime: 8 * tick,
		threads: []func(*user){
			func(u *user) {
				for range 4 {
					u.get(0)
				}
				for range 4 {
					u.put()
				}
				u.reach()
				u.await(2)
				u.get(0)
				u.get(0)
				u.put()
				u.put()
				u.reach()
			},
			func(u *user) {
				u.await(1)
				for range 5 {
					u.round(tick)
				}
				u.reach()
				u.await(3)
				u.round(tick)
			},
		},
	},
	{
		name: "classes", procs: 2, classes: []engine.Class{{Size: 1, Local: 1}, {Size: 2, Local: 1}}, maxIdle: 4, idleTime: 4 * tick,
		threads: []func(*user){
			func(u *user) { repeat(1, 3, 0)(u); u.gc(tick); repeat(1, 2, 0)(u) },
			func(u *user) { repeat(1, 2, 1)(u); u.gc(tick); repeat(1, 2, 1)(u) },
		},
	},
	{
		name: "evict", procs: 2, classes: []engine.Class{{Size: 1}, {Size: 1}}, maxIdle: 2, idleTime: 4 * tick,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.put()
				u.gc(tick)
				u.get(0)
				u.get(0)
				u.put()
				u.put()
			},
			func(u *user) {
				u.get(1)
				u.put()
				u.get(1)
				u.get(1)
				u.put()
				u.put()
			},
		},
	},
	{
		// Items of class 1 serve requests for class 0: from the P's own magazine, from the
		// depot, and from limbo.
		name: "fit", procs: 2, classes: []engine.Class{{Size: 1, Local: 1, Fit: 1}, {Size: 2, Local: 2}}, maxIdle: 8, idleTime: never, trims: true,
		threads: []func(*user){
			func(u *user) { repeat(1, 2, 1)(u); repeat(2, 1, 0)(u) },
			func(u *user) {
				u.get(0)
				u.get(1)
				u.put()
				u.put()
				u.gc(0)
				repeat(1, 2, 0)(u)
			},
			func(u *user) { u.gc(0); u.trim() },
		},
	},
	{
		// While a P may still use its magazine in limbo, others must not take from it.
		name: "fit in limbo", procs: 2, classes: []engine.Class{{Size: 1, Fit: 1}, {Size: 2, Local: 2}}, maxIdle: 8, idleTime: never,
		threads: []func(*user){
			repeat(4, 2, 1),
			func(u *user) {
				u.gc(0)
				u.gc(0)
				u.gc(0)
				u.get(0)
				u.get(0)
				u.put()
				u.put()
			},
		},
	},
	{
		// The same with depots only, and a budget that suffices for one class or the other.
		name: "fit in depots", procs: 2, classes: []engine.Class{{Size: 1, Fit: 1}, {Size: 2, Fit: 1}}, maxIdle: 3, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(1)
				u.put()
				u.get(0)
				u.get(0)
				u.put()
				u.put()
			},
			func(u *user) {
				u.get(1)
				u.put()
				u.get(0)
				u.get(1)
				u.put()
				u.put()
			},
			func(u *user) { u.allStats() },
		},
	},
	{
		// Any item serves any request: from the P's magazines, and from the depots of larger
		// and of smaller classes. Items in limbo are left alone.
		name: "any", procs: 2, classes: []engine.Class{{Size: 1, Local: 1, Fit: 1}, {Size: 2, Local: 2, Fit: 1}}, maxIdle: 8, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				repeat(1, 2, 0)(u)
				u.getAny(1)
				u.getAny(1)
				u.put()
				u.put()
			},
			func(u *user) {
				repeat(1, 2, 1)(u)
				u.gc(0)
				u.getAny(0)
				u.getAny(0)
				u.put()
				u.put()
			},
			func(u *user) { u.gc(0); u.trim(); u.getAny(0); u.put() },
		},
	},
	{
		// An adopted item has one owner, and counts towards the budget, like an item that is
		// put.
		name: "adopt", procs: 2, classes: []engine.Class{{Size: 1, Local: 2, Fit: 1}, {Size: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) { u.adopt(0); u.get(0); u.put(); u.adopt(1); u.get(0) },
			func(u *user) {
				u.adopt(0)
				u.adopt(0)
				u.gc(0)
				u.get(0)
				u.get(1)
				u.put()
				u.put()
			},
			func(u *user) { u.allStats(); u.stats(0); u.trim() },
		},
	},
	{
		name: "surplus", procs: 2, classes: []engine.Class{{Size: 1, Local: 1, Fit: 1}, {Size: 2}}, maxIdle: 8, idleTime: 4 * tick, surplus: true,
		threads: []func(*user){
			func(u *user) {
				u.get(1)
				u.get(1)
				u.put()
				u.put()
				u.gc(tick)
				u.get(0)
				u.put()
				u.gc(tick)
			},
			func(u *user) {
				u.get(0)
				u.get(0)
				u.put()
				u.put()
				u.gc(tick)
				u.get(1)
				u.put()
				u.gc(tick)
			},
		},
	},
	{
		name: "hidden", procs: 2, hides: true, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){repeat(2, 2, 0), repeat(2, 1, 0), func(u *user) { u.hide(true); u.gc(0); u.hide(false) }},
	},
	{
		// Users take and put items while full checks begin, are replaced by others, and end.
		name: "checks", procs: 2, hides: true, switches: true, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.put()
				u.get(0)
				u.get(0)
				u.put()
				u.put()
				u.get(0)
				u.put()
			},
			func(u *user) {
				u.get(0)
				u.send()
				u.receive()
				u.put()
				u.get(0)
				u.put()
			},
			func(u *user) { u.full(); u.full(); u.off() },
		},
	},
	{
		name: "stats", procs: 3, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 6, idleTime: never,
		threads: []func(*user){
			func(u *user) { u.get(0); u.put(); u.get(0); u.send() },
			func(u *user) { u.get(0); u.put(); u.receive(); u.put() },
			func(u *user) { u.stats(0); u.stats(0) },
		},
	},
	{
		name: "double", procs: 1, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.put()
				u.putAgain(1)
				u.gc(0)
				u.gc(0)
				u.gc(0)
				u.putAgain(1)
				u.get(0)
				u.put()
				u.putAgain(1)
			},
		},
	},
	{
		// Polls begin rounds if finalizers and cleanups do not.
		name: "poll", procs: 2, blocked: [2]bool{true, true}, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1}}, maxIdle: 6, idleTime: never,
		threads: []func(*user){
			func(u *user) { repeat(3, 1, 1)(u); u.reach() },
			func(u *user) {
				u.get(0)
				u.put()
				u.get(0)
				u.gc(tick)
				u.put()
				u.reach()
			},
			func(u *user) {
				u.get(1)
				u.put()
				u.gc(tick)
				u.gc(tick)
				u.gc(tick)
				u.await(2)
				since := u.roundsSoFar()
				u.gc(tick)
				u.gc(tick)
				u.get(1)
				u.put()
				u.goesOn(since)
			},
		},
	},
	{
		// All triggers compete.
		name: "triggers", procs: 2, classes: []engine.Class{{Size: 1, Local: 1}, {Size: 1}}, maxIdle: 6, idleTime: 4 * tick,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.put()
				u.get(1)
				u.put()
				u.get(0)
				u.put()
				u.get(1)
				u.put()
			},
			func(u *user) { u.gc(tick); u.gc(tick); u.gc(tick) },
			func(u *user) { u.stats(0); u.pass(tick); u.allStats(); u.stats(1) },
		},
	},
	{
		// A sentinel is found dead while Overdue stops the world.
		name: "overlap", procs: 2, classes: []engine.Class{{Size: 1, Local: 1}}, maxIdle: 2, idleTime: 4 * tick,
		threads: []func(*user){
			func(u *user) { u.get(0); u.put(); u.gc(tick) },
			func(u *user) { u.stats(0) },
		},
	},
	{
		name: "blocked finalizers", procs: 2, blocked: [2]bool{true, false}, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			repeat(3, 1, 0),
			func(u *user) {
				u.get(0)
				u.put()
				for range 2 {
					since := u.roundsSoFar()
					u.round(0)
					u.round(0)
					u.goesOn(since)
				}
			},
		},
	},
	{
		name: "blocked cleanups", procs: 2, blocked: [2]bool{false, true}, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			repeat(3, 1, 0),
			func(u *user) {
				u.get(0)
				u.put()
				for range 2 {
					since := u.roundsSoFar()
					u.round(0)
					u.round(0)
					u.goesOn(since)
				}
			},
		},
	},
	{
		// Without collections, statistics begin the rounds.
		name: "overdue", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: 4 * tick,
		threads: []func(*user){
			repeat(3, 1, 0),
			func(u *user) {
				for range 3 {
					u.pass(tick)
					u.stats(0)
				}
			},
			func(u *user) { u.gc(0); u.allStats(); u.gc(0) },
		},
	},
	{
		// Items that were put late in a cycle are released once they have been idle for two
		// windows.
		name: "spike", procs: 2, classes: []engine.Class{{Size: 1}}, maxIdle: 8, idleTime: 8 * tick,
		threads: []func(*user){
			func(u *user) {
				for range 3 {
					u.get(0)
				}
				u.await(1)
				for range 3 {
					u.put()
				}
				u.reach()
			},
			func(u *user) {
				u.get(0)
				u.put()
				u.round(tick)
				u.pass(tick)
				u.reach()
				u.await(2)
				u.pass(4 * tick)
				since := u.roundsSoFar()
				u.round(0)
				u.round(0)
				u.goesOn(since)
				u.nothingLeft()
			},
		},
	},
	{
		// An item is put while the last round with something to do ends, or after it.
		name: "sleep", procs: 2, classes: []engine.Class{{Size: 1}}, maxIdle: 8, idleTime: 8 * tick,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.await(1)
				u.put()
				u.reach()
			},
			func(u *user) {
				u.get(0)
				u.put()
				u.pass(8 * tick)
				u.reach()
				u.round(0)
				u.round(0)
				u.await(2)
				u.pass(8 * tick)
				u.round(0)
				u.round(0)
				u.nothingLeft()
			},
		},
	},
	{
		// A magazine that appears while reclaim finds no work is found later.
		name: "rest", procs: 1, classes: []engine.Class{{Size: 4, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
				u.get(0) // makes a magazine
				u.await(1)
				u.get(0)
				u.reach()
			},
			func(u *user) {
				for range 5 {
					u.round(0)
				}
				u.reach()
				u.gc(0)
				u.await(2)
				for range 5 {
					u.round(0)
				}
				u.nothingLeft()
			},
		},
	},
	{
		name: "rows", procs: 2, pace: 2, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1, Local: 2}}, maxIdle: 6, idleTime: never,
		threads: []func(*user){
			func(u *user) { repeat(2, 2, 0, 1)(u) },
			func(u *user) { repeat(2, 1, 1, 0)(u); u.gc(0); repeat(1, 2, 0)(u) },
		},
	},
	{
		// One item of each of three classes costs more than twice the peak and a mebibyte. So misses
		// take items from the other depots, and from magazines.
		name: "demand", procs: 2, classes: []engine.Class{{Size: 2 << 20, Local: 1}, {Size: 2 << 20}, {Size: 2 << 20, Local: 1}}, maxIdle: 32 << 20, idleTime: 4 * tick, surplus: true,
		threads: []func(*user){
			repeat(6, 1, 0, 1, 2),
			repeat(3, 1, 2, 1, 0),
			func(u *user) { u.gc(tick); u.gc(tick); u.stats(1); u.gc(tick) },
		},
	},
	{
		// The table goes when no class is busy any more, while another P may look for its
		// magazine.
		name: "shrink", procs: 2, calms: true, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 6, idleTime: 4 * tick,
		threads: []func(*user){
			func(u *user) {
				repeat(2, 2, 0)(u)
				u.reach()
				u.get(0)
				u.put()
				u.get(0)
				u.put()
			},
			func(u *user) {
				u.get(0)
				u.put()
				for range 2 {
					u.gc(tick)
				}
				u.await(1)
				for range 5 {
					u.gc(tick)
				}
				u.get(0)
				u.get(0)
				u.put()
				u.put()
			},
		},
	},
	{
		// A class becomes busy again on another P, when the table is hidden but not yet gone.
		name: "shrink and growth", procs: 2, calms: true, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1, Local: 2}}, maxIdle: 8, idleTime: 4 * tick,
		threads: []func(*user){
			func(u *user) {
				repeat(2, 2, 0)(u)
				u.reach()
				repeat(3, 1, 0)(u)
			},
			func(u *user) {
				u.await(1)
				for range 3 {
					u.gc(tick)
				}
				repeat(1, 3, 1)(u)
				u.procs(1)
				u.gc(tick)
				repeat(1, 2, 1)(u)
				for range 4 {
					u.gc(tick)
				}
			},
		},
	},
	{
		// Budget moves from one class to another while both are read.
		name: "all classes", procs: 3, classes: []engine.Class{{Size: 1, Local: 1}, {Size: 1}}, maxIdle: 2, idleTime: never, trims: true,
		threads: []func(*user){
			func(u *user) { u.get(0); u.put(); u.trim(); u.get(1); u.put() },
			func(u *user) {
				u.get(1)
				u.get(1)
				u.put()
				u.put()
				u.get(1)
				u.get(0)
				u.put()
				u.put()
			},
			func(u *user) { u.allStats(); u.allStats() },
		},
	},
	{
		name: "all", procs: 3, classes: []engine.Class{{Size: 1, Local: 3}, {Size: 2, Local: 2}}, maxIdle: 7, idleTime: 8 * tick, trims: true,
		threads: []func(*user){
			repeat(3, 2, 0, 1),
			repeat(3, 2, 1, 0),
			func(u *user) {
				u.get(0)
				u.gc(tick)
				u.put()
				u.trim()
				u.get(1)
				u.gc(3 * tick)
				u.put()
				u.stats(0)
			},
			func(u *user) {
				u.procs(4)
				u.get(1)
				u.gc(tick)
				u.put()
				u.procs(2)
				u.trim()
				u.stats(1)
				u.gc(tick)
			},
		},
	},
}
