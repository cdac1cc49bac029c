//go:build go1.25

package guard

import (
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// maxOutstanding is the most arrays that may be outstanding: each takes two mappings.
const maxOutstanding = 1 << 14

// recordCost is the memory for an outstanding array beside its slot: two mappings of the kernel, and the
// record and the stack that package check keeps.
const recordCost = 512 + 1024

// checksCost is the memory that package check takes for arrays whose checks have ended.
const checksCost = 1 << 20

// A State is the state of an array.
type State uint8

const (
	Unused State = iota // there was no array yet, or it is not known any more
	Out                 // Alloc has returned the array
	Late                // Free has made it inaccessible
	Kept                // Keep has left it to its users
)

// A slot has room for an array and an inaccessible page. The latest array ends where that page
// begins.
type slot struct {
	chunk *chunk
	index int32
	state State
	size  int // of the latest array
	owner any // of the latest array

	freed        uint64 // the number of frees before that of the latest array
	links[*slot]        // in late of the class
}

// A chunk is a part of the reserved address space. It has slots of a class, or is spare.
type chunk struct {
	*class // nil for a spare chunk
	start  uintptr
	memory []byte
	slots  []slot
	out    int    // arrays that are outstanding or kept
	since  uint64 // the number of frees when the chunk became quiet

	links[*chunk] // in quiet or spare of the arena
}

// end returns the offset of the inaccessible page in s, relative to its chunk.
func (s *slot) end() int { return (int(s.index)+1)*s.chunk.slotBytes() - pageSize }

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
func cost(size int) int64 { return int64(wholePages(size)) + recordCost }

func wholePages(size int) int { return (size + pageSize - 1) &^ (pageSize - 1) }

var pageSize = os.Getpagesize()

// arena is all guarded memory of the process. The lock is never held during an access to an array, so
// functions that recover from a fault may take it.
var arena arenaType

type arenaType struct {
	mu          sync.Mutex
	classes     map[int]*class // by pages
	chunks      []*chunk       // by address
	quiet       queue[*chunk]  // chunks whose arrays are all late, by since
	spare       queue[*chunk]
	space       int64 // bytes of all chunks
	arrays      int64 // bytes of outstanding and kept arrays
	books       int64 // bytes of slots and chunks
	limit       int64 // of arrays and books
	outstanding int
	frees       uint64
	displaced   []any // owners of late arrays that Find does not know any more; not returned yet

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

// used returns the bytes that count towards the limit.
func (a *arenaType) used() int64 { return a.arrays + a.books + checksCost }

// Usage returns the bytes that guarded memory takes, and their limit.
func Usage() (bytes, limit int64) {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	return arena.used(), arena.limit
}

// Alloc returns an array of the given size, with zeros, that belongs to owner. Its address is a multiple
// of the largest power of two that divides size, up to the size of a page. Alloc returns nil if
// the array does not fit below the limit, or if the system refuses.
//
// displaced are the owners of late arrays that Find does not know any more.
func Alloc(size int, owner any) (array []byte, displaced []any) {
	if !Available || size <= 0 {
		return nil, nil
	}
	a := &arena
	a.mu.Lock()
	s := a.take(size)
	displaced, a.displaced = a.displaced, nil
	if s == nil {
		a.mu.Unlock()
		return nil, displaced
	}
	if s.chunk.out++; s.chunk.out == 1 {
		a.quiet.remove(s.chunk)
	}
	s.size, s.state, s.owner = size, Out, owner
	a.arrays += cost(size)
	a.leave(1)
	pages, array := s.pages(), s.array()
	a.mu.Unlock()
	if open(pages) {
		return array, displaced
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.owner = nil
	a.retire(s)
	return nil, displaced
}

// take returns a slot for an array of the given size, which is in no list. It returns nil if there is
// none. The caller holds the lock.
func (a *arenaType) take(size int) *slot {
	for range 4 { // after SetLimit
		if a.books <= a.maxBooks() || !a.strip(math.MaxUint64) {
			break
		}
	}
	if a.outstanding >= maxOutstanding || int64(size) > a.limit {
		return nil
	}
	room := a.limit - a.used() - cost(size)
	if room < 0 {
		return nil
	}
	c := a.class(classPages(size))
	if len(c.fresh) > 0 || a.grow(c, room) {
		s := &c.fresh[0]
		c.fresh = c.fresh[1:]
		return s
	}
	s := c.late.first
	if s != nil {
		c.late.remove(s)
		a.displace(s)
	}
	return s
}

// displace forgets the late array of s.
func (a *arenaType) displace(s *slot) {
	if s.owner != nil {
		a.displaced = append(a.displaced, s.owner)
		s.owner = nil
	}
}

// Free makes the array at x inaccessible, and gives back its memory. From then on, the array belongs to
// owner. Free does nothing and returns false if no guarded array that is outstanding begins at x.
func Free(x *byte, owner any) bool {
	a := &arena
	a.mu.Lock()
	s := a.outAt(x)
	if s == nil {
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

// Keep leaves the array at x to its users for ever. It is not outstanding any more, but its memory counts
// towards the limit. Keep does nothing and returns false if no guarded array that is outstanding begins
// at x.
func Keep(x *byte) bool {
	arena.mu.Lock()
	defer arena.mu.Unlock()
	s := arena.outAt(x)
	if s == nil {
		return false
	}
	s.state = Kept
	arena.leave(-1)
	return true
}

// outAt returns the slot of the outstanding array that begins at x, or nil.
func (a *arenaType) outAt(x *byte) *slot {
	s := a.slot(uintptr(unsafe.Pointer(x)))
	if s == nil || s.state != Out || unsafe.SliceData(s.array()) != x {
		return nil
	}
	return s
}

// retire makes s the slot of its class to be reused last. The caller holds the lock.
func (a *arenaType) retire(s *slot) {
	s.state = Late
	s.freed = a.frees
	a.frees++
	a.arrays -= cost(s.size)
	a.leave(-1)
	s.chunk.late.add(s)
	if s.chunk.out--; s.chunk.out == 0 {
		s.chunk.since = s.freed
		a.quiet.add(s.chunk)
	}
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
		_, ok = arena.search(a) // a spare chunk
		return Area{}, ok
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
	i, found := a.search(at)
	if !found {
		return nil
	}
	c := a.chunks[i]
	if c.class == nil {
		return nil
	}
	return &c.slots[int(at-c.start)/c.slotBytes()]
}

// search returns the index of the chunk around address at, or of the next one.
func (a *arenaType) search(at uintptr) (i int, found bool) {
	return slices.BinarySearchFunc(a.chunks, at, func(c *chunk, at uintptr) int {
		switch {
		case c.start > at:
			return 1
		case at-c.start >= uintptr(len(c.memory)):
			return -1
		}
		return 0
	})
}
