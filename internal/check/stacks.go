//go:build go1.25

package check

import (
	"bytes"
	"hash/maphash"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/caller"
)

// maxDepth is the most callers that a stack records.
const maxDepth = 32

// callers is a call stack that has not been stored yet.
type callers struct {
	pcs [maxDepth]uintptr
	n   int
}

// here records the current stack, from the caller of here's caller on.
func (c *callers) here() { c.n = caller.Callers(3, c.pcs[:]) }

// copied returns a copy of the stack for a Finding.
func (c *callers) copied() []uintptr { return slices.Clone(c.pcs[:c.n]) }

// A stack is a call stack, in the form of runtime.Callers. Records share it: a tracker has one
// stack for all equal ones, as long as something refers to it.
type stack struct {
	pcs  []uintptr
	refs atomic.Int64
	key  uint64
	next *stack // with the same key
}

// calls returns the calls of s, or nil for nil.
func (s *stack) calls() []uintptr {
	if s == nil {
		return nil
	}
	return s.pcs
}

// costOf returns the cost of a stack in the budget.
func costOf(frames int) int64 { return stackCost + int64(frames)*frameCost }

// maxStackCost is the cost of the largest stack.
const maxStackCost = stackCost + maxDepth*frameCost

// stacks has all stacks of a tracker, by the hash of their calls. The budget pays for them.
type stacks struct {
	budget *budget

	mu   sync.RWMutex
	seed maphash.Seed
	all  map[uint64]*stack
}

func (s *stacks) init(l *budget) {
	s.budget = l
	s.seed = maphash.MakeSeed()
	s.all = make(map[uint64]*stack)
}

// retain returns the stack of c with a reference more. It returns nil if the budget has too little
// left for a new one.
func (s *stacks) retain(c *callers) *stack {
	pcs := c.pcs[:c.n]
	// The first c.n words of the array, as bytes.
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
	if !s.budget.take(costOf(c.n), 0) {
		return nil
	}
	made := &stack{pcs: slices.Clone(pcs), key: key, next: s.all[key]}
	made.refs.Store(1)
	s.all[key] = made
	return made
}

// find returns the stack of pcs with a reference more, or nil. The caller holds the lock.
func (s *stacks) find(key uint64, pcs []uintptr) *stack {
	for x := s.all[key]; x != nil; x = x.next {
		if slices.Equal(x.pcs, pcs) {
			x.refs.Add(1)
			return x
		}
	}
	return nil
}

// release drops a reference to x. The last one removes x and gives back its cost. x may be nil.
func (s *stacks) release(x *stack) {
	if x == nil || x.refs.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.refs.Load() > 0 { // find has added a reference meanwhile
		return
	}
	// Another release that took refs to zero may have removed x already.
	var before *stack
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
		s.budget.give(costOf(len(x.pcs)))
		return
	}
}

// Goroutines makes records note the goroutine that acquires. That takes about as long as the
// rest of a record, so it is for tests.
var Goroutines atomic.Bool

func recordedGoroutine() uint64 {
	if !Goroutines.Load() {
		return 0
	}
	return Goroutine()
}

// Goroutine returns the number of the calling goroutine, as stack traces show it, or 0 if they
// do not.
func Goroutine() uint64 {
	var b [64]byte
	text, _ := bytes.CutPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	n, _ := strconv.ParseUint(string(number), 10, 64)
	return n
}
