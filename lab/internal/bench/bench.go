// Package bench measures basin side by side with today's alternatives: package subjects has the
// ways of getting memory, package work their workloads, and package report the output.
//
// Each subject runs each workload in its own process. The processes of a workload live side by
// side and are measured in turn, in many short rounds, in a new random order each time. So a
// slow moment of the machine affects all alike, and subjects do not share a heap, idle memory
// or garbage collections. A subject that panics or hangs affects only its own process.
package bench
