package engine

import "github.com/basin-go/basin/internal/sched"

// A Budget is an amount that engines can take from until nothing is left. Several may share one:
// see [Config.Within].
type Budget struct {
	limit int64
	taken sched.Int64
}

// NewBudget returns a budget of limit.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Limit returns the amount that there was in the beginning.
func (b *Budget) Limit() int64 { return b.limit }

// take takes n and reports whether there was that much.
func (b *Budget) take(n int64) bool {
	for {
		taken := b.taken.Load()
		if n > b.limit-taken {
			return false
		}
		if b.taken.CompareAndSwap(taken, taken+n) {
			return true
		}
	}
}

// give gives n back.
func (b *Budget) give(n int64) { b.taken.Add(-n) }

// An allowance is the budget of one engine. What it takes it takes from within too, if that is
// not nil.
type allowance struct {
	Budget
	within *share
}

// A share is what one engine has taken from a budget that it shares with others. It is an object of
// its own, as it outlives the engine: see [share.leave].
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

// spare reports whether n more may go to slots, which hold what they take until their P has
// left them alone for a while: half of what engines share is for depots.
func (a *allowance) spare(n int64) bool {
	return a.within == nil || a.within.of.taken.Load()+n <= a.within.of.limit/2
}

func (a *allowance) give(n int64) {
	a.Budget.give(n)
	if s := a.within; s != nil {
		s.taken.Add(-n)
		s.of.give(n)
	}
}

// leave gives all back. The engine is gone.
func (s *share) leave() {
	if s != nil {
		s.of.give(s.taken.Load())
	}
}
