//go:build go1.25

package check

import (
	"math"
	"sync/atomic"
)

// Ceiling is the most memory, in bytes, that sampled checks use for themselves in any program.
// It is the sum of these budgets:
const (
	Ceiling = 8 << 20

	quarantineSampled = 4 << 20   // arrays and objects in quarantine
	recordsSampled    = 3 << 20   // records and stacks
	findings          = 768 << 10 // groups of findings
	trackerSize       = 128 << 10 // a Tracker without any of the above
)

// The budgets do not exceed the Ceiling.
const _ = uint(Ceiling - quarantineSampled - recordsSampled - findings - trackerSize)

// spareForPuts is the part of recordsSampled that is reserved for the stacks of Puts.
const spareForPuts = recordsSampled / 8

// Costs in bytes of one of each, without parts that are counted elsewhere. They include the
// runtime's bookkeeping, and the Owner, which its last record may keep alive.
const (
	recordCost = 384 // record, Owner, map slot, cleanup, weak pointer
	stackCost  = 112 // Stack, map slot
	frameCost  = 8
	fixedCost  = 768  // Fixed without its bits
	siteCost   = 160  // site, map slot
	groupCost  = 1500 // group with its latest Finding: three stacks, a key with one more, the Owner
)

// The most sites that a Tracker lists. Their stacks are shared with records and paid for as
// theirs.
const (
	maxSitesSampled = 512
	maxSitesFull    = 1 << 14
)

// The largest number of groups fits into their budget.
const _ = uint(findings - maxGroups*groupCost)

// A ledger counts bytes, up to a limit.
type ledger struct {
	limit int64
	used  atomic.Int64
}

const unlimited = math.MaxInt64

// take adds n bytes if at least spare bytes are free afterwards.
func (l *ledger) take(n, spare int64) bool {
	for {
		used := l.used.Load()
		if n > l.limit-spare-used {
			return false
		}
		if l.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

func (l *ledger) give(n int64) { l.used.Add(-n) }

// Usage is the memory of a tracker, and the number of its acquisitions.
type Usage struct {
	Bytes, Limit int64  // Limit is zero if there is none
	Tracked      uint64 // acquisitions since New
	Untracked    uint64 // acquisitions picked, but not tracked because of the limit
}

// Usage returns the present usage of t.
func (t *Tracker) Usage() Usage {
	u := Usage{
		Bytes:     trackerSize + t.ledger.used.Load() + t.quarantine.held(),
		Tracked:   t.tracked.Load(),
		Untracked: t.untracked.Load(),
	}
	if !t.full {
		u.Limit = Ceiling
	}
	return u
}
