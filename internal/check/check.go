// Package check is what checked mode knows: which arrays are out, who acquired
// them, who put them back, and whether anybody has written to them since.
//
// A checked array is never reused. It is new when it is handed out, has a [record] from
// then on, and is filled with poison when it is put. Then it waits in quarantine until so
// much else has been put since, first in, first out, is verified, and left to the
// collector with its record. So whoever misuses it harms nobody, and is found while the
// record is there.
//
// An array that is out is not kept alive. If it becomes garbage its cleanup finds the leak. It
// is a cleanup and not a finalizer because there can be only one finalizer, which may be the
// user's. By the time it runs, something else may have the address, so a record also has a
// weak pointer, which tells the two apart.
package check

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/guard"
)

// A Tracker has records of the arrays that were handed out since it was made.
// All methods may be called from many goroutines at once.
type Tracker struct {
	// First says that no pool had been used when this began.
	First bool

	id        uint64
	full      bool
	every     int
	threshold uint32 // a random number up to this is picked
	guarded   bool
	stopped   atomic.Bool

	ledger             ledger // of records and stacks
	tracked, untracked atomic.Uint64

	filter     [filterSize]atomic.Int32 // how many records there are, by a hash of the address
	shards     [shardCount]shard
	index      index // of the arrays in shards
	stacks     stacks
	quarantine quarantine
	fixed      fixedList
	values     values
}

// New returns a tracker of one in every acquisitions, or if full is true, of all. It uses
// guarded memory if that is asked for and to be had. It reports what is found when no call is
// to blame; the rest is for its callers to report.
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
		t.quarantine.limit, t.quarantine.count = quarantineFull, quarantineFullCount
	} else {
		t.ledger.limit = recordsSampled
		t.quarantine.limit, t.quarantine.count = quarantineSampled, quarantineSampledCount
		t.quarantine.maxFound = quarantineSampledFound
	}
	return t
}

// trackers counts those that have been made.
var trackers atomic.Uint64

// IDOf returns what no other tracker has, or 0 for nil: for who has to remember a tracker, and is
// not to keep it alive.
func IDOf(t *Tracker) uint64 {
	if t == nil {
		return 0
	}
	return t.id
}

// Full reports whether every acquisition is tracked.
func (t *Tracker) Full() bool { return t.full }

// Stop ends all findings: what is out is not judged any more, and nothing of it is kept.
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

// Chance reports whether the present acquisition is one that should be tracked.
func (t *Tracker) Chance() bool { return t.every == 1 || rand.Uint32() <= t.threshold }

// Array returns a new array of size bytes for owner o, and tracks it. That is to have been
// paid for: see Pick. It is from allocate, whose arrays must have nothing else in their
// allocation, or guarded.
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

// Unguarded is Array for what has to begin where allocate has it begin. Guarded memory of an odd
// size begins at an odd address.
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

// died is called when what r is the record of has become garbage.
func (t *Tracker) died(r *record) {
	s := t.shard(r.addr)
	s.mu.Lock()
	f := r.finding()
	leaked := t.end(s, r) && r.state == out && !r.exempt && !t.stopped.Load()
	s.mu.Unlock()
	if leaked {
		t.reportLeak(f)
	}
}

// Exempt says of an array that is out that it need not be put back.
func (t *Tracker) Exempt(x *byte) {
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, _ := t.find(s, x); r != nil {
		r.exempt = true
	}
}

// Claim is the contrary of Exempt, and says that the array is acquired only now.
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
	r.exempt = false
	if claimed := t.stacks.get(&here, &t.ledger); claimed != nil {
		t.stacks.put(r.acquired, &t.ledger)
		r.acquired = claimed
	}
}

// Judges reports whether the records may say anything of x, an object or the first byte of an
// array. If not every acquisition is tracked, they seldom do.
func Judges[T any](t *Tracker, x *T) bool { return t.judges(uintptr(unsafe.Pointer(x))) }

func (t *Tracker) judges(a uintptr) bool {
	return t.full || t.filter[hash(a)%filterSize].Load() != 0
}

// A Verdict is what the records say of an array that is put.
type Verdict uint8

const (
	Unknown  Verdict = iota // no record: not handed out by this tracker, or long ago
	Accepted                // it was out, and is put now
	Rejected                // it is misuse
	Unjudged                // its record is lost, by Stop or otherwise: it may have been out
)

// Put takes an array back that owner o was given, with the given capacity. What
// is wrong with it is for the caller to report.
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
		r.exempt = true // that is enough of a report
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
	r.state, r.put = put, t.stacks.get(&here, &t.ledger)
	if !r.guarded {
		b := unsafe.Slice(x, r.size)
		Fill(b)
		r.contents = b // now kept alive
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

// Out reports whether an array of the given size at x is out.
func (t *Tracker) Out(x *byte, size int) bool {
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.find(s, x)
	return r != nil && r.state == out && r.size == size
}

// Known reports whether there is, or may have been before Stop, a record of x, or of an array
// that it is inside of.
func (t *Tracker) Known(x *byte) bool {
	s := t.shard(addr(x))
	s.mu.Lock()
	r := s.records[addr(x)]
	s.mu.Unlock()
	return r != nil || t.Inside(nil, x, 0).Kind != ForeignPut || t.stopped.Load()
}

// Inside reports what it is to put a slice that begins at x, which no record does:
// the middle of an array that has one, or, by default, something foreign.
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

// inside finds the array with a record that a slice at x is in the middle of, and the state of that,
// which it exempts on request.
func (t *Tracker) inside(x *byte, capacity int, exempt bool) (f Finding, state state, ok bool) {
	a := addr(x)
	for _, r := range t.index.around(a, capacity) {
		s := t.shard(r.addr)
		s.mu.Lock()
		if r.ended || r.state == out && !r.guarded && r.object.Value() == nil {
			s.mu.Unlock()
			continue // garbage: what is there now is something else
		}
		f := r.finding()
		r.exempt = r.exempt || exempt
		state = r.state
		s.mu.Unlock()
		var here callers
		here.here()
		f.Kind, f.Offset, f.Here = InteriorPut, int(a-r.addr), here.copied()
		return f, state, true
	}
	return f, out, false
}

// Verify looks at everything in quarantine, and at what fixed buffers are put, and
// reports each write to them that it has not reported before.
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
