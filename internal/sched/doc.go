// Package sched is what the engine uses of sync, sync/atomic, runtime and time, so
// that the order in which its goroutines take steps can be chosen.
//
// In every ordinary build these are the standard library's own types under other
// names, and functions that are inlined away: the machine code is the same. With the
// build tag basin_sched each of their operations is a point at which a scheduler
// decides which goroutine goes on, and Ps, pinned sections, stops of the
// world, garbage collections and time are that scheduler's. Only proof/schedules is
// built with this tag: nothing else would be safe in such a build.
package sched
