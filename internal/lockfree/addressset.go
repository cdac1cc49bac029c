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
//
// Each pair has a note, which the caller of Add provides. A pair that is there more than once has the latest
// note: the set of a pool has an address twice if the first array has died and its cleanup is late.
type AddressSet[Note any] struct {
	table atomic.Pointer[table[Note]] // nil if the AddressSet was always empty

	mu   sync.Mutex // held by changes
	live int        // entries that are pairs
	used int        // entries that are not empty: pairs and removed ones
}

// A table has a power of two of entries. At least half of them are empty.
type table[Note any] struct {
	entries []entry[Note]
	shift   uint8 // a hash shifted right by shift is an index
}

// An entry is a pair, empty or removed. Its note is stored before its pair.
type entry[Note any] struct {
	pair atomic.Uint64
	note atomic.Pointer[Note]
}

const (
	empty   = 0
	removed = 1 // a deleted entry, which no pair equals
)

// Has reports whether a is in the AddressSet with the tag.
func (s *AddressSet[Note]) Has(a uintptr, tag uint) bool {
	return s.Find(a, tag) != nil
}

// Find returns the note of a with the tag, or nil if that pair is not in the AddressSet.
func (s *AddressSet[Note]) Find(a uintptr, tag uint) *Note {
	t := s.table.Load()
	if t == nil {
		return nil
	}
	x := pair(a, tag)
	for i := t.begin(pair(a, 0)); ; i++ {
		e := &t.entries[i&(len(t.entries)-1)]
		switch e.pair.Load() {
		case x:
			return e.note.Load()
		case empty:
			return nil
		}
	}
}

// HasAddress reports whether a is in the AddressSet with any tag.
func (s *AddressSet[Note]) HasAddress(a uintptr) bool {
	t := s.table.Load()
	if t == nil {
		return false
	}
	want := pair(a, 0)
	for i := t.begin(want); ; i++ {
		switch x := t.entries[i&(len(t.entries)-1)].pair.Load(); {
		case x == empty:
			return false
		case x > removed && withoutTag(x) == want:
			return true
		}
	}
}

// All calls f once for each pair in the AddressSet, with its note. f must not use the AddressSet.
func (s *AddressSet[Note]) All(f func(a uintptr, tag uint, n *Note)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t == nil {
		return
	}
	for i := range t.entries {
		e := &t.entries[i]
		if x := e.pair.Load(); x > removed && t.find(x) == i {
			f(uintptr(x>>tagBits), uint(x%Tags), e.note.Load())
		}
	}
}

// find returns the index of x, or of the empty entry where a search for x ends.
func (t *table[Note]) find(x uint64) int {
	for i := t.begin(withoutTag(x)); ; i++ {
		i &= len(t.entries) - 1
		if e := t.entries[i].pair.Load(); e == x || e == empty {
			return i
		}
	}
}

// begin returns the index where searches for an address begin, whatever the tag. x is the pair with tag 0.
func (t *table[Note]) begin(x uint64) int {
	// Fibonacci hashing moves the bits in which addresses differ to the top.
	return int(x * 0x9e3779b97f4a7c15 >> (t.shift & 63))
}

// withoutTag returns the pair of the address of x with tag 0.
func withoutTag(x uint64) uint64 { return x &^ (Tags - 1) }

// Add adds a with the tag and a note, once more if it is there already.
func (s *AddressSet[Note]) Add(a uintptr, tag uint, note *Note) {
	x := pair(a, tag)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t == nil || 2*(s.used+1) > len(t.entries) {
		t = s.rebuild()
	}
	for i := t.begin(withoutTag(x)); ; i++ {
		e := &t.entries[i&(len(t.entries)-1)]
		if was := e.pair.Load(); was == x {
			e.note.Store(note)
		} else if was == empty {
			break
		}
	}
	s.live++
	if t.add(x, note) {
		s.used++
	}
}

// add stores x and its note in the first entry that is free, and reports whether that was empty.
func (t *table[Note]) add(x uint64, n *Note) (wasEmpty bool) {
	for i := t.begin(withoutTag(x)); ; i++ {
		e := &t.entries[i&(len(t.entries)-1)]
		if was := e.pair.Load(); was == empty || was == removed {
			e.note.Store(n)
			e.pair.Store(x)
			return was == empty
		}
	}
}

// Remove removes a with the tag once, and reports whether it was there.
func (s *AddressSet[Note]) Remove(a uintptr, tag uint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t == nil {
		return false
	}
	e := &t.entries[t.find(pair(a, tag))]
	if e.pair.Load() == empty {
		return false
	}
	e.pair.Store(removed)
	s.live--
	if len(t.entries) > minLen && 8*s.live < len(t.entries) {
		s.rebuild()
	}
	return true
}

const minLen = 4

// rebuild makes a table for the present pairs, with room for as many again. Concurrent lookups use
// the old table, which no longer changes. The caller must hold the lock.
func (s *AddressSet[Note]) rebuild() *table[Note] {
	n := max(minLen, 1<<bits.Len(uint(4*s.live)))
	t := &table[Note]{make([]entry[Note], n), uint8(64 - bits.Len(uint(n-1)))}
	if old := s.table.Load(); old != nil {
		for i := range old.entries {
			e := &old.entries[i]
			if x := e.pair.Load(); x > removed {
				t.add(x, e.note.Load())
			}
		}
	}
	s.used = s.live
	s.table.Store(t)
	return t
}

// pair packs a and tag. It drops the upper bits of a, in which addresses of one heap do not differ.
func pair(a uintptr, tag uint) uint64 { return uint64(a)<<tagBits | uint64(tag) }
