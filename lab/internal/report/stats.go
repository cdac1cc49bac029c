package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// confidence is the confidence of all intervals.
const confidence = 0.95

// An Estimate is the median of a sample, with an interval of 95 % confidence. It assumes no
// particular distribution.
type Estimate struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// String returns the estimate of a ratio and its interval.
func (e Estimate) String() string {
	return fmt.Sprintf("%s [%s %s]", ratioString(e.Median), ratioString(e.Lo), ratioString(e.Hi))
}

func estimate(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	var e Estimate
	sample := stats.Sample{Xs: slices.Sorted(slices.Values(values)), Sorted: true}
	e.Median, e.Lo, e.Hi = stats.QuantileCI(len(values), 0.5, confidence).SampleCI(sample)
	// With too few values the interval has infinite ends: use the extreme values instead.
	if math.IsInf(e.Lo, 0) {
		e.Lo = slices.Min(values)
	}
	if math.IsInf(e.Hi, 0) {
		e.Hi = slices.Max(values)
	}
	return e
}

// ratios returns the ratio of each value to the reference of the same round.
func ratios(values, reference []float64) []float64 {
	n := min(len(values), len(reference))
	r := make([]float64, n)
	for i := range r {
		r[i] = values[i] / reference[i]
	}
	return r
}

// differs returns the probability that two samples of the same distribution differ as much as
// these.
func differs(a, b []float64) (p float64) {
	u, err := stats.MannWhitneyUTest(a, b, stats.LocationDiffers)
	if err != nil { // all values are equal, or there are none
		return 1
	}
	return u.P
}
