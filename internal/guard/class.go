//go:build go1.25

package guard

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// A class has the slots for arrays of up to some number of pages.
type class struct {
	pages int
	fresh []slot       // of the latest chunk; not used yet
	late  queue[*slot] // by the time of Free
}

// Address space is reserved in chunks, and reaches maxSpace, or a sixteenth of what the process may have. So a
// process with little of it, by ulimit -v, keeps the rest for Go's heap. A chunk has chunkSpace, at most
// chunkSlots slots, and at least one slot.
const (
	chunkSpace = 2<<20*on64 + 256<<10*(1-on64)
	chunkSlots = 256
	maxSpace   = 16<<30*on64 + 256<<20*(1-on64)
	spaceShare = 16

	on64 = int64(^uint(0) >> 63)
)

// Slots and chunks take at most an eighth of the limit, unless more arrays are outstanding. slotCost is the
// memory of a slot, and of the Owner of package check that a late array may be the last to refer to. The
// kernel frees page tables together with the pages.
const (
	booksShare = 8
	slotCost   = int64(unsafe.Sizeof(slot{})) + 384
	chunkCost  = int64(unsafe.Sizeof(chunk{})) + 64
)

// classPages returns the number of pages for an array of the given size: a power of two, or one of three
// steps between two powers.
func classPages(size int) int {
	n := wholePages(size) / pageSize
	step := 1 << max(bits.Len(uint(n-1))-3, 0)
	return (n + step - 1) &^ (step - 1)
}

func (c *class) slotBytes() int { return (c.pages + 1) * pageSize }

// class returns the class of the given number of pages. The caller holds the lock.
func (a *arenaType) class(pages int) *class {
	c := a.classes[pages]
	if c == nil {
		if a.classes == nil {
			a.classes = make(map[int]*class)
		}
		c = &class{pages: pages}
		a.classes[pages] = c
	}
	return c
}

// maxBooks is the most bytes for slots and chunks.
func (a *arenaType) maxBooks() int64 { return a.limit / booksShare }

// grow gives c fresh slots, if it finds memory and address space for them. It takes both from chunks that
// have been quiet since before the oldest late array of c. It may use room bytes beyond maxBooks if c has no
// late array. The caller holds the lock.
func (a *arenaType) grow(c *class, room int64) bool {
	before := uint64(math.MaxUint64)
	if s := c.late.first; s != nil {
		before, room = s.freed, 0
	}
	bytes := c.slotBytes()
	n := min(max(int(chunkSpace)/bytes, 1), chunkSlots)
	for a.books+int64(n)*slotCost+chunkCost > a.maxBooks() && a.strip(before) {
	}
	room = max(room, a.maxBooks()-a.books) - chunkCost
	if n = int(min(int64(n), room/slotCost)); n <= 0 {
		return false
	}
	for {
		if s := a.fitting(bytes); s != nil {
			a.divide(s, c, min(n, len(s.memory)/bytes))
			return true
		}
		if !a.reserve(int64(n)*int64(bytes)) && !a.strip(before) {
			return false
		}
	}
}

// reserve adds a spare chunk. It reports false if there is no more address space.
func (a *arenaType) reserve(bytes int64) bool {
	if bytes > min(maxSpace, addressSpace()/spaceShare)-a.space {
		return false
	}
	memory := reserve(int(bytes))
	if memory == nil {
		return false
	}
	a.space += bytes
	a.insert(&chunk{start: uintptr(unsafe.Pointer(unsafe.SliceData(memory))), memory: memory})
	return true
}

// insert adds a spare chunk.
func (a *arenaType) insert(s *chunk) {
	i, _ := a.search(s.start)
	a.chunks = append(a.chunks, s) // slices.Insert is 5 KB
	copy(a.chunks[i+1:], a.chunks[i:])
	a.chunks[i] = s
	a.books += chunkCost
	a.spare.add(s)
	first, last := a.chunks[0], a.chunks[len(a.chunks)-1]
	a.lo.Store(first.start)
	a.end.Store(last.start + uintptr(len(last.memory)))
}

// fitting returns a spare chunk of at least the given bytes, or nil.
func (a *arenaType) fitting(bytes int) *chunk {
	for s := a.spare.first; s != nil; s = s.newer {
		if len(s.memory) >= bytes {
			return s
		}
	}
	return nil
}

// divide makes n slots of c of the beginning of the spare chunk s. The rest becomes a spare chunk.
func (a *arenaType) divide(s *chunk, c *class, n int) {
	a.spare.remove(s)
	used := n * c.slotBytes()
	if rest := s.memory[used:]; len(rest) > 0 {
		s.memory = s.memory[:used:used]
		a.insert(&chunk{start: s.start + uintptr(used), memory: rest})
	}
	s.class, s.slots = c, make([]slot, n)
	for i := range s.slots {
		s.slots[i].chunk, s.slots[i].index = s, int32(i)
	}
	a.books += int64(n) * slotCost
	c.fresh = s.slots
	s.since = a.frees
	a.quiet.add(s)
}

// strip makes a spare chunk of the chunk that has been quiet for longest, if that is since before the given
// time, and forgets its late arrays. It reports whether there was one.
func (a *arenaType) strip(before uint64) bool {
	q := a.quiet.first
	if q == nil || q.since >= before {
		return false
	}
	a.quiet.remove(q)
	for i := range q.slots {
		s := &q.slots[i]
		if s.state == Late {
			q.late.remove(s)
			a.displace(s)
		}
	}
	if f := q.fresh; len(f) > 0 && f[0].chunk == q {
		q.class.fresh = nil
	}
	a.books -= int64(len(q.slots)) * slotCost
	q.class, q.slots = nil, nil
	a.spare.add(q)
	// Neighbours become one, so that large arrays find space after small ones.
	i, _ := a.search(q.start)
	a.join(i)
	a.join(i - 1)
	return true
}

// join makes one spare chunk of the chunks i and i+1, if both are spare and adjacent.
func (a *arenaType) join(i int) {
	if i < 0 || i+1 >= len(a.chunks) {
		return
	}
	s, next := a.chunks[i], a.chunks[i+1]
	if s.class != nil || next.class != nil || s.start+uintptr(len(s.memory)) != next.start {
		return
	}
	// Sound because both are memory of reserve, outside the Go heap.
	s.memory = unsafe.Slice(unsafe.SliceData(s.memory), len(s.memory)+len(next.memory))
	a.spare.remove(next)
	a.chunks = slices.Delete(a.chunks, i+1, i+2)
	a.books -= chunkCost
}
