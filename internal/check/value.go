//go:build go1.25

package check

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unsafe"
	"weak"
)

// values has the records of values that users make and pools hand out: pointers into Go's heap,
// and the arrays of slices. A record lives as long as its value, but does not keep it alive.
//
// An append may replace the array of a slice before it is put. So a slice need not be put back,
// and the array that is put may have no record. With full tracking it gets one at Put, because
// a second Put of it would give one array to two users. A pointer may be put by several users
// for good reason, so it gets no record at Put.
//
// New may return the same pointer several times. So a record counts how often its value is
// outstanding; a Put is a double Put if that count is 0.
type values struct {
	mu      sync.Mutex
	records map[valueKey]*value
}

// A valueKey has a type, too, because a struct and its first field have the same address.
type valueKey struct {
	at   uintptr
	kind reflect.Type
}

type value struct {
	record
	kind reflect.Type
	outs int
}

func (v *values) init() { v.records = make(map[valueKey]*value) }

// find returns the record of x, or nil. It ends a record of an earlier value at that address,
// or of x before the user's own finalizer resurrected it. The caller holds the lock.
func (v *values) find(t *Tracker, x *byte, kind reflect.Type) *value {
	r := v.records[valueKey{addr(x), kind}]
	if r == nil || r.object.Value() == x {
		return r
	}
	for range r.outs {
		t.sites.cancel(r.site)
	}
	v.end(t, r)
	r.doubt()
	return nil
}

// end deletes r, and reports whether that had not happened before. The caller holds the lock.
func (v *values) end(t *Tracker, r *value) bool {
	if r.ended {
		return false
	}
	r.ended = true
	if k := (valueKey{r.addr, r.kind}); v.records[k] == r {
		delete(v.records, k)
	}
	t.count(r.addr, -1)
	t.release(&r.record)
	return true
}

func (v *values) stop(t *Tracker) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.records {
		r.cleanup.Stop()
		v.end(t, r)
	}
}

func (v *values) each(do func(*value)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.records {
		if r.outs > 0 && !r.exempt {
			do(r)
		}
	}
}

// GetValue notes that o hands out the value of size bytes at p, and tracks it.
func (t *Tracker) GetValue(o *Owner, p unsafe.Pointer, kind reflect.Type, size int) {
	var here callers
	here.here()
	x := (*byte)(p)
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.find(t, x, kind); r != nil {
		r.outs++
		t.sites.again(r.site)
		return
	}
	v.track(t, o, x, kind, size, &here).handOut()
}

// track makes a record of x, which is not outstanding yet. It returns nil if it cannot. The
// caller holds the lock.
func (v *values) track(t *Tracker, o *Owner, x *byte, kind reflect.Type, size int, here *callers) *value {
	if t.stopped.Load() || !t.Pay() {
		return nil
	}
	r := &value{record: *t.record(o, size, here), kind: kind}
	r.addr = addr(x)
	cleanup, ok := atDeath(x, t.valueDied, r)
	if !ok {
		t.sites.cancel(r.site)
		t.release(&r.record)
		return nil
	}
	if kind.Kind() == reflect.Slice {
		t.spare(&r.record)
	}
	r.cleanup = cleanup
	r.object = weak.Make(x)
	t.count(r.addr, 1)
	v.records[valueKey{r.addr, kind}] = r
	return r
}

func (r *value) handOut() {
	if r != nil {
		r.outs++
	}
}

// atDeath sets died to be called when x is garbage. It reports false if x is never garbage,
// because it is a global variable or not in Go's heap.
func atDeath(x *byte, died func(*value), r *value) (c runtime.Cleanup, ok bool) {
	defer func() {
		if recover() != nil { // AddCleanup panics for such memory
			ok = false
		}
	}()
	c = runtime.AddCleanup(x, died, r)
	return c, c != runtime.Cleanup{}
}

// valueDied is called when the value of r has become garbage.
func (t *Tracker) valueDied(r *value) {
	t.values.mu.Lock()
	f := r.finding()
	again := r.leaked()
	leaked := (t.values.end(t, r) || again) && r.outs > 0 && !r.exempt && !t.stopped.Load()
	t.values.mu.Unlock()
	if leaked {
		for i := 0; again && i < r.outs; i++ {
			t.sites.again(r.site)
		}
		t.sites.leak(r.site, r.outs)
		t.reportLeak(f, r.outs)
	}
}

// AgainValue notes another hand-out of the value at p. It does not start tracking, but updates
// an existing record. If New has returned an outstanding value again, the number of hand-outs
// of its values is uncertain. With sampling, that owner's values are then not judged any more.
func (t *Tracker) AgainValue(p unsafe.Pointer, kind reflect.Type, isNew bool) {
	if !t.judges(uintptr(p)) {
		return
	}
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.find(t, (*byte)(p), kind); r != nil {
		r.outs++
		t.sites.again(r.site)
		if isNew && !t.full {
			r.owner.shares.Store(true)
		}
	}
}

// PutValue notes that the value of size bytes at p is put into o. The verdict is Rejected if
// the value is tracked and not outstanding, and Unknown if it is not tracked.
func (t *Tracker) PutValue(o *Owner, p unsafe.Pointer, kind reflect.Type, size int) (Verdict, Finding) {
	if !t.judges(uintptr(p)) {
		return Unknown, Finding{}
	}
	var here callers
	here.here()
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.find(t, (*byte)(p), kind)
	switch {
	case r == nil:
		if t.full && kind.Kind() == reflect.Slice {
			if r := v.track(t, o, (*byte)(p), kind, size, &here); r != nil {
				r.put = t.stacks.get(&here, &t.ledger)
			}
		}
		return Unknown, Finding{}
	case r.outs == 0 && r.owner.shares.Load():
		return Unknown, Finding{}
	case r.outs == 0:
		f := r.finding()
		f.Kind, f.Here = DoublePut, here.copied()
		return Rejected, f
	}
	r.outs--
	before := r.put
	t.putBack(&r.record, t.stacks.get(&here, &t.ledger))
	t.stacks.put(before, &t.ledger)
	return Accepted, Finding{}
}

// DropValue takes back a hand-out of the value at p, which was put but not kept: the pool keeps
// another value in its place.
func (t *Tracker) DropValue(p unsafe.Pointer, kind reflect.Type) {
	if !t.judges(uintptr(p)) {
		return
	}
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.find(t, (*byte)(p), kind)
	if r == nil {
		return
	}
	t.sites.cancel(r.site)
	if r.outs--; r.outs <= 0 {
		r.cleanup.Stop()
		v.end(t, r)
	}
}

// recent has the last addresses that a New has returned.
type recent struct {
	mu   sync.Mutex
	at   [16]returned
	next int
}

// returned is an address that a New has returned. It recurs if New returns a shared value, or
// if the collector has freed the first value. Only the second occurrence notes a weak pointer,
// which costs a microsecond. So the first value to recur is never tracked.
type returned struct {
	at     uintptr
	object weak.Pointer[byte]
}

// Fresh notes that the New of o has returned the value at p, and reports whether it may be
// tracked. With sampling, a value that New may have returned to others before must not be.
func (t *Tracker) Fresh(o *Owner, p unsafe.Pointer) bool {
	if t.full {
		return true
	}
	r := o.made.Load()
	if r == nil {
		o.made.CompareAndSwap(nil, new(recent))
		r = o.made.Load()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.shares.Load() {
		return false
	}
	if i := slices.IndexFunc(r.at[:], func(b returned) bool { return b.at == uintptr(p) }); i >= 0 {
		before := r.at[i].object
		r.at[i].object = weakly((*byte)(p))
		return before != weak.Pointer[byte]{} && before != r.at[i].object
	}
	r.at[r.next] = returned{at: uintptr(p)}
	r.next = (r.next + 1) % len(r.at)
	return true
}

// weakly returns a weak pointer to x, or none if x is never garbage.
func weakly(x *byte) (w weak.Pointer[byte]) {
	if c, ok := atDeath(x, func(*value) {}, nil); ok {
		c.Stop()
		w = weak.Make(x)
	}
	return w
}
