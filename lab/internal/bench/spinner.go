package bench

import "time"

// A spinner repeats the same arithmetic. Its time varies only if the processor is interrupted
// or slowed down.
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
