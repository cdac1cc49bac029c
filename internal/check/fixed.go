//go:build go1.25

package check

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/misuse"
)

// Fixed has the records of the buffers of one block. The block is never collected, so buffers
// are verified when they are handed out again.
type Fixed struct {
	book  *book
	owner *Owner
	block []byte
	size  int
	fill  byte // content of a buffer after its Put

	known []atomic.Uint64 // a bit for each buffer that has a record
	*fixedRecords
}

// fixedRecords is the part of a Fixed that its cleanup needs.
type fixedRecords struct {
	mu      sync.Mutex      // guards records, and changes of known
	records map[int]*record // by index of the buffer
	cost    int64
}

// A fixedList has every live Fixed of a tracker.
type fixedList struct {
	book *book

	mu   sync.Mutex
	live map[*fixedRecords]weak.Pointer[Fixed]
}

func (l *fixedList) init(b *book) {
	l.book, l.live = b, make(map[*fixedRecords]weak.Pointer[Fixed])
}

// Fixed returns new records for a block of buffers of the given size, or nil if they would exceed
// the tracker's memory limit, or if the tracker is closed. Idle buffers are filled with poison, or with zeros if zero is true.
func (l *fixedList) Fixed(o *Owner, block []byte, size int, zero bool) *Fixed {
	if l.book.stopped.Load() {
		return nil
	}
	words := (len(block)/size + 63) / 64
	cost := int64(fixedCost + words*8)
	if !l.book.budget.take(cost, reservedForPuts) {
		l.book.untracked.Add(1)
		return nil
	}
	f := &Fixed{book: l.book, owner: o, block: block, size: size, fill: Poison, known: make([]atomic.Uint64, words)}
	f.fixedRecords = &fixedRecords{records: make(map[int]*record), cost: cost}
	if zero {
		f.fill = 0
	}
	l.add(f)
	return f
}

func (f *Fixed) buffer(i int) []byte { return f.block[i*f.size : (i+1)*f.size] }

// Knows reports whether there is a record of buffer i.
func (f *Fixed) Knows(i int) bool { return f.known[i/64].Load()>>(i%64)&1 != 0 }

// set replaces the record of buffer i by r, or deletes it if r is nil. The caller holds the
// lock.
func (f *Fixed) set(i int, r *record) {
	if old := f.records[i]; old != nil {
		if old.state == out {
			f.book.sites.cancel(old.site)
		}
		f.book.release(old)
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
func (f *Fixed) Get(i int, picked bool) (found misuse.Finding, ok bool) {
	if !picked && !f.Knows(i) {
		return found, true
	}
	var here callers
	here.here()
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok = f.check(i)
	var r *record
	if picked {
		r = f.book.record(f.owner, f.size, &here)
	}
	f.set(i, r)
	return found, ok
}

// Forget deletes the record of buffer i.
func (f *Fixed) Forget(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set(i, nil)
}

// check returns the misuse and false if buffer i was written to while idle, unless that was
// reported before. The caller holds the lock.
func (f *Fixed) check(i int) (found misuse.Finding, ok bool) {
	r := f.records[i]
	if r == nil || r.state != put || r.reported {
		return misuse.Finding{}, true
	}
	at := differs(f.buffer(i), f.fill)
	if at < 0 {
		return misuse.Finding{}, true
	}
	r.reported = true
	found = r.finding()
	found.Kind, found.Offset = misuse.WriteAfterPut, at
	return found, false
}

// Put notes that buffer i is put. If it was put before, Put returns the misuse and false. filled says
// that Put has filled the buffer; from then on, only the next Get may touch it.
func (f *Fixed) Put(i int) (found misuse.Finding, filled, ok bool) {
	if !f.Knows(i) {
		return misuse.Finding{}, false, true
	}
	var here callers
	here.here()
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.records[i]
	if r == nil {
		return misuse.Finding{}, false, true
	}
	if r.state == put {
		found = r.finding()
		found.Kind, found.Here = misuse.DoublePut, here.copied()
		return found, false, false
	}
	r.state = put
	f.book.putBack(r, &here)
	fill(f.buffer(i), f.fill)
	return misuse.Finding{}, true, true
}

// Inside returns the finding for a Put of a slice that begins at x, in the middle of a buffer.
func (f *Fixed) Inside(x *byte) misuse.Finding {
	var here callers
	here.here()
	i, offset, _ := f.index(addr(x))
	found := f.finding(i)
	found.Kind, found.Offset, found.Here = misuse.InteriorPut, offset, here.copied()
	return found
}

func (f *Fixed) finding(i int) misuse.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.records[i]; r != nil {
		return r.finding()
	}
	return misuse.Finding{Pool: &f.owner.Pool, Size: f.size}
}

// index returns the index of the buffer at address a, and the offset of a in it.
func (f *Fixed) index(a uintptr) (i, offset int, ok bool) {
	at := a - uintptr(unsafe.Pointer(unsafe.SliceData(f.block)))
	if at >= uintptr(len(f.block)) {
		return 0, 0, false
	}
	return int(at) / f.size, int(at) % f.size, true
}

// close waits for a verify that is running. A later one does nothing.
func (f *Fixed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
}

func (f *Fixed) verify() (writes []misuse.Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.book.stopped.Load() {
		return nil
	}
	for i := range f.records {
		if bad, ok := f.check(i); !ok {
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

func (l *fixedList) add(f *Fixed) {
	runtime.AddCleanup(f, l.drop, f.fixedRecords)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live[f.fixedRecords] = weak.Make(f)
}

// drop releases the records of a Fixed that is garbage.
func (l *fixedList) drop(f *fixedRecords) {
	l.mu.Lock()
	delete(l.live, f)
	l.mu.Unlock()
	for _, r := range f.records { // no other references: no lock
		if r.state == out {
			l.book.sites.cancel(r.site)
		}
		l.book.release(r)
	}
	l.book.budget.give(f.cost)
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
