//go:build !basin_sched

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

// Gosched is runtime.Gosched. The engine does not call it, but some mutants of it do.
func Gosched() { runtime.Gosched() }

// MemoryLimit returns how much memory the program may use, read anew.
func MemoryLimit() int64 { return memlimit.Refresh().Bytes }

// SetFinalizer is runtime.SetFinalizer.
func SetFinalizer[T any](x *T, f func(*T)) { runtime.SetFinalizer(x, f) }

// AddCleanup is runtime.AddCleanup.
func AddCleanup[T, S any](x *T, f func(S), arg S) { runtime.AddCleanup(x, f, arg) }

// count holds what Completed reads.
var count = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}

// Completed returns how many garbage collections have been completed. Two must not call it
// at a time.
func Completed() uint64 {
	metrics.Read(count)
	return count[0].Value.Uint64()
}
