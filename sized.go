package basin

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/learn"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file is what pools of values that hold arrays have in common: a Pool with a Size, and a
// StdBufferPool. They keep a value in the smallest size class that is not smaller than it is, whatever
// made it, so that what the engine pays for it is never too little.

// A home is the size class in which Get looks first, in one word: its index and, as sizes
// are multiples of 64, twice its size. That is less the smallest, or 2 GiB would not fit.
//
// It is what has been learned, or else the class of what was put last.
type home struct{ word atomic.Uint32 }

const _ uint = sizeclass.Min<<1 - 1<<sizeclass.Bits // or the index would not fit

func (h *home) load() homeWord { return homeWord(h.word.Load()) }

// set makes the class with the given index the home. It writes only what is news: all Ps read it.
func (h *home) set(class uint) {
	if w := uint32(learn.Classes.Size(int(class))-sizeclass.Min)<<1 | uint32(class); w != h.word.Load() {
		h.word.Store(w)
	}
}

type homeWord uint32

func (w homeWord) class() uint { return uint(w) % (1 << sizeclass.Bits) }
func (w homeWord) size() int   { return int(w>>1&^(sizeclass.Min-1)) + sizeclass.Min }

// is reports whether a value of n bytes is exactly as large as those of the class can be.
func (w homeWord) is(n int) bool { return n == w.size() }

// has reports whether a value of n bytes is of the class, if it is not among the largest.
func (w homeWord) has(n int) bool {
	return learn.Classes.Class(n).Index() == w.class()
}

// A sizing sorts values by their size.
type sizing struct {
	least   int            // of what is kept and made, if the pool does not learn
	maxSize int            // a size class, as what is made is
	learned *learn.Learner // nil if the pool does not learn

	empty, small, large atomic.Uint64 // values that were put and not kept, for Stats
}

// begin makes z ready, and h the class of the smallest values that are to be kept, if the pool does
// not learn that.
func (z *sizing) begin(h *home, least, maxSize int, learns bool) {
	most := learn.Classes.Largest()
	class := learn.Classes.Class(min(max(least, 1), most))
	z.maxSize = learn.Classes.Class(min(maxSize, most)).Size()
	if learns {
		z.learned = new(learn.Learner)
		z.learned.Class.Store(uint32(class.Index()))
	} else if least > 0 {
		z.least = class.Size()
	}
	h.set(class.Index())
}

// wanted returns the size of new values while w is home.
func (z *sizing) wanted(w homeWord) int {
	if z.learned != nil {
		return w.size()
	}
	return z.least
}

// sizedClasses returns the classes of an engine for values that are sorted by size. If the pool
// learns, what is much larger than what it has learned serves no request.
func sizedClasses(learns bool) func() []engine.Class {
	return func() []engine.Class {
		classes := bufferEngineClasses(0)
		for i := range classes {
			classes[i].Fit = uint(len(classes) - 1)
			if learns {
				classes[i].Fit = lastFit(learn.Classes, learn.Classes.Size(i), DefaultMaxFit)
			}
		}
		return classes
	}
}

// observe learns from weight users who have used so many bytes, if that is not less than zero.
func (z *sizing) observe(h *home, used int, weight uint32) {
	if z.learned != nil && used >= 0 {
		z.learned.Observe(used, z.maxSize, weight, used > h.load().size())
		h.set(uint(z.learned.Class.Load()))
	}
}

// sort returns the class of a value of n bytes, or says that it is not to be kept, and counts why.
// The next user of a pool that learns would rather have one that is neither smaller nor much larger
// than what was learned.
func (z *sizing) sort(h *home, n int) (class uint, keep bool) {
	switch w := h.load(); {
	case n < 0:
		z.empty.Add(1)
	case n > z.maxSize || z.learned != nil && int64(n) > mostFit(w.size(), DefaultMaxFit):
		z.large.Add(1)
	case n < z.wanted(w):
		z.small.Add(1)
	default:
		class = learn.Classes.Class(max(n, 1)).Index()
		if z.learned == nil {
			h.set(class)
		}
		return class, true
	}
	return 0, false
}

// sizedGet takes an idle value from e, which z sorts for.
func sizedGet[T any](z *sizing, e *engine.Engine[T], c uint) (x T, ok bool) {
	if z.learned != nil {
		x, _, ok = e.GetFit(c, 0)
	} else {
		x, ok = e.GetAny(c, 0)
	}
	return x, ok
}

// drops counts in s what was put and not kept. It comes before the figures of the engine, so that
// no Put is counted whose Get is not.
func (z *sizing) drops(s *Stats) {
	s.Drops.Empty, s.Drops.Small, s.Drops.Large = z.empty.Load(), z.small.Load(), z.large.Load()
	s.Puts = s.Drops.Empty + s.Drops.Small + s.Drops.Large
}

// sizedStats fills in s by the figures of e, which z sorts for. A class has no more than the largest of
// its values could have. What was got from one class may be put into another, and a miss is of none.
func sizedStats[T any](z *sizing, s *Stats, e *engine.Engine[T]) {
	z.drops(s)
	misses := uint64(0)
	e.AllStats(func(i uint, c engine.ClassStats) {
		misses += c.Misses
		c.Misses = 0
		s.add(learn.Classes.Size(int(i)), c)
	})
	for i := range s.Classes {
		s.Classes[i].Items.InUse = Unknown
		s.Classes[i].Bytes.InUse = Unknown
	}
	s.Misses = misses
	s.Gets = s.Hits + s.Misses
	s.Items.InUse = max(0, int64(s.Gets-s.Puts))
	s.Bytes.InUse = Unknown
}
