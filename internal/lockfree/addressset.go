//go:build go1.25

package lockfree

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Tags is the number of tags of an [AddressSet]: 0 to Tags-1.
const Tags = 1 << tagBits

const tagBits = 7

// An AddressSet is a multiset of pairs: an address, which is not zero, and a tag. It is for many
// lookups and few changes: a hash table with open addressing, whose lookups take no lock. It does
// not keep the objects at the addresses alive. The zero AddressSet is empty. All methods may be
// called from many goroutines at once.
type AddressSet struct {
	table atomic.Pointer[table] // nil if the AddressSet was always empty

	mu   sync.Mutex // held by changes
	live int        // entries that are pairs
	used int        // entries that are not empty: pairs and removed ones
}

// A table has a power of two of entries. At least half of them are empty.
type table struct {
	entries []atomic.Uint64
	shift   uint8 // a hash shifted right by shift is an index
}

const (
	empty   = 0
	removed = 1 // a deleted entry, which no pair equals
)

// Has reports whether a is in the AddressSet with the tag.
func (s *AddressSet) Has(a uintptr, tag uint) bool {
	t := s.table.Load()
	return t != nil && t.entries[t.find(pair(a, tag))].Load() != empty
}

// find returns the index of x, or of the empty entry where a search for x ends.
func (t *table) find(x uint64) int {
	for i := t.begin(x); ; i++ {
		i &= len(t.entries) - 1
		if e := t.entries[i].Load(); e == x || e == empty {
			return i
		}
	}
}

// begin returns the index where a search for x begins.
func (t *table) begin(x uint64) int {
	// Fibonacci hashing moves the bits in which addresses differ to the top.
	return int(x * 0x9e3779b97f4a7c15 >> (t.shift & 63))
}

// Add adds a with the tag, once more if it is there already.
func (s *AddressSet) Add(a uintptr, tag uint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t == nil || 2*(s.used+1) > len(t.entries) {
		t = s.rebuild()
	}
	s.live++
	if t.add(pair(a, tag)) {
		s.used++
	}
}

// add stores x in the first entry that is free, and reports whether that was empty.
func (t *table) add(x uint64) (wasEmpty bool) {
	for i := t.begin(x); ; i++ {
		i &= len(t.entries) - 1
		if e := t.entries[i].Load(); e == empty || e == removed {
			t.entries[i].Store(x)
			return e == empty
		}
	}
}

// Remove removes a with the tag once, and reports whether it was there.
func (s *AddressSet) Remove(a uintptr, tag uint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t == nil {
		return false
	}
	e := &t.entries[t.find(pair(a, tag))]
	if e.Load() == empty {
		return false
	}
	e.Store(removed)
	s.live--
	if len(t.entries) > minLen && 8*s.live < len(t.entries) {
		s.rebuild()
	}
	return true
}

const minLen = 4

// rebuild makes a table for the present pairs, with room for as many again. Concurrent lookups use
// the old table, which no longer changes. The caller must hold the lock.
func (s *AddressSet) rebuild() *table {
	n := max(minLen, 1<<bits.Len(uint(4*s.live)))
	t := &table{make([]atomic.Uint64, n), uint8(64 - bits.Len(uint(n-1)))}
	if old := s.table.Load(); old != nil {
		for i := range old.entries {
			if x := old.entries[i].Load(); x > removed {
				t.add(x)
			}
		}
	}
	s.used = s.live
	s.table.Store(t)
	return t
}

// pair packs a and tag. It drops the upper bits of a, in which addresses of one heap do not differ.
func pair(a uintptr, tag uint) uint64 { return uint64(a)<<tagBits | uint64(tag) }
