package check

import (
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// maxDepth is how many callers are recorded.
const maxDepth = 32

// callers are a call stack that has not been stored yet.
type callers struct {
	pcs [maxDepth]uintptr
	n   int
}

// here fills in the present stack, from the caller of this package's caller on
// or a little further in.
func (c *callers) here() { c.n = runtime.Callers(3, c.pcs[:]) }

// copied returns the stack for a Finding.
func (c *callers) copied() []uintptr { return slices.Clone(c.pcs[:c.n]) }

// A Stack is a call stack, as runtime.Callers gives it, that records share. A
// tracker has one for all that are equal, for as long as a record has it.
type Stack struct {
	PCs  []uintptr
	refs atomic.Int64
	key  uint64
	next *Stack // with the same key
}

func (s *Stack) cost() int64 { return costOf(len(s.PCs)) }

func costOf(frames int) int64 { return stackCost + int64(frames)*frameCost }

// maxStackCost is the cost of the largest stack.
const maxStackCost = stackCost + maxDepth*frameCost

// stacks are all Stacks of a tracker.
type stacks struct {
	mu   sync.RWMutex
	seed maphash.Seed
	all  map[uint64]*Stack
}

func (s *stacks) init() {
	s.seed = maphash.MakeSeed()
	s.all = make(map[uint64]*Stack)
}

// get returns the Stack of c, for one record more. It pays for a new one from l,
// or returns nil if it cannot.
func (s *stacks) get(c *callers, l *ledger) *Stack {
	pcs := c.pcs[:c.n]
	// The bytes of the array of pcs: as many as it has words, times their size.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&c.pcs)), c.n*int(unsafe.Sizeof(c.pcs[0])))
	key := maphash.Bytes(s.seed, bytes)
	s.mu.RLock()
	known := s.find(key, pcs)
	s.mu.RUnlock()
	if known != nil {
		return known
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.find(key, pcs); known != nil {
		return known
	}
	if !l.take(costOf(c.n), 0) {
		return nil
	}
	made := &Stack{PCs: slices.Clone(pcs), key: key, next: s.all[key]}
	made.refs.Store(1)
	s.all[key] = made
	return made
}

// find returns the Stack of pcs if there is one, for one record more. The caller
// holds the lock.
func (s *stacks) find(key uint64, pcs []uintptr) *Stack {
	for x := s.all[key]; x != nil; x = x.next {
		if slices.Equal(x.PCs, pcs) {
			x.refs.Add(1)
			return x
		}
	}
	return nil
}

// put says that a record has x no more. Without records it goes, and l gets
// back its cost. It may be nil.
func (s *stacks) put(x *Stack, l *ledger) {
	if x == nil || x.refs.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.refs.Load() > 0 { // found again since
		return
	}
	// Another that has taken refs to zero may have been here first.
	var before *Stack
	for y := s.all[x.key]; y != nil; before, y = y, y.next {
		if y != x {
			continue
		}
		switch {
		case before != nil:
			before.next = x.next
		case x.next != nil:
			s.all[x.key] = x.next
		default:
			delete(s.all, x.key)
		}
		l.give(x.cost())
		return
	}
}
