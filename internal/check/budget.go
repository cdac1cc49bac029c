//go:build go1.25

package check

import (
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/misuse"
)

// Ceiling is the most memory, in bytes, that sampled checks use for themselves in any program.
// These budgets, misuse.MaxBytes for findings and caller.MaxCached for stacks fit into it:
const (
	Ceiling = 8 << 20

	quarantineSampled = 31 << 17  // arrays and objects in quarantine
	recordsSampled    = 3 << 20   // records and stacks
	trackerSize       = 128 << 10 // a Tracker without any of the above
)

const _ = uint(Ceiling - quarantineSampled - recordsSampled - misuse.MaxBytes - trackerSize - caller.MaxCached)

// reservedForPuts is the part of recordsSampled that is reserved for the stacks of Puts.
const reservedForPuts = recordsSampled / 8

// Costs, in bytes, of one object of each kind, without parts that are counted elsewhere. They
// include the runtime's bookkeeping, and the Owner, which its last record may keep alive.
const (
	recordCost = 384 // record, Owner, map slot, cleanup, weak pointer
	stackCost  = 112 // stack, map slot
	frameCost  = 8
	fixedCost  = 768 // Fixed without its bits
	siteCost   = 160 // site, map slot
)

// A budget counts the bytes of records, stacks and sites, up to a limit.
type budget struct {
	limit int64
	used  atomic.Int64
}

const unlimited = math.MaxInt64

// take adds n bytes if at least reserved bytes are free afterwards, and reports whether it did.
func (l *budget) take(n, reserved int64) bool {
	for {
		used := l.used.Load()
		if n > l.limit-reserved-used {
			return false
		}
		if l.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

func (l *budget) give(n int64) { l.used.Add(-n) }
