//go:build go1.25

// Package schedules runs the engine itself, not a model of it, in a scheduler that chooses
// which goroutine takes the next step. It checks the engine in every schedule.
//
//	go test -tags basin_sched ./proof/schedules                    some 200,000 schedules
//	BASIN_TEST_SCHEDULES=100000 BASIN_TEST_PREEMPTIONS=2 go test -tags basin_sched ./proof/schedules
//	BASIN_TEST_REPLAY=12:1,31:0 go test -tags basin_sched ./proof/schedules -run 'Schedules/trim'
//
// A scenario is a small program for a few goroutines. Its schedules are explored in two ways.
// One is all schedules with a limited number of preemptions, one after another (Musuvathi and
// Qadeer, "Iterative Context Bounding", PLDI 2007). The other is random schedules, with a
// priority for each goroutine that changes a few times (Burckhardt et al., "A Randomized
// Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
//
// A schedule that fails is reduced to as few choices as still fail, and printed for replay.
// docs/proof.md has the properties that are checked, and the limits of this method.
package schedules
