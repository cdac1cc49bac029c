//go:build go1.25

// Package sched provides the parts of sync, sync/atomic, runtime and time that the engine uses, so
// that tests can choose the order of its goroutines' steps.
//
// In ordinary builds, these are the standard library's own types under other names, and functions
// that are inlined: the machine code is the same. With the build tag basin_sched, each operation is
// a point at which a scheduler chooses the goroutine that goes on. The scheduler also provides Ps,
// pinned sections, stops of the world, garbage collections and time. Only proof/schedules uses this
// tag; such a build is not safe for anything else.
//
// Touch it when the engine needs another operation of sync or runtime that schedules must control.
package sched
