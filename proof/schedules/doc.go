// Package schedules runs the engine, not a model of it, in a scheduler that chooses
// which goroutine takes the next step, and checks it in every schedule.
//
//	go test -tags basin_sched ./proof/schedules                    some 200,000 schedules
//	BASIN_TEST_SCHEDULES=100000 BASIN_TEST_PREEMPTIONS=2 go test -tags basin_sched ./proof/schedules
//	BASIN_TEST_REPLAY=12:1,31:0 go test -tags basin_sched ./proof/schedules -run 'Schedules/trim'
//
// A scenario is a small program for a few goroutines. Its schedules are explored in two
// ways: all that have at most so many preemptions, one after another (Musuvathi and Qadeer,
// "Iterative Context Bounding", PLDI 2007); and at random, with a priority for each
// goroutine that changes a few times (Burckhardt et al., "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
//
// A schedule that fails is printed with as few choices as it fails with, to be replayed.
// docs/proof.md says what is checked and what this cannot see.
package schedules
