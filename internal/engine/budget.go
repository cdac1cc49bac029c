//go:build go1.25

package engine

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/sched"
)

// A Budget is a limited amount that engines take from. Several engines may share a Budget: see
// [Engine.Init].
type Budget struct {
	limit atomic.Int64 // not of package sched, because it changes only in rounds
	taken sched.Int64
}

// NewBudget returns a Budget with the given limit.
func NewBudget(limit int64) *Budget {
	b := new(Budget)
	b.limit.Store(limit)
	return b
}

// Limit returns the limit.
func (b *Budget) Limit() int64 { return b.limit.Load() }

// take takes n, if n is left, and reports whether it did.
func (b *Budget) take(n int64) bool {
	for {
		taken := b.taken.Load()
		if n > b.limit.Load()-taken {
			return false
		}
		if b.taken.CompareAndSwap(taken, taken+n) {
			return true
		}
	}
}

// give gives n back.
func (b *Budget) give(n int64) { b.taken.Add(-n) }

// An allowance is the budget of one engine. It takes the same amounts from the shared budget of
// within, unless within is nil.
type allowance struct {
	Budget
	within *share
}

// A share counts the amount that one engine has taken from a shared budget. It is allocated
// separately, because it outlives the engine: see [share.leave].
type share struct {
	of    *Budget
	taken sched.Int64
}

func (a *allowance) take(n int64) bool {
	if a.within == nil {
		return a.Budget.take(n)
	}
	if !a.within.of.take(n) {
		return false
	}
	if !a.Budget.take(n) {
		a.within.of.give(n)
		return false
	}
	a.within.taken.Add(n)
	return true
}

// mayGrow reports whether n more may go to slots: only if half of a shared budget is still left
// then, because a slot keeps its payment until its P has not used the magazine for some time.
func (a *allowance) mayGrow(n int64) bool {
	return a.within == nil || a.within.of.taken.Load()+n <= a.within.of.limit.Load()/2
}

func (a *allowance) give(n int64) {
	a.Budget.give(n)
	if s := a.within; s != nil {
		s.taken.Add(-n)
		s.of.give(n)
	}
}

// leave gives back the whole amount when the engine is gone. s may be nil.
func (s *share) leave() {
	if s != nil {
		s.of.give(s.taken.Load())
	}
}
