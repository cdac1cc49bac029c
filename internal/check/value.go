package check

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unsafe"
	"weak"
)

// values are the records of what users make themselves and a pool has handed out: pointers to
// anything of Go's heap. A record lives as long as its value, which it does not keep alive.
//
// A New may return a pointer again that it has returned before, so a value is out as often as it
// was handed out and not put back; it is put twice if it is put when it is not out.
type values struct {
	mu      sync.Mutex
	records map[valueKey]*value
}

// A valueKey is where a value is, and what: a struct and its first field have one address.
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

// find returns the record of x, or nil. One of something that had the same address, or of x
// before its user's own finalizer brought it back, goes. The caller holds the lock.
func (v *values) find(t *Tracker, x *byte, kind reflect.Type) *value {
	r := v.records[valueKey{addr(x), kind}]
	if r == nil || r.object.Value() == x {
		return r
	}
	r.cleanup.Stop()
	v.end(t, r)
	return nil
}

// end ends r, once. The caller holds the lock.
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
		if r.outs > 0 {
			do(r)
		}
	}
}

// GetValue says that the value of size bytes at p is handed out by o, and is to be
// tracked.
func (t *Tracker) GetValue(o *Owner, p unsafe.Pointer, kind reflect.Type, size int) {
	var here callers
	here.here()
	x := (*byte)(p)
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.find(t, x, kind); r != nil {
		r.outs++
		return
	}
	if t.stopped.Load() || !t.Pay() {
		return
	}
	r := &value{record: *t.record(o, size, &here), kind: kind, outs: 1}
	r.addr = addr(x)
	cleanup, ok := atDeath(x, t.valueDied, r)
	if !ok {
		t.release(&r.record)
		return
	}
	r.cleanup = cleanup
	r.object = weak.Make(x)
	t.count(r.addr, 1)
	v.records[valueKey{r.addr, kind}] = r
}

// atDeath has died called when x is garbage. It reports false if x never is: it is a global
// variable, or memory that is not Go's.
func atDeath(x *byte, died func(*value), r *value) (c runtime.Cleanup, ok bool) {
	defer func() {
		if recover() != nil { // what AddCleanup says of such memory
			ok = false
		}
	}()
	c = runtime.AddCleanup(x, died, r)
	return c, c != runtime.Cleanup{}
}

// valueDied is called when what r is the record of has become garbage.
func (t *Tracker) valueDied(r *value) {
	t.values.mu.Lock()
	f := r.finding()
	leaked := t.values.end(t, r) && r.outs > 0 && !t.stopped.Load()
	t.values.mu.Unlock()
	if leaked {
		t.reportLeak(f)
	}
}

// AgainValue says that the value at p is handed out, which is not to be tracked, but may be: it
// may have been handed out to somebody else before. If it is New that returns it again, nobody can
// know how often its values are out, and none of them is judged by a sample.
func (t *Tracker) AgainValue(p unsafe.Pointer, kind reflect.Type, isNew bool) {
	if !t.judges(uintptr(p)) {
		return
	}
	v := &t.values
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.find(t, (*byte)(p), kind); r != nil {
		r.outs++
		if isNew && !t.full {
			r.owner.shares.Store(true)
		}
	}
}

// PutValue says that the value at p is put. It is Rejected if it is not out, and Unknown if
// it is not tracked.
func (t *Tracker) PutValue(p unsafe.Pointer, kind reflect.Type) (Verdict, Finding) {
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
	case r == nil, r.outs == 0 && r.owner.shares.Load():
		return Unknown, Finding{}
	case r.outs == 0:
		f := r.finding()
		f.Kind, f.Here = DoublePut, here.copied()
		return Rejected, f
	}
	r.outs--
	t.stacks.put(r.put, &t.ledger)
	r.put = t.stacks.get(&here, &t.ledger)
	return Accepted, Finding{}
}

// DropValue says that the value at p was put, and that the pool does not keep it but
// something in its place.
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

// returned is an address that a New has returned. It comes again if New shares the value there or if the collector
// has freed it. The value is noted when the address comes again, and not before, as a weak pointer costs
// a microsecond: of such values the first is never tracked.
type returned struct {
	at     uintptr
	object weak.Pointer[byte]
}

// Fresh says that the New of o has returned the value at p, and reports whether it may be tracked.
// If not every acquisition is tracked, that must not be one that others may have
// been handed out before.
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

// weakly returns a weak pointer to x, or none if x never is garbage.
func weakly(x *byte) (w weak.Pointer[byte]) {
	if c, ok := atDeath(x, func(*value) {}, nil); ok {
		c.Stop()
		w = weak.Make(x)
	}
	return w
}
