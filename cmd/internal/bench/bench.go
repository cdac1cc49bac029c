// Package bench measures basin side by side with what people use today.
//
// A [Subject] is one way of getting memory: basin, the allocator, somebody's
// module, or a technique that is written fresh here. A [Workload] is one kind of
// use. All subjects of a workload are called through the same interfaces, so that
// the cost around them is equal; what each of them does is in its subject_*.go
// file, what is done to all of them in a work_*.go file.
//
// Each subject runs each workload in a process of its own. All of them stay up
// for the workload and are measured in turn, in many short rounds, in a new random
// order each time: whatever slows the machine down hits all alike, and no subject's
// heap, idle memory or garbage collections meet another's. A subject that
// panics or hangs takes only its process with it.
package bench
