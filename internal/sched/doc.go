//go:build go1.25

// Package sched provides the parts of sync, sync/atomic, runtime and time that the engine uses, so
// that tests can choose the order of its goroutines' steps.
//
// In ordinary builds, these are the standard library's own types under other names, and functions
// that are inlined: the machine code is the same. With the build tag basin_sched, they are those of
// the scheduler in proof/sched.
//
// Touch it when the engine needs another operation of sync or runtime that schedules must control.
package sched
