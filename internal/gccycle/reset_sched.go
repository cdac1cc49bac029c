//go:build go1.25 && basin_sched

package gccycle

import "github.com/basin-go/basin/internal/sched"

// Reset removes all hooks, rounds and sentinels.
func Reset() {
	mu = sched.Mutex{}
	hooks, later, running, short, limit = nil, nil, false, false, 0
	rounds, cycles = 0, 0
	triggers = [numTriggers]trigger{}
	ended, poll, suspended, released = sched.Int64{}, sched.Int64{}, sched.Int64{}, sched.Int64{}
}

// Rounds returns the number of rounds that have ended, and whether one is running.
func Rounds() (ended uint64, under bool) { return rounds, running }
