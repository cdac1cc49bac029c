package basin

import (
	"math"

	"github.com/basin-go/basin/internal/sizeclass"
)

// This file is what [BytePool.MaxFit] means for a BytePool. How a larger slice is found
// is in internal/engine/bestfit.go.

// A fit is which idle slices serve a request.
type fit bool

const (
	bestFit  fit = false // of the own size class, or else of a larger one
	ownClass fit = true  // for what is made to be kept
)

// smallFit is a capacity that every request may be given: an idle slice takes no more
// memory than a new one would, and so small a slice wastes little.
const smallFit = 1 << 10

// mostFit returns the largest capacity that may serve requests for the class of the
// given size.
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

// fits reports whether Get may give a slice of the given capacity for n bytes.
func (p *BytePool) fits(n, capacity int) bool {
	c := p.classes().Class(n)
	return !c.None() && int64(capacity) <= mostFit(c.Size(), p.ready().maxFit)
}

// lastFit returns the index in t of the largest class that may serve requests for
// the class of the given size.
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

// admitLarger returns what the engine asks before a larger slice serves a request. By
// then the request has room for its own class under MaxInUse. What the larger slice
// takes beyond that must be free too. Otherwise the request gets a new slice of its
// own class.
func (p *BytePool) admitLarger() func(c, larger uint) bool {
	if p.quota == nil {
		return nil
	}
	return func(c, larger uint) bool {
		return p.quota.TryTake(int64(p.sizes.Size(int(larger)) - p.sizes.Size(int(c))))
	}
}
