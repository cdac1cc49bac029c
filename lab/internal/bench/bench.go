// Package bench measures basin side by side with what people use today: the ways of getting memory that
// package subjects has, with what package work does to them, for package report to say.
//
// Each subject runs each workload in a process of its own. All of them stay up
// for the workload and are measured in turn, in many short rounds, in a new random
// order each time: whatever slows the machine down hits all alike, and no subject's
// heap, idle memory or garbage collections meet another's. A subject that
// panics or hangs takes only its process with it.
package bench
