package check

import (
	"math"
	"sync/atomic"
)

// Ceiling is the most memory, in bytes, that checks take for themselves while
// they are sampled, whatever the program does. It is divided up:
const (
	Ceiling = 8 << 20

	quarantineSampled = 4 << 20   // memory that was put and is not released yet
	recordsSampled    = 3 << 20   // records and stacks
	findings          = 768 << 10 // groups of findings
	trackerSize       = 128 << 10 // a Tracker without any of these
)

// These are all of it.
const _ = uint(Ceiling - quarantineSampled - recordsSampled - findings - trackerSize)

// spareForPuts is the part of recordsSampled that acquisitions leave to the
// stacks of Puts.
const spareForPuts = recordsSampled / 8

// What one of these costs, beside what is counted elsewhere. The runtime's own
// bookkeeping is included, and so is the Owner, which may be kept alive by its
// last record.
const (
	recordCost = 384 // record, Owner, map slot, cleanup, weak pointer
	stackCost  = 112 // Stack, map slot
	frameCost  = 8
	fixedCost  = 768  // Fixed without its bits
	groupCost  = 1500 // group with its latest Finding: three stacks, a key with one more, the Owner
)

// What is found fits.
const _ = uint(findings - maxGroups*groupCost)

// A ledger counts bytes, up to a limit.
type ledger struct {
	limit int64
	used  atomic.Int64
}

const unlimited = math.MaxInt64

// take adds n bytes if that leaves spare bytes free.
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

// Usage is what a tracker takes and does.
type Usage struct {
	Bytes, Limit int64  // Limit is zero if there is none
	Tracked      uint64 // acquisitions since New
	Untracked    uint64 // acquisitions picked, but not tracked because of the limit
}

// Usage returns what t takes and does.
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
