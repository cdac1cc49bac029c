// Package pin keeps a goroutine on its P.
//
// It is the one place of basin that reaches into the Go runtime, for its clock too. Between [Pin]
// and [Unpin] a goroutine can neither be preempted nor moved, so it is alone
// on its P: data that belongs to the P may be read and written there with plain
// loads and stores, and no stop-the-world can begin until Unpin. That last
// property makes a stop-the-world a grace period: whatever was unlinked
// before it is out of reach of every pinned section after it. [Quiesce] asks for
// one.
//
// While pinned a goroutine must not allocate, block, take a lock or call
// anything that might.
//
// The runtime promises to keep the functions used here, because packages older
// than this one depend on them: see go.dev/issue/67401. Where they do not
// exist (other compilers), where they would hide accesses from the race detector
// (-race), where a program has one thread anyway (wasm), and with the build tag
// basin_portable, Pin reports an id that no table has a row for, and every
// caller takes its locked path. With the build tag basin_sched, Ps are those of the scheduler
// in internal/sched.
package pin
