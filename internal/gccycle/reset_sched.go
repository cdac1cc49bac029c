//go:build basin_sched

package gccycle

import "github.com/basin-go/basin/internal/sched"

// Reset forgets all hooks, rounds and sentinels.
func Reset() {
	mu = sched.Mutex{}
	hooks, later, running = nil, nil, false
	rounds, cycles = 0, 0
	by = [triggers]trigger{}
	ended, poll, patient = sched.Int64{}, sched.Int64{}, sched.Int64{}
}

// Rounds returns how many rounds have ended, and whether one is under way.
func Rounds() (ended uint64, under bool) { return rounds, running }
