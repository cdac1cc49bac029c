package report

import "slices"

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

// NewNoise returns the noise, from how long the same arithmetic took each time.
func NewNoise(took []float64) Noise {
	if len(took) == 0 {
		return Noise{}
	}
	t := slices.Sorted(slices.Values(took))
	n := Noise{Spread: t[len(t)*9/10]/t[len(t)/10] - 1}
	n.Noisy = n.Spread > tooNoisy
	return n
}
