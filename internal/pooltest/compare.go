//go:build go1.25

package pooltest

import (
	"os"
	"runtime"
	"slices"
	"testing"
)

const rounds = 31

// Compare reports the processor time and the allocated bytes of ours for n operations, divided by
// those of theirs. Rounds of the two alternate in one process, so that other load on the machine
// affects both. Each round starts after a collection and a tenth of the operations. So it pays for
// its own garbage, and a sync.Pool is not empty.
//
// With BASIN_TEST_ALONE=ours or theirs, Compare runs only that one of the two, b.N times, to compare
// processes: in one process, each of the two also bears the effects of the other one's garbage.
func Compare(b *testing.B, n int, theirs, ours func(n int)) {
	switch os.Getenv("BASIN_TEST_ALONE") {
	case "ours":
		ours(b.N)
		return
	case "theirs":
		theirs(b.N)
		return
	}
	subjects := [2]func(int){theirs, ours}
	var times, sizes [2][]float64
	var ratios []float64
	b.ResetTimer()
	for range b.N {
		for r := range rounds {
			var took [2]float64
			for i := range subjects {
				i = (i + r) % 2
				runtime.GC()
				subjects[i](n/10 + 1)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				begin := cpu()
				subjects[i](n)
				took[i] = float64(cpu()-begin) / float64(n)
				runtime.ReadMemStats(&after)
				times[i] = append(times[i], took[i])
				sizes[i] = append(sizes[i], float64(after.TotalAlloc-before.TotalAlloc)/float64(n))
			}
			ratios = append(ratios, took[1]/took[0])
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(slices.Min(times[1])/slices.Min(times[0]), "cpu-min-ratio")
	b.ReportMetric(ratios[len(ratios)/2], "cpu-median-ratio")
	b.ReportMetric(slices.Min(times[1]), "cpu-ns/op")
	b.ReportMetric(slices.Min(times[0]), "their-cpu-ns/op")
	b.ReportMetric(median(sizes[1]), "new-B/op")
	b.ReportMetric(median(sizes[0]), "their-new-B/op")
	b.ReportMetric(0, "ns/op") // it covers all rounds of both and means nothing
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
