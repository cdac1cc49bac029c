// Package ratio measures a module in compat beside its original, in one process.
package ratio

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Workload does something n times: the work of an original's benchmark, or its plain use.
type Workload struct {
	Name      string
	Ours, Old func(n int)
	Alone     bool // only on one goroutine
}

// Measure calls logf with the ratio of the module's time to that of its original: of the fastest of at least 60
// alternating rounds, after a warm-up, and of the median. It runs on one goroutine, and on one for each P.
func Measure(w Workload, logf func(format string, args ...any)) {
	for _, parallel := range []int{1, runtime.GOMAXPROCS(0)} {
		if parallel > 1 && w.Alone {
			continue
		}
		n := 1
		for ; spend(w.Old, n, 1) < 200*time.Microsecond; n *= 2 {
		}
		for _, f := range []func(int){w.Ours, w.Old} { // a P keeps slices of 2 MiB only after 32,768 requests
			for begin, round := time.Now(), 0; round < 32 || round < 320 && time.Since(begin) < time.Second; round++ {
				spend(f, n, parallel)
			}
		}
		var ours, old []time.Duration
		for begin, round := time.Now(), 0; round < 60 || round < 2000 && time.Since(begin) < time.Second; round++ {
			first := rand.IntN(2) == 0
			if first {
				ours = append(ours, spend(w.Ours, n, parallel))
			}
			old = append(old, spend(w.Old, n, parallel))
			if !first {
				ours = append(ours, spend(w.Ours, n, parallel))
			}
		}
		slices.Sort(ours)
		slices.Sort(old)
		middle := len(old) / 2
		logf("%-52s %d: %.2f %.2f  (%v, %d rounds)", w.Name, parallel, float64(ours[0])/float64(old[0]), float64(ours[middle])/float64(old[middle]), old[0]/time.Duration(n), len(old))
	}
}

// spend returns the time in which a number of goroutines do n operations each.
func spend(f func(n int), n, goroutines int) time.Duration {
	begin := time.Now()
	if goroutines == 1 {
		f(n)
		return time.Since(begin)
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { f(n) })
	}
	wg.Wait()
	return time.Since(begin)
}
