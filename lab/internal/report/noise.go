package report

import "slices"

// Noise measures the reliability of the machine.
type Noise struct {
	// Spread compares the times of the same arithmetic before each round, after a wait of a few
	// milliseconds at most for the subject that ran before: the 90th percentile exceeds the 10th
	// by this share. 0.1 is 10 %.
	Spread float64 `json:"spread"`
	Noisy  bool    `json:"noisy"`
}

// tooNoisy is the Spread from which a run does not allow conclusions.
const tooNoisy = 0.10

// NewNoise returns the noise for the given times of the same arithmetic.
func NewNoise(took []float64) Noise {
	if len(took) == 0 {
		return Noise{}
	}
	t := slices.Sorted(slices.Values(took))
	n := Noise{Spread: t[len(t)*9/10]/t[len(t)/10] - 1}
	n.Noisy = n.Spread > tooNoisy
	return n
}
