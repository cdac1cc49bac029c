//go:build go1.25

package basin

import (
	"math"

	"github.com/basin-go/basin/internal/sizeclass"
)

// This file implements [BytePool.MaxFit] for a BytePool. internal/engine/bestfit.go finds the
// larger slices. Under a ceiling, MaxFit is 1.

// A fit says which idle slices may serve a request.
type fit bool

const (
	bestFit  fit = false // slices of the request's size class, or else of a larger one
	ownClass fit = true  // for slices that are usually kept for long
)

// smallFit is a capacity that any request may get: an idle slice takes no more memory than a new
// one, and a slice of this size wastes little.
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

// fits reports whether Get may return a slice of the given capacity for n bytes.
func (p *BytePool) fits(n, capacity int) bool {
	c := p.classes().Class(n)
	return !c.None() && int64(capacity) <= mostFit(c.Size(), p.ready().maxFit)
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
