package check

import (
	"runtime"
	"sync"
	"unsafe"
)

// values are the records of what users make themselves and keep in a pool: pointers to
// anything. Finalizers are out of the question, the user may have set one. So
// what was put is held on to for a while, that its address stays its own.
type values struct {
	mu      sync.Mutex
	records map[unsafe.Pointer]*valueRecord // keeps alive what was put
	out     map[uintptr]*valueRecord        // by address, which is not kept alive
	recent  []unsafe.Pointer                // what was put, a ring
	next    int
	keep    int // size of the ring
}

type valueRecord struct {
	record
	cleanup runtime.Cleanup
}

// How many values are held on to after they were put, if all acquisitions are tracked or some:
// then they are to be few in the filter.
const (
	keepValuesFull    = 4096
	keepValuesSampled = 256
)

func (v *values) init(keep int) {
	v.keep = keep
	v.records = make(map[unsafe.Pointer]*valueRecord)
	v.out = make(map[uintptr]*valueRecord)
}

// GetValue says that the value of size bytes at x is handed out by o.
func (t *Tracker) GetValue(o *Owner, x unsafe.Pointer, size int) {
	r := &valueRecord{record: record{owner: o, size: size, acquired: Caller()}}
	a := uintptr(x)
	t.count(a, 1)
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	v.out[a] = r
	r.cleanup = runtime.AddCleanup((*byte)(x), func(r *valueRecord) {
		t.count(a, -1)
		v.mu.Lock()
		if v.out[a] == r {
			delete(v.out, a)
		}
		v.mu.Unlock()
		if !t.stopped.Load() {
			f := r.finding()
			f.Kind = Leak
			t.report(f)
		}
	}, r)
}

// PutValue says that the value at x is put. It is Rejected if it is there already, and Unknown if
// it is not tracked.
func (t *Tracker) PutValue(o *Owner, x unsafe.Pointer, size int) (Verdict, Finding) {
	a := uintptr(x)
	if !t.judges(a) {
		return Unknown, Finding{}
	}
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.records[x]; r != nil {
		f := r.finding()
		f.Kind, f.Here = DoublePut, Caller()
		return Rejected, f
	}
	r := v.out[a]
	switch {
	case r != nil:
		delete(v.out, a)
		r.cleanup.Stop()
	case t.Full(): // it comes from somewhere else, which is allowed
		r = &valueRecord{record: record{owner: o, size: size}}
		t.count(a, 1)
	default:
		return Unknown, Finding{}
	}
	r.state, r.put = put, Caller()
	v.records[x] = r
	if len(v.recent) < v.keep {
		v.recent = append(v.recent, x)
	} else {
		delete(v.records, v.recent[v.next])
		t.count(uintptr(v.recent[v.next]), -1)
		v.recent[v.next] = x
		v.next = (v.next + 1) % v.keep
	}
	return Accepted, Finding{}
}

func (v *values) each(do func(*record)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.out {
		do(&r.record)
	}
}
