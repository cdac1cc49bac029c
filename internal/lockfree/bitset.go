//go:build go1.25

// Package lockfree has data structures that many goroutines read without a lock: a hierarchical
// bitset, a set of addresses, and a sparse list. They know nothing of pools.
//
// Touch it for the memory order of these structures; each rule is in the comment of its type.
package lockfree

import (
	"math/bits"
	"sync/atomic"
)

const (
	wordBits = 64
	wordLog  = 6
)

// A Bitset is a hierarchical bitset. It finds the nonempty places among very many without looking at
// all of them. Its methods may be called concurrently, except Clear.
//
// The lowest level has a bit for each place. Each level above has a bit for each word below, which
// says whether the word has any bit set. The top level is a single word. A set bit may be wrong,
// because the place may have become empty since. An unset bit is right, given these rules:
//
//   - After putting something into a place, always call [Bitset.Set], even if the place was not empty:
//     another goroutine that found it empty may not have called Set yet.
//   - Taking something needs no call. A goroutine that finds a place from [Bitset.Next] empty calls
//     [Bitset.Clear] while holding a lock. All such goroutines must use the same lock.
//   - So a goroutine that holds the lock misses no place for which Set has returned: a bit is wrongly
//     unset only during a Clear.
type Bitset struct {
	levels [][]atomic.Uint64 // bit i of a level stands for word i of the level before, or place i
}

// NewBitset returns a Bitset for n places, all of which may have something. n must be at least one.
func NewBitset(n int) *Bitset {
	b := new(Bitset)
	for {
		words := make([]atomic.Uint64, (n+wordBits-1)/wordBits)
		for i := range words {
			words[i].Store(^uint64(0) >> max(0, (i+1)*wordBits-n))
		}
		b.levels = append(b.levels, words)
		if n = len(words); n == 1 {
			return b
		}
	}
}

// Set records that place i has something. The caller must have put it there before.
func (b *Bitset) Set(i uint) {
	// Test a bit before setting it: writes would make all Ps contend for the cache line. Test all
	// levels: a goroutine that has set the bit below may not have set the one above yet.
	for _, words := range b.levels {
		bit := uint64(1) << (i & (wordBits - 1))
		i >>= wordLog
		if w := &words[i]; w.Load()&bit == 0 {
			w.Or(bit)
		}
	}
}

// Next returns the first place that may have something, from place i on. ok is false if there is
// none.
func (b *Bitset) Next(i uint) (place uint, ok bool) {
	for level := 0; level < len(b.levels); {
		words := b.levels[level]
		word := i >> wordLog
		if word >= uint(len(words)) {
			return 0, false
		}
		rest := words[word].Load() >> (i & (wordBits - 1))
		switch {
		case rest == 0:
			i = word + 1
			level++
		case level == 0:
			return i + uint(bits.TrailingZeros64(rest)), true
		default:
			i = (i + uint(bits.TrailingZeros64(rest))) << wordLog
			level--
		}
	}
	return 0, false
}

// Clear records that place i is empty. It unsets the bit, calls empty, and sets the bit again if
// empty returns false. The caller must hold the lock.
func (b *Bitset) Clear(i uint, empty func() bool) {
	// If another goroutine puts something into the place before empty looks, empty sees it. If it
	// does so later, its Set finds the bit unset and sets it. The same holds for a word and the bit
	// above it.
	place := i
	for level, words := range b.levels {
		w := &words[i>>wordLog]
		w.And(^(uint64(1) << (i & (wordBits - 1))))
		if level == 0 && !empty() || level > 0 && b.levels[level-1][i].Load() != 0 {
			b.Set(place)
			return
		}
		if w.Load() != 0 {
			return
		}
		i >>= wordLog
	}
}
