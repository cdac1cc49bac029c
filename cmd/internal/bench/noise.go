package bench

import (
	"slices"
	"time"
)

// A spinner runs the same arithmetic again and again. It takes the same time each time,
// unless something takes the processor away or slows it down.
type spinner struct {
	took []float64 // seconds
	sink uint64
}

const spins = 200_000 // about a tenth of a millisecond

func (s *spinner) spin() {
	x := s.sink | 1
	start := time.Now()
	for range spins {
		x = x*6364136223846793005 + 1442695040888963407
	}
	s.took = append(s.took, time.Since(start).Seconds())
	s.sink = x
}

// Noise says how far the machine could be relied on.
type Noise struct {
	// Spread is how much longer the same arithmetic took at the 90th percentile
	// than at the 10th, throughout the run: 0.1 is 10 %.
	Spread float64 `json:"spread"`
	Noisy  bool    `json:"noisy"`
}

// tooNoisy is from when on medians say little. Minima of interleaved rounds bear
// more.
const tooNoisy = 0.25

func (s *spinner) noise() Noise {
	if len(s.took) == 0 {
		return Noise{}
	}
	t := slices.Sorted(slices.Values(s.took))
	n := Noise{Spread: t[len(t)*9/10]/t[len(t)/10] - 1}
	n.Noisy = n.Spread > tooNoisy
	return n
}
