package basin_test

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
)

// The benchmarks in this file compare. Each measures its subjects in turn, in
// many short rounds, so that whatever slows the machine down hits all alike,
// and reports ratios:
//
//	go test -run '^$' -bench Bars -benchtime 1x
//
// ratio is the fastest round of basin over the fastest of its peer, and what
// the bar is about; median is the middle of the ratios of the single rounds.

var (
	rounds    = flag.Int("bars.rounds", 40, "rounds of each subject in a comparison")
	roundTime = flag.Duration("bars.time", 3*time.Millisecond, "what a round of one subject should take")
)

// A subject runs n operations on the given worker.
type subject func(worker, n int)

// compare reports how long subject takes next to peer, with the given number of
// goroutines.
func compare(b *testing.B, workers int, subject, peer subject) {
	b.Helper()
	run := func(s func(worker, n int), n int) time.Duration {
		if workers == 1 {
			start := time.Now()
			s(0, n)
			return time.Since(start)
		}
		var ready, done sync.WaitGroup
		begin := make(chan struct{})
		for w := range workers {
			ready.Add(1)
			done.Add(1)
			go func() {
				defer done.Done()
				ready.Done()
				<-begin
				s(w, n)
			}()
		}
		ready.Wait()
		start := time.Now()
		close(begin)
		done.Wait()
		return time.Since(start)
	}
	// As many operations as take the peer a round.
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

// rawPool is what a careful user of sync.Pool writes for buffers of one size:
// no allocation, no size, no statistics.
func rawPool(size int) *sync.Pool {
	return &sync.Pool{New: func() any { return unsafe.SliceData(make([]byte, size)) }}
}

func BenchmarkBars(b *testing.B) {
	procs := runtime.GOMAXPROCS(0)
	perP := []struct {
		name    string
		workers int
	}{{"one goroutine", 1}, {"one per P", procs}}

	for _, w := range perP {
		b.Run("GetPut 4096/"+w.name, func(b *testing.B) {
			p := basin.NewBytePool(basin.Config{})
			raw := rawPool(4096)
			compare(b, w.workers, func(_, n int) {
				for range n {
					p.Put(p.Get(4096))
				}
			}, func(_, n int) {
				for range n {
					raw.Put(raw.Get().(*byte))
				}
			})
		})
		b.Run("GetPut 4096, default pool/"+w.name, func(b *testing.B) {
			raw := rawPool(4096)
			compare(b, w.workers, func(_, n int) {
				for range n {
					basin.Put(basin.Get(4096))
				}
			}, func(_, n int) {
				for range n {
					raw.Put(raw.Get().(*byte))
				}
			})
		})
	}

	for _, draw := range []struct {
		name string
		size func(r *rand.Rand) int
	}{
		{"uniform", func(r *rand.Rand) int { return 1 + r.IntN(1<<20) }},
		{"log-uniform", func(r *rand.Rand) int { return 1 + r.IntN(1<<r.IntN(21)) }},
	} {
		for _, w := range perP {
			b.Run("GetPut 1 to 1Mi, "+draw.name+"/"+w.name, func(b *testing.B) {
				p := basin.NewBytePool(basin.Config{})
				raw := rawPool(1 << 20)
				sizes := make([]int, 4096)
				r := rand.New(rand.NewPCG(1, 2))
				for i := range sizes {
					sizes[i] = draw.size(r)
				}
				compare(b, w.workers, func(_, n int) {
					for i := range n {
						p.Put(p.Get(sizes[i%len(sizes)]))
					}
				}, func(_, n int) {
					for i := range n {
						size := sizes[i%len(sizes)]
						x := raw.Get().(*byte)
						lastSize = size
						raw.Put(x)
					}
				})
			})
		}
	}
}

var lastSize int

// BenchmarkBarsHandOver gets on one goroutine and puts on another, with 64 in
// flight.
func BenchmarkBarsHandOver(b *testing.B) {
	handOver := func(get func() []byte, put func([]byte)) subject {
		return func(_, n int) {
			c := make(chan []byte, 64)
			done := make(chan struct{})
			go func() {
				for b := range c {
					put(b)
				}
				close(done)
			}()
			for range n {
				c <- get()
			}
			close(c)
			<-done
		}
	}
	p := basin.NewBytePool(basin.Config{})
	raw := rawPool(4096)
	ours := handOver(func() []byte { return p.Get(4096) }, p.Put)
	theirs := handOver(
		func() []byte { return unsafe.Slice(raw.Get().(*byte), 4096) },
		func(b []byte) { raw.Put(unsafe.SliceData(b)) })
	ours(0, 10000)
	before := p.Stats()
	compare(b, 1, ours, theirs)
	after := p.Stats()
	b.ReportMetric(float64(after.Misses-before.Misses)/float64(after.Gets-before.Gets), "misses/get")
}

// BenchmarkBarsCollecting is Get and Put while the collector runs all the time,
// so that every pointer that is stored costs a write barrier.
func BenchmarkBarsCollecting(b *testing.B) {
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	defer collector.Wait()
	defer close(stop)
	p := basin.NewBytePool(basin.Config{})
	raw := rawPool(4096)
	compare(b, 1, func(_, n int) {
		for range n {
			p.Put(p.Get(4096))
		}
	}, func(_, n int) {
		for range n {
			raw.Put(raw.Get().(*byte))
		}
	})
}
