// Package bench compares basin with libraries that the root module must not
// depend on. It works as the root module's bars_test.go does:
//
//	go -C bench test -run '^$' -bench Bars -benchtime 1x
package bench

import (
	"flag"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/valyala/bytebufferpool"
)

var (
	rounds    = flag.Int("bars.rounds", 40, "rounds of each subject in a comparison")
	roundTime = flag.Duration("bars.time", 3*time.Millisecond, "what a round of one subject should take")
)

// compare reports how long subject takes next to peer: ratio is the fastest
// round of the one over that of the other, median the middle of the ratios of
// the single rounds.
func compare(b *testing.B, subject, peer func(n int)) {
	b.Helper()
	run := func(f func(n int), n int) time.Duration {
		start := time.Now()
		f(n)
		return time.Since(start)
	}
	n := 1000
	for run(peer, n) < *roundTime {
		n *= 2
	}
	run(subject, n)
	var ours, theirs, ratios []float64
	for range *rounds {
		o, t := float64(run(subject, n)), float64(run(peer, n))
		ours, theirs, ratios = append(ours, o), append(theirs, t), append(ratios, o/t)
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op") // says nothing here
	b.ReportMetric(slices.Min(ours)/float64(n), "ours-ns")
	b.ReportMetric(slices.Min(theirs)/float64(n), "peer-ns")
	b.ReportMetric(slices.Min(ours)/slices.Min(theirs), "ratio")
	b.ReportMetric(ratios[len(ratios)/2], "median")
}

var lastWriter io.Writer

func BenchmarkBarsHandles(b *testing.B) {
	hundred := make([]byte, 100)
	b.Run("bytebufferpool", func(b *testing.B) {
		compare(b, func(n int) {
			for range n {
				h := basin.GetBuffer()
				h.Write(hundred)
				basin.PutBuffer(h)
			}
		}, func(n int) {
			for range n {
				h := bytebufferpool.Get()
				h.Write(hundred)
				bytebufferpool.Put(h)
			}
		})
	})
	b.Run("bytebufferpool, as io.Writer", func(b *testing.B) {
		compare(b, func(n int) {
			for range n {
				h := basin.GetBuffer()
				lastWriter = h
				lastWriter.Write(hundred)
				basin.PutBuffer(h)
			}
		}, func(n int) {
			for range n {
				h := bytebufferpool.Get()
				lastWriter = h
				lastWriter.Write(hundred)
				bytebufferpool.Put(h)
			}
		})
	})
}
