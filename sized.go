//go:build go1.25

package basin

import (
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/learn"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file says which idle slices and values serve a request. It also has the common parts of Pool
// with a Size and StdBufferPool, whose values hold arrays. These pools keep a value in the smallest
// size class that is at least as large as the value. So MaxIdle never counts too little for a
// value, whoever made it.
//
// Slices larger than the request serve it as [BytePool.MaxFit] allows; internal/engine/bestfit.go
// finds them. Under a ceiling, MaxFit is 1.

// A slice of up to smallFit bytes may serve any smaller request, because that wastes little.
const smallFit = 1 << 10

// mostFit returns the largest capacity that may serve requests of the class with the given size.
func mostFit(size, maxFit int) int64 {
	most := int64(math.MaxInt64)
	if int64(maxFit) < most/int64(size) {
		most = int64(maxFit) * int64(size)
	}
	if maxFit > 1 {
		most = max(most, smallFit)
	}
	return most
}

// lastFit returns the index in t of the largest class that may serve requests of the class with the
// given size.
func lastFit(t *sizeclass.Table, size, maxFit int) uint {
	most := mostFit(size, maxFit)
	last := 0
	for i := range t.Len() {
		if int64(t.Size(i)) <= most {
			last = i
		}
	}
	return uint(last)
}

// A preferredClass is the size class where Get searches first: the learned class, or else the class
// that was put last. Its word packs the class index (low bits) and (size-64)*2 (high bits). The
// smallest size is subtracted because 2 GiB would not fit otherwise. Sizes are multiples of 64, so
// the low bits are free.
type preferredClass struct{ word atomic.Uint32 }

const _ uint = sizeclass.Min<<1 - 1<<sizeclass.Bits // fails to compile if the index needs more bits

func (c *preferredClass) load() preferredWord { return preferredWord(c.word.Load()) }

// set makes the class with the given index the preferred one. It writes only changes, because all
// Ps read the word.
func (c *preferredClass) set(class uint) {
	if w := uint32(sizeclass.All.Size(int(class))-sizeclass.Min)<<1 | uint32(class); w != c.word.Load() {
		c.word.Store(w)
	}
}

type preferredWord uint32

func (w preferredWord) class() uint { return uint(w) % (1 << sizeclass.Bits) }
func (w preferredWord) size() int   { return int(w>>1&^(sizeclass.Min-1)) + sizeclass.Min }

// is reports whether a value of n bytes has exactly the size of the class.
func (w preferredWord) is(n int) bool { return n == w.size() }

// has reports whether a value of n bytes, at least one, belongs to the class.
func (w preferredWord) has(n int) bool {
	return sizeclass.All.Class(n).Index() == w.class()
}

// learnedFit limits the size of values that a pool keeps while it learns, as a multiple of the learned
// size: larger ones would make all users hold what few of them need.
const learnedFit = 2

// A sizing assigns values to classes by size.
type sizing struct {
	least   int            // smallest size of kept and new values, if the pool does not learn
	maxSize int            // MaxSize, rounded up to a size class
	learned *learn.Learner // nil if the pool does not learn
	fit     engine.Fit     // which values serve a Get
	tally   *tally         // nil without a limit

	empty, small, large atomic.Uint64 // values put and dropped, for Stats
}

// begin prepares z. It sets c to the class of least, where learning starts. least is the size of
// the smallest values to keep. outstanding returns the number of values handed out, less those put
// into the engine.
func (z *sizing) begin(c *preferredClass, least, maxSize int, learns bool, outstanding func() int64) {
	most := sizeclass.All.Largest()
	class := sizeclass.All.Class(min(max(least, 1), most))
	z.maxSize = sizeclass.All.Class(min(maxSize, most)).Size()
	z.fit = engine.AnyClass
	if learns {
		z.fit = engine.BestFit
		z.learned = &learn.Learner{Outstanding: func() int64 {
			return outstanding() - int64(z.empty.Load()+z.small.Load()+z.large.Load())
		}}
		z.learned.Class.Store(uint32(class.Index()))
	} else if least > 0 {
		z.least = class.Size()
	}
	c.set(class.Index())
}

// wanted returns the size of new values while w is preferred.
func (z *sizing) wanted(w preferredWord) int {
	if z.learned != nil {
		return w.size()
	}
	return z.least
}

// fresh returns the size of a new value while w is preferred.
func (z *sizing) fresh(w preferredWord) int {
	if size := z.wanted(w); z.learned == nil || z.learned.Fresh() > 0 {
		return size
	}
	return sizeclass.Min
}

// bufferEngineClasses returns the engine's classes for buffers that take extra bytes besides their
// storage.
func bufferEngineClasses(extra int) []engine.Class {
	classes := make([]engine.Class, sizeclass.All.Len())
	for i := range classes {
		classes[i] = engine.ClassOf(sizeclass.All.Size(i) + extra)
	}
	return classes
}

// engineClasses returns the engine's classes for t, in a pool with the given MaxFit.
func engineClasses(t *sizeclass.Table, maxFit int) []engine.Class {
	classes := make([]engine.Class, t.Len())
	for i := range classes {
		size := t.Size(i)
		classes[i] = engine.ClassOf(size)
		classes[i].Fit = lastFit(t, size, maxFit)
	}
	return classes
}

// sizedClasses returns the engine's classes for values of several sizes. If the pool learns, values
// much larger than a class do not serve its requests.
func sizedClasses(learns bool) func() []engine.Class {
	return func() []engine.Class {
		classes := bufferEngineClasses(0)
		for i := range classes {
			classes[i].Fit = uint(len(classes) - 1)
			if learns {
				classes[i].Fit = lastLearnedFit(uint(i))
			}
		}
		return classes
	}
}

// lastLearnedFit returns the index of the largest class that is kept while the given class is learned.
func lastLearnedFit(class uint) uint {
	return lastFit(sizeclass.All, sizeclass.All.Size(int(class)), learnedFit)
}

// observe learns that weight users needed used bytes each, unless used is negative. It reports whether
// another class has become the preferred one; the caller must then call letGo.
func (z *sizing) observe(c *preferredClass, used int, weight uint32) (changed bool) {
	if z.learned == nil || used < 0 {
		return false
	}
	changed = z.learned.Observe(used, z.maxSize, weight, used > c.load().size())
	c.set(uint(z.learned.Class.Load()))
	return changed
}

// letGo releases idle values of e that no Get takes while c is the learned class.
func letGo[T any](e *engine.Engine[T], c *preferredClass) {
	class := c.load().class()
	e.Abandon(class, lastLearnedFit(class))
}

// classify returns the class of a value of n bytes and whether to keep the value. It counts dropped
// values. It drops values that are smaller than new ones and, if the pool learns, those that are
// much larger, because they suit the next user badly. A value in the learned class stays even if it is
// smaller than the class: it has grown to the size of its user's need, and so would the next one.
func (z *sizing) classify(c *preferredClass, n int) (class uint, keep bool) {
	switch w := c.load(); {
	case n < 0:
		z.empty.Add(1)
	case n > z.maxSize || z.learned != nil && int64(n) > mostFit(w.size(), learnedFit):
		z.large.Add(1)
	case n < z.wanted(w) && (z.learned == nil || n == 0 || !w.has(n)):
		z.small.Add(1)
	default:
		class = sizeclass.All.Class(max(n, 1)).Index()
		if z.learned == nil {
			c.set(class)
		}
		return class, true
	}
	return 0, false
}

// drops adds dropped values to s. It must be called before the engine's figures are read, so that
// no Put is counted without its Get.
func (z *sizing) drops(s *Stats) {
	s.Drops.Empty, s.Drops.Small, s.Drops.Large = z.empty.Load(), z.small.Load(), z.large.Load()
	s.Puts = s.Drops.Empty + s.Drops.Small + s.Drops.Large
}

// sizedStats fills in s from the figures of e, whose values z classifies. Classes have no InUse,
// because a value may be taken from one class and put into another. They have no misses, because a
// miss belongs to no class.
func sizedStats[T any](z *sizing, s *Stats, e *engine.Engine[T]) {
	z.drops(s)
	misses := uint64(0)
	e.AllStats(func(i uint, c engine.ClassStats) {
		misses += c.Misses
		c.Misses = 0
		s.add(sizeclass.All.Size(int(i)), c, 0)
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
