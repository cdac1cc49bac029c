//go:build go1.25 && !basin_sched

package sched

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/memlimit"
)

type (
	Mutex          = sync.Mutex
	Once           = sync.Once
	Bool           = atomic.Bool
	Int64          = atomic.Int64
	Uint32         = atomic.Uint32
	Uint64         = atomic.Uint64
	Uintptr        = atomic.Uintptr
	Pointer[T any] = atomic.Pointer[T]
)

// GOMAXPROCS is runtime.GOMAXPROCS.
func GOMAXPROCS(n int) int { return runtime.GOMAXPROCS(n) }

// Gosched is runtime.Gosched. Only mutants of the engine call it.
func Gosched() { runtime.Gosched() }

// MemoryLimit reads the memory limit of the program again and returns it.
func MemoryLimit() int64 { return memlimit.Refresh().Bytes }

// Go starts a goroutine that calls f.
func Go(f func()) { go f() }

// SetFinalizer is runtime.SetFinalizer.
func SetFinalizer[T any](x *T, f func(*T)) { runtime.SetFinalizer(x, f) }

// AddCleanup is runtime.AddCleanup.
func AddCleanup[T, S any](x *T, f func(S), arg S) { runtime.AddCleanup(x, f, arg) }

// count holds the metric that Completed reads.
var count = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}

// Completed returns the number of completed garbage collections. It must not be called
// concurrently.
func Completed() uint64 {
	metrics.Read(count)
	return count[0].Value.Uint64()
}
