package check

import (
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Fixed has the records of the buffers of one block, which is never collected. They are
// verified when they are handed out again.
type Fixed struct {
	tracker *Tracker
	owner   *Owner
	block   []byte
	size    int
	fill    byte // what buffers are filled with when they are put

	mu      sync.Mutex               // guards what records refer to, and their change
	records []atomic.Pointer[record] // nil where nothing is known
}

// Fixed returns new records of a block of buffers. While they are put they are full of
// poison, or zero if that is what the pool promises.
func (t *Tracker) Fixed(o *Owner, block []byte, size int, zero bool) *Fixed {
	f := &Fixed{tracker: t, owner: o, block: block, size: size, fill: Poison, records: make([]atomic.Pointer[record], len(block)/size)}
	if zero {
		f.fill = 0
	}
	t.fixed.add(f)
	return f
}

// Of reports whether f are the records of t.
func (f *Fixed) Of(t *Tracker) bool { return f != nil && f.tracker == t }

func (f *Fixed) buffer(i int) []byte { return f.block[i*f.size : (i+1)*f.size] }

// Get says that buffer i is handed out. If it is known to have been written to since it was put, ok
// is false.
func (f *Fixed) Get(i int) (found Finding, ok bool) {
	var r *record
	if f.tracker.Pick() {
		r = &record{owner: f.owner, size: f.size, acquired: Caller()}
	} else if !f.Knows(i) {
		return found, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok = f.look(i)
	f.records[i].Store(r)
	return found, ok
}

// Knows reports whether there is a record of buffer i.
func (f *Fixed) Knows(i int) bool { return f.records[i].Load() != nil }

// look verifies buffer i. The caller holds the lock.
func (f *Fixed) look(i int) (found Finding, ok bool) {
	r := f.records[i].Load()
	if r == nil || r.state != put || r.spoiled {
		return Finding{}, true
	}
	at := differs(f.buffer(i), f.fill)
	if at < 0 {
		return Finding{}, true
	}
	r.spoiled = true
	found = r.finding()
	found.Kind, found.Offset = WriteAfterPut, at
	return found, false
}

// Put says that buffer i is put. If it was put before, ok is false.
func (f *Fixed) Put(i int) (found Finding, ok bool) {
	if !f.Knows(i) {
		return Finding{}, true
	}
	here := Caller()
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.records[i].Load()
	if r == nil {
		return Finding{}, true
	}
	if r.state == put {
		found = r.finding()
		found.Kind, found.Here = DoublePut, here
		return found, false
	}
	r.state, r.put = put, here
	fill(f.buffer(i), f.fill)
	return Finding{}, true
}

// Inside says that something was put that begins at x, inside of a buffer.
func (f *Fixed) Inside(x *byte) Finding {
	i, offset, _ := f.index(addr(x))
	found := f.finding(i)
	found.Kind, found.Offset, found.Here = InteriorPut, offset, Caller()
	return found
}

func (f *Fixed) finding(i int) Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.records[i].Load(); r != nil {
		return r.finding()
	}
	return Finding{Owner: f.owner, Size: f.size}
}

// index returns which buffer is at address a, and where in it that is.
func (f *Fixed) index(a uintptr) (i, offset int, ok bool) {
	at := a - uintptr(unsafe.Pointer(unsafe.SliceData(f.block)))
	if at >= uintptr(len(f.block)) {
		return 0, 0, false
	}
	return int(at) / f.size, int(at) % f.size, true
}

func (f *Fixed) verify() (found []Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.records {
		if bad, ok := f.look(i); !ok {
			found = append(found, bad)
		}
	}
	return found
}

func (f *Fixed) each(do func(*record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.records {
		if r := f.records[i].Load(); r != nil {
			do(r)
		}
	}
}

// A fixedList is all Fixed of a tracker that are in use.
type fixedList struct {
	mu   sync.Mutex
	list []weak.Pointer[Fixed]
}

func (l *fixedList) add(f *Fixed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, weak.Make(f))
}

// all calls yield for each.
func (l *fixedList) all(yield func(*Fixed) bool) {
	l.mu.Lock()
	var live []*Fixed
	kept := l.list[:0]
	for _, w := range l.list {
		if f := w.Value(); f != nil {
			live, kept = append(live, f), append(kept, w)
		}
	}
	clear(l.list[len(kept):])
	l.list = kept
	l.mu.Unlock()
	for _, f := range live {
		if !yield(f) {
			return
		}
	}
}
