//go:build go1.25

package guard

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// maxOutstanding is the most arrays that may be outstanding: each takes two mappings.
const maxOutstanding = 1 << 14

// mappingCost is the memory of the kernel for the two mappings of an outstanding array.
const mappingCost = 512

// A State is the state of an array.
type State uint8

const (
	Unused State = iota // there was no array yet
	Out                 // Alloc has returned the array
	Late                // Free has made it inaccessible
)

// A slot has room for an array and an inaccessible page. The latest array ends where that page
// begins.
type slot struct {
	chunk *chunk
	index int
	size  int // of the latest array
	state State
	owner any   // of the latest array
	next  *slot // freed after this one, in the same class
}

// A chunk is the reserved address space of some slots of a class.
type chunk struct {
	*class
	start  uintptr
	memory []byte
	slots  []slot
}

// end returns the offset of the inaccessible page in s, relative to its chunk.
func (s *slot) end() int { return (s.index+1)*s.chunk.slotBytes() - pageSize }

// pages returns the accessible pages of s while its array is outstanding.
func (s *slot) pages() []byte {
	end := s.end()
	return s.chunk.memory[end-wholePages(s.size) : end]
}

// array returns the array of s.
func (s *slot) array() []byte {
	end := s.end()
	return s.chunk.memory[end-s.size : end : end]
}

// cost is the part of the limit that an outstanding array of the given size takes.
func cost(size int) int64 { return int64(wholePages(size)) + mappingCost }

func wholePages(size int) int { return (size + pageSize - 1) &^ (pageSize - 1) }

var pageSize = os.Getpagesize()

// arena is all guarded memory of the process. The lock is never held during an access to an array, so
// functions that recover from a fault may take it.
var arena arenaType

type arenaType struct {
	mu          sync.Mutex
	classes     map[int]*class // by pages
	chunks      []*chunk       // by address
	space       int64          // bytes of all chunks
	used        int64          // of limit
	limit       int64
	outstanding int

	on      atomic.Bool    // whether there has been a limit
	some    atomic.Bool    // whether arrays are outstanding
	lo, end atomic.Uintptr // all chunks are in between
}

// Near reports whether address a may be in guarded memory. It takes a nanosecond.
func Near(a uintptr) bool { return a < arena.end.Load() && a >= arena.lo.Load() }

// Outstanding reports whether an array is outstanding.
func Outstanding() bool { return arena.some.Load() }

// Count returns the number of outstanding arrays.
func Count() int {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	return arena.outstanding
}

// leave counts arrays that become outstanding, or n below zero that are no longer. The caller holds the
// lock.
func (a *arenaType) leave(n int) {
	a.outstanding += n
	a.some.Store(a.outstanding > 0)
}

// On reports whether there may be a guarded array in this process.
func On() bool { return arena.on.Load() }

// SetLimit sets the most bytes that guarded memory may take from now on. If it takes more already, Alloc
// returns nil until enough has been freed. The first limit switches guarded memory on for good.
func SetLimit(bytes int64) {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	arena.limit = bytes
	arena.on.Store(true)
}

// Usage returns the bytes that guarded memory takes, and their limit.
func Usage() (bytes, limit int64) {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	return arena.used, arena.limit
}

// Alloc returns an array of the given size, with zeros, that belongs to owner. Its address is a multiple
// of the largest power of two that divides size, up to the size of a page. Alloc returns nil if
// the array does not fit below the limit, or if the kernel refuses.
//
// before is the owner of a late array at these addresses, or nil. Find does not know that array any more.
func Alloc(size int, owner any) (array []byte, before any) {
	if !Available || size <= 0 {
		return nil, nil
	}
	a := &arena
	a.mu.Lock()
	s := a.take(size)
	if s == nil {
		a.mu.Unlock()
		return nil, nil
	}
	before = s.owner
	s.size, s.state, s.owner = size, Out, owner
	a.used += cost(size)
	a.leave(1)
	pages, array := s.pages(), s.array()
	a.mu.Unlock()
	if open(pages) {
		return array, before
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.owner = nil
	a.retire(s)
	return nil, before
}

// take returns a slot for an array of the given size, which is in no list. It returns nil if there is
// none. The caller holds the lock.
func (a *arenaType) take(size int) *slot {
	if a.outstanding >= maxOutstanding || int64(size) > a.limit {
		return nil
	}
	room := a.limit - a.used - cost(size)
	if room < 0 {
		return nil
	}
	c := a.class(classPages(size))
	if len(c.fresh) == 0 && !a.grow(c, room/16) {
		return c.oldest()
	}
	s := &c.fresh[0]
	c.fresh = c.fresh[1:]
	return s
}

// Free makes the array at x inaccessible, and gives back its memory. From then on, the array belongs to
// owner. Free does nothing and returns false if no guarded array that is outstanding begins at x.
func Free(x *byte, owner any) bool {
	a := &arena
	a.mu.Lock()
	s := a.slot(uintptr(unsafe.Pointer(x)))
	if s == nil || s.state != Out || unsafe.SliceData(s.array()) != x {
		a.mu.Unlock()
		return false
	}
	s.state, s.owner = Late, owner
	pages := s.pages()
	a.mu.Unlock()
	shut(pages)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retire(s)
	return true
}

// retire makes s the slot of its class to be reused last. The caller holds the lock.
func (a *arenaType) retire(s *slot) {
	s.state = Late
	a.used -= cost(s.size)
	a.leave(-1)
	s.chunk.retire(s)
}

// An Area is the latest array in a slot. Accesses that fault may have meant an earlier one.
type Area struct {
	Start uintptr
	Size  int
	State State
	Owner any
}

// Find returns the array at address a, or the latest array that had the pages around a: the inaccessible
// page behind an array belongs to it. It reports false if a is no address of guarded memory.
func Find(a uintptr) (found Area, ok bool) {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	s := arena.slot(a)
	if s == nil {
		return Area{}, false
	}
	return Area{s.chunk.start + uintptr(s.end()-s.size), s.size, s.state, s.owner}, true
}

// Exchange makes owner the owner of the array that begins at start, if it belongs to before.
func Exchange(start uintptr, before, owner any) {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	if s := arena.slot(start); s != nil && s.owner == before {
		s.owner = owner
	}
}

// slot returns the slot around address at, or nil. The caller holds the lock.
func (a *arenaType) slot(at uintptr) *slot {
	i, found := slices.BinarySearchFunc(a.chunks, at, func(c *chunk, at uintptr) int {
		switch {
		case c.start > at:
			return 1
		case at-c.start >= uintptr(len(c.memory)):
			return -1
		}
		return 0
	})
	if !found {
		return nil
	}
	c := a.chunks[i]
	return &c.slots[int(at-c.start)/c.slotBytes()]
}
