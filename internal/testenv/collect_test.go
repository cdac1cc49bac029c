//go:build go1.25

package testenv_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// TestLostCleanups: cleanups run, too, that stay with a P when GOMAXPROCS falls.
func TestLostCleanups(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const goroutines, objects = 8, 500
	for range 10 {
		runtime.GOMAXPROCS(8)
		var ran atomic.Int64
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				for range objects {
					runtime.AddCleanup(new([16]*int), func(ran *atomic.Int64) { ran.Add(1) }, &ran)
				}
			})
		}
		all.Wait()
		go runtime.GC()
		runtime.Gosched()
		runtime.GOMAXPROCS(1)
		testenv.RunCleanups()
		testenv.CollectUntil(func() bool { return ran.Load() == goroutines*objects })
	}
}
