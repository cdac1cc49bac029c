// Package bench compares basin with what is not in the standard library. It is a
// module of its own so that basin depends on none of it.
//
//	go test -run '^$' -bench . -benchtime 1x
package bench

import (
	"flag"
	"slices"
	"testing"
	"time"
)

var (
	rounds    = flag.Int("bars.rounds", 40, "rounds of each subject in a comparison")
	roundTime = flag.Duration("bars.time", 3*time.Millisecond, "what a round of one subject should take")
)

// compare reports how long subject takes next to peer: both in turn, in many short
// rounds, as bars_test.go of the module above does.
func compare(b *testing.B, subject, peer func(n int)) {
	run := func(s func(n int), n int) float64 {
		start := time.Now()
		s(n)
		return float64(time.Since(start))
	}
	n := 1000
	for run(peer, n) < float64(*roundTime) {
		n *= 2
	}
	run(subject, n)
	var ours, theirs, ratios []float64
	for range *rounds {
		o, t := run(subject, n), run(peer, n)
		ours, theirs, ratios = append(ours, o), append(theirs, t), append(ratios, o/t)
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op") // says nothing here
	b.ReportMetric(slices.Min(ours)/float64(n), "ours-ns")
	b.ReportMetric(slices.Min(theirs)/float64(n), "peer-ns")
	b.ReportMetric(slices.Min(ours)/slices.Min(theirs), "ratio")
	b.ReportMetric(ratios[len(ratios)/2], "median")
}
