//go:build go1.25

package check

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Fixed has the records of the buffers of one block. The block is never collected, so buffers
// are verified when they are handed out again.
type Fixed struct {
	tracker *Tracker
	owner   *Owner
	block   []byte
	size    int
	fill    byte // content of a buffer after its Put

	known []atomic.Uint64 // a bit for each buffer that has a record
	*fixedRecords
}

// fixedRecords is the part of a Fixed that its cleanup needs.
type fixedRecords struct {
	mu      sync.Mutex      // guards records, and changes of known
	records map[int]*record // by index of the buffer
	cost    int64
}

// Fixed returns new records for a block of buffers of the given size, or nil if the tracker's
// memory limit leaves no room for them. Idle buffers are filled with poison, or with zeros if
// zero is true.
func (t *Tracker) Fixed(o *Owner, block []byte, size int, zero bool) *Fixed {
	words := (len(block)/size + 63) / 64
	cost := int64(fixedCost + words*8)
	if !t.ledger.take(cost, spareForPuts) {
		t.untracked.Add(1)
		return nil
	}
	f := &Fixed{tracker: t, owner: o, block: block, size: size, fill: Poison, known: make([]atomic.Uint64, words)}
	f.fixedRecords = &fixedRecords{records: make(map[int]*record), cost: cost}
	if zero {
		f.fill = 0
	}
	t.fixed.add(t, f)
	return f
}

// Of reports whether f belongs to t.
func (f *Fixed) Of(t *Tracker) bool { return f != nil && f.tracker == t }

func (f *Fixed) buffer(i int) []byte { return f.block[i*f.size : (i+1)*f.size] }

// Knows reports whether there is a record of buffer i.
func (f *Fixed) Knows(i int) bool { return f.known[i/64].Load()>>(i%64)&1 != 0 }

// set replaces the record of buffer i by r, or deletes it if r is nil. The caller holds the
// lock.
func (f *Fixed) set(i int, r *record) {
	if old := f.records[i]; old != nil {
		if old.state == out {
			f.tracker.sites.cancel(old.site)
		}
		f.tracker.release(old)
	}
	if r == nil {
		delete(f.records, i)
		f.known[i/64].And(^(1 << (i % 64)))
		return
	}
	f.records[i] = r
	f.known[i/64].Or(1 << (i % 64))
}

// Get notes that buffer i is handed out, and tracks it if picked is true. If the buffer was
// written to while idle, Get returns the misuse and false.
func (f *Fixed) Get(i int, picked bool) (misuse Finding, ok bool) {
	if !picked && !f.Knows(i) {
		return misuse, true
	}
	var here callers
	here.here()
	f.mu.Lock()
	defer f.mu.Unlock()
	misuse, ok = f.look(i)
	var r *record
	if picked {
		r = f.tracker.record(f.owner, f.size, &here)
	}
	f.set(i, r)
	return misuse, ok
}

// Forget deletes the record of buffer i.
func (f *Fixed) Forget(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set(i, nil)
}

// look returns the misuse and false if buffer i was written to while idle, once. The caller
// holds the lock.
func (f *Fixed) look(i int) (misuse Finding, ok bool) {
	r := f.records[i]
	if r == nil || r.state != put || r.spoiled {
		return Finding{}, true
	}
	at := differs(f.buffer(i), f.fill)
	if at < 0 {
		return Finding{}, true
	}
	r.spoiled = true
	misuse = r.finding()
	misuse.Kind, misuse.Offset = WriteAfterPut, at
	return misuse, false
}

// Put notes that buffer i is put. If it was put before, Put returns the misuse and false.
func (f *Fixed) Put(i int) (misuse Finding, ok bool) {
	if !f.Knows(i) {
		return Finding{}, true
	}
	var here callers
	here.here()
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.records[i]
	if r == nil {
		return Finding{}, true
	}
	if r.state == put {
		misuse = r.finding()
		misuse.Kind, misuse.Here = DoublePut, here.copied()
		return misuse, false
	}
	r.state = put
	f.tracker.putBack(r, f.tracker.stacks.get(&here, &f.tracker.ledger))
	fill(f.buffer(i), f.fill)
	return Finding{}, true
}

// Inside returns the finding for a Put of a slice that begins at x, in the middle of a buffer.
func (f *Fixed) Inside(x *byte) Finding {
	var here callers
	here.here()
	i, offset, _ := f.index(addr(x))
	misuse := f.finding(i)
	misuse.Kind, misuse.Offset, misuse.Here = InteriorPut, offset, here.copied()
	return misuse
}

func (f *Fixed) finding(i int) Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.records[i]; r != nil {
		return r.finding()
	}
	return Finding{Owner: f.owner, Size: f.size}
}

// index returns the index of the buffer at address a, and the offset of a in it.
func (f *Fixed) index(a uintptr) (i, offset int, ok bool) {
	at := a - uintptr(unsafe.Pointer(unsafe.SliceData(f.block)))
	if at >= uintptr(len(f.block)) {
		return 0, 0, false
	}
	return int(at) / f.size, int(at) % f.size, true
}

func (f *Fixed) verify() (writes []Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.records {
		if bad, ok := f.look(i); !ok {
			writes = append(writes, bad)
		}
	}
	return writes
}

func (f *Fixed) each(do func(*record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.records {
		do(r)
	}
}

// A fixedList has every live Fixed of a tracker.
type fixedList struct {
	mu   sync.Mutex
	live map[*fixedRecords]fixedEntry
}

type fixedEntry = weak.Pointer[Fixed]

func (l *fixedList) add(t *Tracker, f *Fixed) {
	runtime.AddCleanup(f, l.drop, dropped{t, f.fixedRecords})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live[f.fixedRecords] = weak.Make(f)
}

type dropped struct {
	tracker *Tracker
	records *fixedRecords
}

// drop releases the records of a Fixed that is garbage, and their memory budget.
func (l *fixedList) drop(d dropped) {
	l.mu.Lock()
	delete(l.live, d.records)
	l.mu.Unlock()
	for _, r := range d.records.records { // no other references: no lock
		if r.state == out {
			d.tracker.sites.cancel(r.site)
		}
		d.tracker.release(r)
	}
	d.tracker.ledger.give(d.records.cost)
}

// all calls yield for each live Fixed, without the lock.
func (l *fixedList) all(yield func(*Fixed) bool) {
	l.mu.Lock()
	var live []*Fixed
	for _, w := range l.live {
		if f := w.Value(); f != nil {
			live = append(live, f)
		}
	}
	l.mu.Unlock()
	for _, f := range live {
		if !yield(f) {
			return
		}
	}
}
