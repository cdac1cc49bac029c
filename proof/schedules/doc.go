//go:build go1.25

// Package schedules runs the engine itself, not a model of it, in a scheduler that chooses
// which goroutine takes the next step. It checks the engine in every schedule.
//
//	go test -tags basin_sched ./proof/schedules                    some 270,000 schedules
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
// docs/proof.md has the limits of this method.
//
// # Properties
//
//   - Whoever gets an item is its only owner. The item is of the class asked for, and was put before.
//   - An item that was put once is never called a double. A double Put is found if no other
//     operation can have come between.
//   - Whenever another thread goes on, idle items are paid for, and at most MaxIdle is paid for.
//   - An item that reclaim releases was not used for a quarter of an IdleTime. An evicted item was
//     not used since its depot's window began.
//   - After Trim, no item is idle that was idle before and was not touched since.
//   - A P that came through the slow path of a class that may have more slots has a row in the
//     table. The table has no rows before a class is busy.
//   - The world stops between the end of a round and the beginning of the next, and rounds do not
//     overlap. Two collections begin a round although finalizers or cleanups are blocked, and with
//     both blocked, a Put does.
//   - Statistics never have more Puts than Gets. No figure but Idle falls. The idle items of one
//     AllStats cost at most MaxIdle.
//   - Nobody takes a lock or waits while pinned. Some thread can always go on.
//   - At the end, every item is in one place or released. The budgets are exactly the cost of items
//     and slots, no slot holds on to anything, and the statistics are right. Trim empties everything.
package schedules
