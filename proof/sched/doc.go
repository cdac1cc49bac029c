//go:build go1.25

// Package sched is a scheduler for the steps of the engine: with the build tag basin_sched, each
// operation of the types below is a point at which a [Strategy] chooses the goroutine that goes on.
// It also provides Ps, pinned sections, stops of the world, garbage collections and time.
// internal/sched and internal/pin put it in the place of sync, sync/atomic, runtime and time. Only
// proof/schedules uses the tag; such a build is not safe for anything else.
package sched
