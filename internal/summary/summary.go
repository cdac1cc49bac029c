// Package summary finds the few of very many places that have something, without looking
// at all of them.
//
// A [Bits] has a bit for each place, and above each word of bits a bit that says whether
// the word has any, level upon level until one word is enough. A bit that
// is set may be wrong: the place has become empty since. One that is not set is right for all
// who put something into a place before: that is what the rules below are for.
//
//   - Who puts something into a place calls [Bits.Set] afterwards, always, not only if the place
//     was empty: another who found it empty may not have come to it yet.
//   - Who takes something says nothing. Who finds nothing at a place that [Bits.Next] named
//     calls [Bits.Clear], holding a lock that is the same for all who do.
//   - So nobody who holds the lock misses anything: a bit is unset for a moment
//     only, between the two halves of a Clear.
package summary

import (
	"math/bits"
	"sync/atomic"
)

const (
	wordBits = 64
	wordLog  = 6
)

// Bits says which places may have something. All its methods may be called at once, but for Clear.
type Bits struct {
	levels [][]atomic.Uint64 // bit i of a level is about word i of that before, or place i
}

// New returns a Bits for n places, which must be at least one, that all may have something.
func New(n int) *Bits {
	b := new(Bits)
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

// Set says that place i has something, which must be so already.
func (b *Bits) Set(i uint) {
	// A bit that is set has to be looked at, not written: that would be a
	// cache line that all Ps fight for. And all levels have to be, because who has set
	// the bit below may not have come to the one above yet.
	for _, words := range b.levels {
		bit := uint64(1) << (i & (wordBits - 1))
		i >>= wordLog
		if w := &words[i]; w.Load()&bit == 0 {
			w.Or(bit)
		}
	}
}

// Next returns the first place from i on that may have something, if there is one.
func (b *Bits) Next(i uint) (place uint, ok bool) {
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

// Clear says that place i has nothing, if empty agrees, which it is asked once the bit is unset. The
// caller holds the lock.
func (b *Bits) Clear(i uint, empty func() bool) {
	// Who puts something there before empty looks is seen by it. Who does so afterwards finds
	// the bit unset, and sets it. The same is true of a word and the bit above it.
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
