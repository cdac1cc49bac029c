// Package check is what checked mode knows: which arrays are out, who acquired
// them, who put them back, and whether anybody has written to them since.
//
// A checked array is never reused. It is new when it is handed out, has a [record] from
// then on, and is filled with poison when it is put. Then it waits in quarantine until so
// much else has been put since, first in, first out, is verified, and left to the
// collector with its record. So whoever misuses it harms nobody, and is found while the
// record is there.
//
// An array that is out is not kept alive. If it becomes garbage its finalizer finds the leak. It is
// a finalizer and not a cleanup because that holds on to the array until it has run: no other
// array can have the address of one that has a record.
package check

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/guard"
)

// A Tracker has records of the arrays that were handed out since it was made.
// All methods may be called from many goroutines at once.
type Tracker struct {
	every     int
	threshold uint32 // a random number up to this is picked
	guarded   bool
	report    func(Finding)
	stopped   atomic.Bool

	filter     [filterSize]atomic.Int32 // how many records there are, by a hash of the address
	shards     [shardCount]shard
	quarantine quarantine
	fixed      fixedList
	values     values
}

// New returns a tracker of one in every acquisitions, in guarded memory if that is
// asked for and to be had. What is found when no call is to blame is told to report.
func New(every int, guarded bool, report func(Finding)) *Tracker {
	t := &Tracker{
		every:     every,
		threshold: uint32(math.MaxUint32 / uint(every)),
		guarded:   guarded && guard.Available,
		report:    report,
	}
	for i := range t.shards {
		t.shards[i].records = make(map[uintptr]*record)
	}
	if t.Full() {
		t.quarantine.limit, t.quarantine.count = quarantineFull, quarantineFullCount
		t.values.init(keepValuesFull)
	} else {
		t.quarantine.limit, t.quarantine.count = quarantineSampled, quarantineSampledCount
		t.values.init(keepValuesSampled)
	}
	return t
}

// Full reports whether every acquisition is tracked.
func (t *Tracker) Full() bool { return t.every == 1 }

// Stop ends all findings: what is out is not judged any more.
func (t *Tracker) Stop() { t.stopped.Store(true) }

// Pick reports whether the present acquisition is to be tracked.
func (t *Tracker) Pick() bool { return t.every == 1 || rand.Uint32() <= t.threshold }

// Array returns a new array of size bytes for owner o, and tracks it. It is from
// allocate, whose arrays must have nothing else in their allocation, or guarded.
func (t *Tracker) Array(o *Owner, size int, allocate func(int) []byte) []byte {
	r := &record{owner: o, size: size, acquired: Caller()}
	if t.guarded {
		if b := guard.Alloc(size); b != nil {
			r.guarded = true
			t.add(addr(unsafe.SliceData(b)), r)
			return b
		}
	}
	b := allocate(size)
	x := unsafe.SliceData(b)
	t.add(addr(x), r)
	runtime.SetFinalizer(x, func(x *byte) { t.leaked(addr(x)) })
	return b
}

// leaked is called when what is out has become garbage.
func (t *Tracker) leaked(a uintptr) {
	r := t.remove(a)
	if r == nil || r.exempt || t.stopped.Load() {
		return
	}
	f := r.finding()
	f.Kind = Leak
	t.report(f)
}

// Exempt says of an array that is out that it need not be put back.
func (t *Tracker) Exempt(x *byte) {
	s := t.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.records[addr(x)]; r != nil {
		r.exempt = true
	}
}

// Judges reports whether the records may say anything of x, an object or the first byte of an
// array. If not every acquisition is tracked, they seldom do.
func Judges[T any](t *Tracker, x *T) bool { return t.judges(uintptr(unsafe.Pointer(x))) }

func (t *Tracker) judges(a uintptr) bool {
	return t.Full() || t.filter[hash(a)%filterSize].Load() != 0
}

// A Verdict is what the records say of an array that is put.
type Verdict uint8

const (
	Unknown  Verdict = iota // no record: not handed out by this tracker, or long ago
	Accepted                // it was out, and is put now
	Rejected                // it is misuse
)

// Put takes an array back that owner o was given, with the given capacity. What
// is wrong with it is for the caller to report.
func (t *Tracker) Put(o *Owner, x *byte, capacity int) (Verdict, Finding) {
	s := t.shard(addr(x))
	s.mu.Lock()
	r := s.records[addr(x)]
	if r == nil {
		s.mu.Unlock()
		return Unknown, Finding{}
	}
	f := r.finding()
	f.Here = Caller()
	switch {
	case r.state == put:
		f.Kind = DoublePut
	case capacity != r.size:
		f.Kind, f.Offset = ReslicedPut, capacity
		r.exempt = true // that is enough of a report
	case r.owner != o && !(r.owner.Default.Load() && o.Default.Load()):
		f.Kind = WrongPool
	}
	if f.Kind == DoublePut || f.Kind == ReslicedPut {
		s.mu.Unlock()
		return Rejected, f
	}
	r.state, r.put = put, f.Here
	if !r.guarded {
		b := unsafe.Slice(x, r.size)
		Fill(b)
		r.array = b // now kept alive
	}
	s.mu.Unlock()
	if r.guarded {
		guard.Free(x, func(array uintptr) { t.remove(array) })
	} else {
		runtime.SetFinalizer(x, nil)
		t.quarantine.add(addr(x), r)
	}
	if f.Kind == WrongPool {
		return Rejected, f
	}
	return Accepted, Finding{}
}

// Inside reports what it is to put a slice that begins at x, which no record does:
// the middle of an array that has one, or, by default, something foreign. It looks at all
// records.
func (t *Tracker) Inside(o *Owner, x *byte, capacity int) Finding {
	a := addr(x)
	here := Caller()
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for base, r := range s.records {
			if a > base && a < base+uintptr(r.size) {
				f := r.finding()
				r.exempt = true
				s.mu.Unlock()
				f.Kind, f.Offset, f.Here = InteriorPut, int(a-base), here
				return f
			}
		}
		s.mu.Unlock()
	}
	for f := range t.fixed.all {
		if i, offset, ok := f.index(a); ok {
			f := f.finding(i)
			f.Kind, f.Offset, f.Here = WrongPool, offset, here
			return f
		}
	}
	return Finding{Kind: ForeignPut, Owner: o, Size: capacity, Here: here}
}

// Verify looks at everything in quarantine, and at what fixed buffers are put, and
// reports each write to them that it has not reported before.
func (t *Tracker) Verify() {
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
		t.report(f)
	}
}
