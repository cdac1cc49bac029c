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
}

type valueRecord struct {
	record
	cleanup runtime.Cleanup
}

// keepValues is how many values are held on to after they were put.
const keepValues = 4096

func (v *values) init() {
	v.records = make(map[unsafe.Pointer]*valueRecord)
	v.out = make(map[uintptr]*valueRecord)
}

// GetValue says that the value of size bytes at x is handed out by o.
func (t *Tracker) GetValue(o *Owner, x unsafe.Pointer, size int) {
	r := &valueRecord{record: record{owner: o, size: size, acquired: Caller()}}
	a := uintptr(x)
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	v.out[a] = r
	r.cleanup = runtime.AddCleanup((*byte)(x), func(r *valueRecord) {
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

// PutValue says that the value at x is put. If it is there already, ok is false.
func (t *Tracker) PutValue(o *Owner, x unsafe.Pointer, size int) (f Finding, ok bool) {
	here := Caller()
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.records[x]; r != nil {
		f = r.finding()
		f.Kind, f.Here = DoublePut, here
		return f, false
	}
	r := v.out[uintptr(x)]
	if r == nil { // it comes from somewhere else, which is allowed
		r = &valueRecord{record: record{owner: o, size: size}}
	} else {
		delete(v.out, uintptr(x))
		r.cleanup.Stop()
	}
	r.state, r.put = put, here
	v.records[x] = r
	if len(v.recent) < keepValues {
		v.recent = append(v.recent, x)
	} else {
		delete(v.records, v.recent[v.next])
		v.recent[v.next] = x
		v.next = (v.next + 1) % keepValues
	}
	return Finding{}, true
}

func (v *values) each(do func(*record)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.out {
		do(&r.record)
	}
}
