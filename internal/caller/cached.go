//go:build go1.25

package caller

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Callers keeps the results of runtime.Callers, which takes half a microsecond, by the return addresses
// that it finds itself.
const (
	deepest = 40 // return addresses of a stack

	// MaxCached is the most memory, in bytes, of all results.
	MaxCached  = 112 << 10
	resultCost = 128 // bytes, besides eight for each call
)

var cache struct {
	sync.RWMutex
	results map[uint64][]uintptr // by a hash of the return addresses
	bytes   int
}

// root is the return address of the outermost function of all goroutines that Go has started.
var root atomic.Uintptr

// Callers is [runtime.Callers], for a dst of at most 32 calls.
//
//go:noinline
func Callers(skip int, dst []uintptr) int {
	if now.Load() == nil {
		if begin(); now.Load() == nil {
			return runtime.Callers(skip+1, dst)
		}
	}
	var frames [deepest]uintptr
	at := frames[:walk(&frames[0], len(frames))]
	if len(at) < deepest && !isRoot(at) { // C or assembly has hidden the rest
		return runtime.Callers(skip+1, dst)
	}
	key := hashOf(at) + uint64(skip)
	cache.RLock()
	calls := cache.results[key]
	cache.RUnlock()
	if calls != nil {
		return copy(dst, calls)
	}
	n := runtime.Callers(skip+1, dst)
	keep(key, dst[:n])
	return n
}

// Cached returns the memory of all results, in bytes.
func Cached() int64 {
	cache.RLock()
	defer cache.RUnlock()
	return int64(cache.bytes)
}

// isRoot reports whether the last of at is the outermost function of a goroutine.
func isRoot(at []uintptr) bool {
	if len(at) == 0 {
		return false
	}
	last := at[len(at)-1]
	if r := root.Load(); r != 0 {
		return last == r
	}
	if f := runtime.FuncForPC(last); f == nil || f.Name() != "runtime.goexit" {
		return false
	}
	root.Store(last)
	return true
}

// keep keeps a result. If there are too many, it forgets all others.
func keep(key uint64, calls []uintptr) {
	cost := resultCost + 8*len(calls)
	cache.Lock()
	defer cache.Unlock()
	if cache.results == nil || cache.bytes+cost > MaxCached {
		cache.results, cache.bytes = make(map[uint64][]uintptr), 0
	}
	if cache.results[key] == nil {
		cache.results[key] = append([]uintptr(nil), calls...)
		cache.bytes += cost
	}
}
