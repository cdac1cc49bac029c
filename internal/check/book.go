//go:build go1.25

package check

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/basin-go/basin/internal/misuse"
)

// A book is the part of a Tracker that is common to arrays, values and fixed buffers: it decides
// which acquisitions are tracked, and accounts for their records.
type book struct {
	id        uint64
	full      bool   // every acquisition is tracked
	every     int    // otherwise one in every is
	threshold uint32 // Chance picks random numbers up to this
	stopped   atomic.Bool

	tracked, untracked atomic.Uint64

	budget budget // pays for records, stacks and sites
	stacks stacks
	sites  sites
	filter [filterSize]atomic.Int32 // number of records by hash of the address
}

const filterSize = 1 << 14

// count adds by to the number of records with the hash of a.
func (b *book) count(a uintptr, by int32) { b.filter[hash(a)%filterSize].Add(by) }

// judges reports whether there may be a record of the item at a. With sampling, that is rare.
func (b *book) judges(a uintptr) bool {
	return b.full || b.filter[hash(a)%filterSize].Load() != 0
}

// Full reports whether every acquisition is tracked.
func (b *book) Full() bool { return b.full }

// Threshold is the number of 2^32 random numbers that pick an acquisition.
func (b *book) Threshold() uint32 { return b.threshold }

// Chance reports whether the current acquisition should be tracked.
func (b *book) Chance() bool { return b.every == 1 || rand.Uint32() <= b.threshold }

// Pick reports whether the current acquisition must be tracked. If so, its record is paid for,
// and the caller must make it.
func (b *book) Pick() bool { return b.Chance() && b.Pay() }

// Pay takes the cost of a record from the budget. It reports false if too little is left.
func (b *book) Pay() bool {
	if !b.budget.take(recordCost+maxStackCost, reservedForPuts) {
		b.untracked.Add(1)
		return false
	}
	b.tracked.Add(1)
	return true
}

// record returns a record that has been paid for. It gives back the part of the payment that
// its stack does not need.
func (b *book) record(o *Owner, size int, here *callers) *record {
	b.budget.give(maxStackCost)
	acquired := b.stacks.retain(here)
	return &record{owner: o, size: size, acquired: acquired, site: b.sites.get(o.Name, acquired), goroutine: recordedGoroutine()}
}

// exempt notes that r's item need not be put back. The caller holds the lock.
func (b *book) exempt(r *record) {
	if r.exempt {
		return
	}
	r.exempt = true
	b.sites.cancel(r.site)
	r.site = nil
}

// putBack notes that r's item was put from here. The caller holds the lock.
func (b *book) putBack(r *record, here *callers) {
	r.put = b.stacks.retain(here)
	b.sites.put(r.site, r.put)
}

// left notes that r's item is not outstanding any more. The caller holds the lock.
func (b *book) left(r *record) {
	if r.from != nil {
		b.sites.holds(r.from, r.guarded, -1)
		r.from = nil
	}
}

// release gives back the cost of r.
func (b *book) release(r *record) {
	b.stacks.release(r.acquired)
	b.stacks.release(r.put)
	r.trail.release(b)
	b.budget.give(recordCost)
}

// reportLeak reports a leak of n items. Cleanups call it, perhaps after the Tracker was stopped.
func (b *book) reportLeak(f misuse.Finding, n int) {
	f.Weight = uint64(n) * uint64(b.every)
	misuse.ReportLeak(b.id, f)
}
