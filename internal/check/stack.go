package check

import (
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// A Stack is a call stack, as runtime.Callers gives it. There is one Stack for all that
// are equal, and it stays: programs have only so many.
type Stack struct{ PCs []uintptr }

// maxDepth is how many callers are recorded.
const maxDepth = 32

var stacks = struct {
	mu   sync.RWMutex
	seed maphash.Seed
	all  map[uint64][]*Stack // by hash
}{seed: maphash.MakeSeed(), all: make(map[uint64][]*Stack)}

// Caller returns the present stack, from the caller of this package's caller on
// or a little further in.
func Caller() *Stack {
	var buf [maxDepth]uintptr
	pcs := buf[:runtime.Callers(3, buf[:])]
	// The bytes of the array of pcs: as many as it has words, times their size.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&buf)), len(pcs)*int(unsafe.Sizeof(buf[0])))
	key := maphash.Bytes(stacks.seed, bytes)
	stacks.mu.RLock()
	s := find(key, pcs)
	stacks.mu.RUnlock()
	if s != nil {
		return s
	}
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if s := find(key, pcs); s != nil {
		return s
	}
	s = &Stack{PCs: slices.Clone(pcs)}
	stacks.all[key] = append(stacks.all[key], s)
	return s
}

// find returns the Stack of pcs if there is one. The caller holds the lock.
func find(key uint64, pcs []uintptr) *Stack {
	for _, s := range stacks.all[key] {
		if slices.Equal(s.PCs, pcs) {
			return s
		}
	}
	return nil
}
