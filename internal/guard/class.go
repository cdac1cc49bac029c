//go:build go1.25

package guard

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A class has the slots for arrays of up to some number of pages.
type class struct {
	pages int
	slots int    // in all chunks
	fresh []slot // of the latest chunk; never used
	first *slot  // late, and the next to be reused
	last  *slot
}

// A class has at most maxSlots slots, in at most classSpace bytes of address space, and all classes
// together have at most maxSpace. Each class has space of its own, so that sizes that come into use late
// do not find all space taken by others. Its first chunk has minChunk slots.
const (
	maxSlots   = 1 << 14
	minChunk   = 32
	maxChunk   = 1 << 11
	classSpace = 4<<30*on64 + 32<<20*(1-on64)
	maxSpace   = 256<<30*on64 + 256<<20*(1-on64)

	on64 = int64(^uint(0) >> 63)
)

// slotCost is the memory of a slot without a tenant. The kernel frees page tables together with the pages.
const slotCost = int64(unsafe.Sizeof(slot{}))

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

// grow adds a chunk to c, for whose slots at most room bytes of the limit are left. It reports false if
// the limits do not permit it. The caller holds the lock.
func (a *arenaType) grow(c *class, room int64) bool {
	bytes := int64(c.slotBytes())
	n := min(max(c.slots, minChunk), maxChunk, maxSlots-c.slots)
	n = int(min(int64(n), classSpace/bytes-int64(c.slots), (maxSpace-a.space)/bytes, room/slotCost))
	if n <= 0 {
		return false
	}
	memory := reserve(n * int(bytes))
	if memory == nil {
		return false
	}
	made := &chunk{class: c, start: uintptr(unsafe.Pointer(unsafe.SliceData(memory))), memory: memory, slots: make([]slot, n)}
	for i := range made.slots {
		made.slots[i].chunk, made.slots[i].index = made, i
	}
	i, _ := slices.BinarySearchFunc(a.chunks, made.start, func(c *chunk, start uintptr) int {
		if c.start < start {
			return -1
		}
		return 1
	})
	a.chunks = slices.Insert(a.chunks, i, made)
	first, last := a.chunks[0], a.chunks[len(a.chunks)-1]
	a.lo.Store(first.start)
	a.end.Store(last.start + uintptr(len(last.memory)))
	a.space += int64(len(memory))
	a.used += int64(n) * slotCost
	c.slots += n
	c.fresh = made.slots
	return true
}

// retire makes s the slot that is reused last.
func (c *class) retire(s *slot) {
	if c.last == nil {
		c.first = s
	} else {
		c.last.next = s
	}
	c.last = s
}

// oldest removes the slot that was freed first, and returns it, or nil if there is none.
func (c *class) oldest() *slot {
	s := c.first
	if s == nil {
		return nil
	}
	c.first, s.next = s.next, nil
	if c.first == nil {
		c.last = nil
	}
	return s
}
