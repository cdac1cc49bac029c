//go:build go1.25 && basin_sched

package sched

import "github.com/basin-go/basin/proof/sched"

type (
	Mutex          = sched.Mutex
	Once           = sched.Once
	Bool           = sched.Bool
	Int64          = sched.Int64
	Uint32         = sched.Uint32
	Uint64         = sched.Uint64
	Uintptr        = sched.Uintptr
	Pointer[T any] = sched.Pointer[T]
)

func GOMAXPROCS(n int) int { return sched.GOMAXPROCS(n) }
func Gosched()             { sched.Gosched() }
func MemoryLimit() int64   { return sched.MemoryLimit() }
func Completed() uint64    { return sched.Completed() }

// Go calls f at once: schedules know no goroutines that begin later.
func Go(f func()) { f() }

func SetFinalizer[T any](x *T, f func(*T))        { sched.SetFinalizer(x, f) }
func AddCleanup[T, S any](x *T, f func(S), arg S) { sched.AddCleanup(x, f, arg) }
