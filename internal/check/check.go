//go:build go1.25

// Package check has the records of checked mode: which arrays are outstanding, who acquired
// them, who put them back, and whether anybody has written to them since. It knows no pools; package
// basincheck switches it on, and internal/misuse counts its findings.
//
// A checked array is never reused. It is new when it is handed out, has a [record] from then on, and
// is filled with poison when it is put. Then it waits in quarantine, first in, first out, until
// enough later arrays have been put. At the end it is verified, and left to the collector with its
// record. So misuse of a put array harms no other user, and is found as long as the record exists. A
// forgotten array stays with its users, and its record exists as long as they refer to it.
//
// Records do not keep outstanding arrays alive. If such an array becomes garbage, its cleanup
// reports the leak. It is a cleanup and not a finalizer because an object can have only one
// finalizer, which may be the user's. By the time the cleanup runs, another object may have the
// address. A weak pointer in the record tells the two apart.
//
// Touch it to detect another kind of misuse, or to change the cost of records. Files depend on each
// other in one direction, from the bottom: budget, stacks, sites and book account for records;
// table, values and fixed keep the records of arrays, values and fixed buffers; quarantine keeps
// items that were put. A [Tracker] combines them; array, object and outstanding are its operations.
package check

import (
	"math"
	"sync/atomic"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// A Tracker has the records of the items that were handed out since it was made. All methods are
// safe for concurrent use.
type Tracker struct {
	// First means that no pool had been used when this tracker was switched on.
	First bool

	guarded   bool
	unguarded atomic.Uint64 // arrays that are on the heap although guarded is set
	book
	table // of arrays and objects
	values
	fixedList
	quarantine
}

// New returns a tracker of one in every acquisitions, or of all if full is true. It uses
// guarded memory if guarded is true and the platform has it. The tracker itself reports misuse
// that no call caused, such as leaks; its callers report the rest.
func New(every int, full, guarded bool) *Tracker {
	t := &Tracker{guarded: guarded && guard.Available}
	t.id, t.full, t.every = trackers.Add(1), full, every
	t.threshold = uint32(math.MaxUint32 / uint(every))
	maxSites := maxSitesSampled
	t.budget.limit = recordsSampled
	if full {
		maxSites = maxSitesFull
		t.budget.limit = unlimited
	}
	t.stacks.init(&t.budget)
	t.sites.init(&t.stacks, maxSites)
	t.table.init(&t.book)
	t.values.init(&t.book)
	t.fixedList.init(&t.book)
	t.quarantine.init(&t.table, full, t.guarded)
	if t.guarded {
		limit := int64(GuardSampled)
		if full {
			limit = GuardFull
		}
		guard.SetLimit(limit)
	}
	return t
}

// trackers is the number of Trackers made.
var trackers atomic.Uint64

// IDOf returns t's unique ID, or 0 for nil. Use it to identify a tracker without keeping it
// alive.
func IDOf(t *Tracker) uint64 {
	if t == nil {
		return 0
	}
	return t.id
}

// Of reports whether f belongs to t.
func (f *Fixed) Of(t *Tracker) bool { return f != nil && f.book == &t.book }

// close ends all reports that no call of a pool causes: of leaks and of writes to idle memory. When it
// returns, nobody reads idle fixed buffers any more, which users may get unchecked soon.
func (t *Tracker) close() {
	t.book.stopped.Store(true)
	for f := range t.fixedList.all {
		f.close()
	}
}

// Closed reports whether t is closed: see Switch.
func (t *Tracker) Closed() bool { return t.book.stopped.Load() }

// end deletes all records of a closed tracker. Outstanding items are not judged any more.
func (t *Tracker) end() {
	t.table.stop()
	t.values.stop()
	t.quarantine.stop()
}

// Verify verifies all items in quarantine and all idle fixed buffers, and reports each write to them
// that has not been reported before.
func (t *Tracker) Verify() {
	t.Sweep()
	var found []misuse.Finding
	for r := range t.table.all {
		if f, ok := r.verify(); !ok {
			found = append(found, f)
		}
	}
	for f := range t.fixedList.all {
		found = append(found, f.verify()...)
	}
	for _, f := range found {
		misuse.Report(f)
	}
}

// Usage is the memory of a tracker, and the number of its acquisitions.
type Usage struct {
	Bytes, Limit int64  // Limit is zero if there is none
	Tracked      uint64 // acquisitions since New
	Untracked    uint64 // acquisitions picked, but not tracked because of the limit
	Unguarded    uint64 // arrays that are on the heap, although guarded memory was asked for
}

// Usage returns the present usage of t.
func (t *Tracker) Usage() Usage {
	u := Usage{
		Bytes:     trackerSize + caller.Cached() + t.budget.used.Load() + t.quarantine.held(),
		Tracked:   t.tracked.Load(),
		Untracked: t.untracked.Load(),
		Unguarded: t.unguarded.Load(),
	}
	if !t.full {
		u.Limit = Ceiling
	}
	return u
}
