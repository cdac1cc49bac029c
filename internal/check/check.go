//go:build go1.25

// Package check has the records of checked mode: which arrays are outstanding, who acquired
// them, who put them back, and whether anybody has written to them since.
//
// A checked array is never reused. It is new when it is handed out, has a [record] from then on, and
// is filled with poison when it is put. Then it waits in quarantine, first in, first out, until
// enough later arrays have been put. At the end it is verified, and left to the collector with its
// record. So misuse of a put array harms no other user, and is found as long as the record exists.
//
// Records do not keep outstanding arrays alive. If such an array becomes garbage, its cleanup
// reports the leak. It is a cleanup and not a finalizer because an object can have only one
// finalizer, which may be the user's. By the time the cleanup runs, another object may have the
// address. A weak pointer in the record tells the two apart.
package check

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/guard"
)

// A Tracker has the records of the arrays that were handed out since it was made. All methods
// are safe for concurrent use.
type Tracker struct {
	// First means that no pool had been used when this tracker was switched on.
	First bool

	id        uint64
	full      bool
	every     int
	threshold uint32 // Chance picks random numbers up to this
	guarded   bool
	stopped   atomic.Bool

	ledger             ledger // of records and stacks
	tracked, untracked atomic.Uint64

	filter     [filterSize]atomic.Int32 // number of records by hash of the address
	shards     [shardCount]shard
	index      index // arrays in shards, by address
	stacks     stacks
	sites      sites
	quarantine quarantine
	fixed      fixedList
	values     values
}

// New returns a tracker of one in every acquisitions, or of all if full is true. It uses
// guarded memory if guarded is true and the platform has it. The tracker itself reports misuse
// that no call caused, such as leaks; its callers report the rest.
func New(every int, full, guarded bool) *Tracker {
	t := &Tracker{
		id:        trackers.Add(1),
		full:      full,
		every:     every,
		threshold: uint32(math.MaxUint32 / uint(every)),
		guarded:   guarded && guard.Available,
	}
	for i := range t.shards {
		t.shards[i].records = make(map[uintptr]*record)
	}
	t.index.init()
	t.stacks.init()
	t.values.init()
	t.fixed.live = make(map[*fixedRecords]fixedEntry)
	if full {
		t.ledger.limit = unlimited
		t.sites.init(maxSitesFull)
		t.quarantine.limit, t.quarantine.count = quarantineFull, quarantineFullCount
	} else {
		t.ledger.limit = recordsSampled
		t.sites.init(maxSitesSampled)
		t.quarantine.limit, t.quarantine.count = quarantineSampled, quarantineSampledCount
		t.quarantine.maxFound = quarantineSampledFound
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

// Full reports whether every acquisition is tracked.
func (t *Tracker) Full() bool { return t.full }

// Stop ends all checks and deletes all records. Outstanding items are not judged any more.
func (t *Tracker) Stop() {
	t.stopped.Store(true)
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.records {
			r.cleanup.Stop()
			t.end(s, r)
		}
		s.mu.Unlock()
	}
	t.values.stop(t)
	t.quarantine.stop()
}

// Chance reports whether the current acquisition should be tracked.
func (t *Tracker) Chance() bool { return t.every == 1 || rand.Uint32() <= t.threshold }

// Array returns a new array of size bytes for owner o, and tracks it. The caller must have paid
// for the record: see Pick. The array is guarded, or comes from allocate. An array of allocate
// must be alone in its allocation.
func (t *Tracker) Array(o *Owner, size int, allocate func(int) []byte) []byte {
	var here callers
	here.here()
	r := t.record(o, size, &here)
	if t.guarded {
		if b := guard.Alloc(size); b != nil {
			r.array, r.guarded = true, true
			t.add(addr(unsafe.SliceData(b)), r)
			return b
		}
	}
	return t.heap(r, size, allocate)
}

// Unguarded is Array without guarded memory, for callers that need allocate's alignment:
// guarded memory of an odd size begins at an odd address.
func (t *Tracker) Unguarded(o *Owner, size int, allocate func(int) []byte) []byte {
	var here callers
	here.here()
	return t.heap(t.record(o, size, &here), size, allocate)
}

func (t *Tracker) heap(r *record, size int, allocate func(int) []byte) []byte {
	r.array = true
	b := allocate(size)
	t.watch(unsafe.SliceData(b), r)
	return b
}

// died is called when the array or object of r has become garbage.
func (t *Tracker) died(r *record) {
	s := t.shard(r.addr)
	s.mu.Lock()
	f := r.finding()
	again := r.leaked()
	leaked := (t.end(s, r) || again) && r.state == out && !r.exempt && !t.stopped.Load()
	s.mu.Unlock()
	if leaked && again {
		t.sites.again(r.site)
	}
	if leaked {
		t.sites.leak(r.site, 1)
		t.reportLeak(f, 1)
	}
}

// Exempt notes that the outstanding array at x need not be put back.
func (t *Tracker) Exempt(x *byte) {
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, _ := t.find(s, x); r != nil && r.state == out {
		t.spare(r)
	}
}

// Claim reverts Exempt. The caller's stack becomes the acquisition stack of the array.
func (t *Tracker) Claim(x *byte) {
	var here callers
	here.here()
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.find(s, x)
	if r == nil || r.state == put {
		return
	}
	t.spare(r)
	r.exempt = false
	if claimed := t.stacks.get(&here, &t.ledger); claimed != nil {
		t.stacks.put(r.acquired, &t.ledger)
		r.acquired = claimed
	}
	r.site, r.goroutine = t.sites.get(t, r.owner.Name, r.acquired), recordedGoroutine()
}

// Judges reports whether there may be a record of x, an object or the first byte of an array.
// With sampling, that is rare.
func Judges[T any](t *Tracker, x *T) bool { return t.judges(uintptr(unsafe.Pointer(x))) }

func (t *Tracker) judges(a uintptr) bool {
	return t.full || t.filter[hash(a)%filterSize].Load() != 0
}

// A Verdict is the result of checking a Put against the records.
type Verdict uint8

const (
	Unknown  Verdict = iota // no record: not handed out by this tracker, or long ago
	Accepted                // it was outstanding, and is put now
	Rejected                // it is misuse
	Unjudged                // its record is lost, by Stop or otherwise: it may have been outstanding
)

// Put takes the array at x with the given capacity back into o. The caller must report the
// Finding of a rejected Put.
func (t *Tracker) Put(o *Owner, x *byte, capacity int) (Verdict, Finding) {
	var here callers
	here.here()
	s := t.shard(addr(x))
	s.mu.Lock()
	r, stale := t.find(s, x)
	if r == nil {
		s.mu.Unlock()
		if stale || t.stopped.Load() {
			return Unjudged, Finding{}
		}
		return Unknown, Finding{}
	}
	f := r.finding()
	switch {
	case r.state == put:
		f.Kind = DoublePut
	case capacity != r.size:
		f.Kind, f.Offset = ReslicedPut, capacity
		if r.state == out {
			t.spare(r) // one report is enough: no leak in addition
		}
	case !r.belongs(o):
		f.Kind = WrongPool
	}
	if f.Kind != 0 {
		f.Here = here.copied()
	}
	if f.Kind == DoublePut || f.Kind == ReslicedPut {
		s.mu.Unlock()
		return Rejected, f
	}
	r.state = put
	t.putBack(r, t.stacks.get(&here, &t.ledger))
	if f.Kind == 0 && r.owner == o { // another default pool may take it, too
		r.onEnd = nil
	}
	if !r.guarded {
		b := unsafe.Slice(x, r.size)
		Fill(b)
		r.contents = b // keeps the array alive
	}
	s.mu.Unlock()
	if r.guarded {
		guard.Free(x, func(array uintptr) { t.forget(array) })
	} else {
		r.cleanup.Stop()
		t.hold(r, r.size)
	}
	if f.Kind == WrongPool {
		return Rejected, f
	}
	return Accepted, Finding{}
}

// forget ends the record of the guarded array at a.
func (t *Tracker) forget(a uintptr) {
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.records[a]; r != nil && r.guarded {
		t.end(s, r)
	}
}

// Out reports whether an array of the given size at x is outstanding.
func (t *Tracker) Out(x *byte, size int) bool {
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.find(s, x)
	return r != nil && r.state == out && r.size == size
}

// OnEnd sets ended to be called when the record of x ends without a correct Put. Its argument
// is nil if x is garbage, else x, which is no longer tracked. ended runs under a lock. OnEnd
// returns false and does nothing if there is no such record, or if x is guarded memory, which
// is never garbage.
func (t *Tracker) OnEnd(x *byte, ended func(x *byte)) bool {
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.find(s, x)
	if r == nil || r.guarded {
		return false
	}
	r.onEnd = ended
	return true
}

// Known reports whether there is, or was before Stop, a record of x or of an array around x.
func (t *Tracker) Known(x *byte) bool {
	s := t.shard(addr(x))
	s.mu.Lock()
	r := s.records[addr(x)]
	s.mu.Unlock()
	return r != nil || t.Inside(nil, x, 0).Kind != ForeignPut || t.stopped.Load()
}

// Inside returns the finding for a Put of a slice at x, where no tracked array begins:
// InteriorPut if a tracked array is around x, WrongPool for a buffer of a fixed pool, or else
// ForeignPut.
func (t *Tracker) Inside(o *Owner, x *byte, capacity int) Finding {
	if f, _, ok := t.inside(x, capacity, o != nil); ok {
		return f
	}
	var here callers
	here.here()
	for f := range t.fixed.all {
		if i, offset, ok := f.index(addr(x)); ok {
			f := f.finding(i)
			f.Kind, f.Offset, f.Here = WrongPool, offset, here.copied()
			return f
		}
	}
	return Finding{Kind: ForeignPut, Owner: o, Size: capacity, Here: here.copied()}
}

// inside finds the tracked array that has x in its middle, and its state. If exempt is true, an
// outstanding array is exempted.
func (t *Tracker) inside(x *byte, capacity int, exempt bool) (f Finding, state state, ok bool) {
	a := addr(x)
	for _, r := range t.index.around(a, capacity) {
		s := t.shard(r.addr)
		s.mu.Lock()
		if r.ended || r.state == out && !r.guarded && r.object.Value() == nil {
			s.mu.Unlock()
			continue // garbage: the address belongs to another object now
		}
		f := r.finding()
		state = r.state
		if exempt && state == out {
			t.spare(r)
		}
		s.mu.Unlock()
		var here callers
		here.here()
		f.Kind, f.Offset, f.Here = InteriorPut, int(a-r.addr), here.copied()
		return f, state, true
	}
	return f, out, false
}

// Verify verifies all arrays in quarantine and all idle fixed buffers, and reports each write
// to them that has not been reported before.
func (t *Tracker) Verify() {
	t.Sweep()
	var found []Finding
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.records {
			if f, ok := r.verify(); !ok {
				found = append(found, f)
			}
		}
		s.mu.Unlock()
	}
	for f := range t.fixed.all {
		found = append(found, f.verify()...)
	}
	for _, f := range found {
		Report(f)
	}
}
