//go:build basin_sched

package schedules

import (
	"time"

	"github.com/basin-go/basin/internal/engine"
)

// A scenario is what some threads do, and with what engine.
type scenario struct {
	name     string
	procs    int // Ps at first
	classes  []engine.Class
	maxIdle  int64
	idleTime time.Duration
	hides    bool    // magazines, now and then
	trims    bool    // more than one does
	limit    bool    // memory is always short
	surplus  bool    // what has been touched may be let go, as all classes together have too much
	blocked  [2]bool // finalizers, cleanups
	served   uint    // operations of Ps without a row in the table, before; 0 is for plenty
	threads  []func(*user)
}

const (
	never = time.Hour // no window ends
	tick  = time.Second
)

// repeat gets and puts n times, so many items at a time.
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
		name: "limit", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 3, idleTime: never, trims: true, limit: true,
		threads: []func(*user){repeat(3, 1, 0), func(u *user) { u.get(0); u.gc(0); u.put(); u.gc(0); u.gc(0) }},
	},
	{
		// Each round trims, after a stop of the world of its own.
		name: "limit and Trim", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1, Local: 1}}, maxIdle: 6, idleTime: 2 * tick, trims: true, limit: true,
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
		name: "windows", procs: 2, classes: []engine.Class{{Size: 1, Local: 3}}, maxIdle: 8, idleTime: 4 * tick,
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
		// Items that are due are touched before they go.
		name: "due", procs: 2, classes: []engine.Class{{Size: 1}}, maxIdle: 8, idleTime: 4 * tick,
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
		name: "classes", procs: 2, classes: []engine.Class{{Size: 1, Local: 1}, {Size: 2, Local: 1}}, maxIdle: 4, idleTime: 2 * tick,
		threads: []func(*user){
			func(u *user) { repeat(1, 3, 0)(u); u.gc(tick); repeat(1, 2, 0)(u) },
			func(u *user) { repeat(1, 2, 1)(u); u.gc(tick); repeat(1, 2, 1)(u) },
		},
	},
	{
		name: "evict", procs: 2, classes: []engine.Class{{Size: 1}, {Size: 1}}, maxIdle: 2, idleTime: 2 * tick,
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
		// A P's magazine in limbo is not for others, while the P may be using it.
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
		// The same from depots alone, and a budget for one or the other.
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
		// Any item serves any request: from the P's magazines, from the depots of larger and of smaller
		// classes, and what is in limbo is left alone.
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
		// What is adopted is somebody's, and within the budget, as what is put.
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
		name: "surplus", procs: 2, classes: []engine.Class{{Size: 1, Local: 1, Fit: 1}, {Size: 2}}, maxIdle: 8, idleTime: 2 * tick, surplus: true,
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
		// Polls begin rounds if nothing else does.
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
		name: "triggers", procs: 2, classes: []engine.Class{{Size: 1, Local: 1}, {Size: 1}}, maxIdle: 6, idleTime: 2 * tick,
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
		name: "overlap", procs: 2, classes: []engine.Class{{Size: 1, Local: 1}}, maxIdle: 2, idleTime: 2 * tick,
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
		// Without a collection statistics begin the rounds.
		name: "overdue", procs: 2, classes: []engine.Class{{Size: 1, Local: 2}}, maxIdle: 4, idleTime: 2 * tick,
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
		// What came late in a cycle goes as soon as it has been left alone for an IdleTime.
		name: "spike", procs: 2, classes: []engine.Class{{Size: 1}}, maxIdle: 8, idleTime: 4 * tick,
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
		// A magazine that comes while reclaim finds nothing to do is found later.
		name: "rest", procs: 1, classes: []engine.Class{{Size: 4, Local: 2}}, maxIdle: 4, idleTime: never,
		threads: []func(*user){
			func(u *user) {
				u.get(0)
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
		name: "rows", procs: 2, served: 29, classes: []engine.Class{{Size: 1, Local: 2}, {Size: 1, Local: 2}}, maxIdle: 6, idleTime: never,
		threads: []func(*user){
			func(u *user) { repeat(2, 2, 0, 1)(u) },
			func(u *user) { repeat(2, 1, 1, 0)(u); u.gc(0); repeat(1, 2, 0)(u) },
		},
	},
	{
		// Room goes from one class to another while both are read.
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
		name: "all", procs: 3, classes: []engine.Class{{Size: 1, Local: 3}, {Size: 2, Local: 2}}, maxIdle: 7, idleTime: 4 * tick, trims: true,
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
