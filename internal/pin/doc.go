//go:build go1.25

// Package pin keeps a goroutine on its P.
//
// Only this package and internal/mem use functions that the Go runtime does not export. Between [Pin]
// and [Unpin], a goroutine can neither be preempted nor moved, so it is alone on its P: plain loads
// and stores suffice for data that belongs to the P. The world does not stop before Unpin. So a stop
// of the world is a grace period: objects that were unlinked before it are unreachable for every
// pinned section after it. [Quiesce] requests one.
//
// While pinned, a goroutine must not allocate, block, take a lock or call a function that might do
// so.
//
// The runtime promises to keep the functions used here, because packages older than this one depend
// on them: see go.dev/issue/67401. Some builds do not pin: those of other compilers, which lack
// these functions; -race, which would report pinned accesses; wasm, where a program has one
// thread anyway; and those with the build tag basin_portable. In these builds, Pin returns an ID
// for which no table has a row, so every caller takes its locked path. With the build tag
// basin_sched, the scheduler in proof/sched provides the Ps.
//
// Touch it when a version of Go changes these functions.
package pin
