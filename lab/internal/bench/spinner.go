package bench

import (
	"slices"
	"time"
)

// A spinner repeats the same arithmetic. Its time varies only if the processor is interrupted
// or slowed down.
type spinner struct {
	took []float64 // seconds, of the last spin before each round
	calm float64   // seconds that a spin takes while nothing else runs; zero if not known yet
	sink uint64
}

const (
	spins     = 200_000 // about a fifth of a millisecond
	calmSpins = 50
	mostSpins = 20
)

// calibrate finds the time of a spin while no subject runs.
func (s *spinner) calibrate() {
	took := make([]float64, calmSpins)
	for i := range took {
		took[i] = s.spin()
	}
	slices.Sort(took)
	s.calm = took[len(took)/10]
}

// settle spins until the subject that ran before leaves the processor alone: its garbage
// collection may go on after its round. On a machine that does not become quiet it gives up
// soon, and the run counts as noisy.
func (s *spinner) settle() {
	var took float64
	for range mostSpins {
		if took = s.spin(); took <= 1.05*s.calm {
			break
		}
	}
	s.took = append(s.took, took)
}

func (s *spinner) spin() (seconds float64) {
	x := s.sink | 1
	start := time.Now()
	for range spins {
		x = x*6364136223846793005 + 1442695040888963407
	}
	s.sink = x
	return time.Since(start).Seconds()
}
