//go:build go1.25

package check

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/misuse"
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
	book *book

	mu      sync.Mutex
	records map[valueKey]*value
	late    [lateValues]*value // that have been put, unless all are tracked
	oldest  int                // in late
}

// lateValues is the most values with a record that have been put, unless all are tracked. A program
// collects its garbage seldom, and until then each record would slow down others with the same hash.
const lateValues = 256

// A valueKey has a type, too, because a struct and its first field have the same address.
type valueKey struct {
	at   uintptr
	kind reflect.Type
}

type value struct {
	record
	kind        reflect.Type
	outstanding int // Gets without a Put
}

func (v *values) init(b *book) { v.book, v.records = b, make(map[valueKey]*value) }

// find returns the record of x, or nil. It ends a record of an earlier value at that address,
// or of x before the user's own finalizer resurrected it. The caller holds the lock.
func (v *values) find(x *byte, kind reflect.Type) *value {
	r := v.records[valueKey{addr(x), kind}]
	if r == nil || r.object.Value() == x {
		return r
	}
	for range r.outstanding {
		v.book.sites.cancel(r.site)
	}
	v.end(r)
	r.doubt()
	return nil
}

// end deletes r, and reports whether that had not happened before. The caller holds the lock.
func (v *values) end(r *value) bool {
	if r.ended {
		return false
	}
	r.ended = true
	if k := (valueKey{r.addr, r.kind}); v.records[k] == r {
		delete(v.records, k)
	}
	v.book.count(r.addr, -1)
	v.book.release(&r.record)
	return true
}

func (v *values) stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.records {
		r.cleanup.Stop()
		v.end(r)
	}
}

func (v *values) each(do func(*value)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.records {
		if r.outstanding > 0 && !r.exempt {
			do(r)
		}
	}
}

// GetValue notes that o hands out the value of size bytes at p, and tracks it.
func (v *values) GetValue(o *Owner, p unsafe.Pointer, kind reflect.Type, size int) {
	var here callers
	here.here()
	x := (*byte)(p)
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.find(x, kind); r != nil {
		r.outstanding++
		v.book.sites.again(r.site)
		return
	}
	v.track(o, x, kind, size, &here).handOut()
}

// track makes a record of x, which is not outstanding yet. It returns nil if it cannot. The
// caller holds the lock.
func (v *values) track(o *Owner, x *byte, kind reflect.Type, size int, here *callers) *value {
	if v.book.stopped.Load() || strict && isTiny(kind, size) || !v.book.Pay() {
		return nil
	}
	r := &value{record: *v.book.record(o, size, here), kind: kind}
	r.addr = addr(x)
	cleanup, ok := atDeath(x, v.died, r)
	if !ok {
		v.book.sites.cancel(r.site)
		v.book.release(&r.record)
		return nil
	}
	if kind.Kind() == reflect.Slice || o.permits {
		v.book.exempt(&r.record)
	}
	r.cleanup = cleanup
	r.object = weak.Make(x)
	v.book.count(r.addr, 1)
	v.records[valueKey{r.addr, kind}] = r
	return r
}

// strict is set where the runtime ends the program if a tiny object has a cleanup. Such an object may
// share its block with others, which delay the cleanup.
var strict = strings.Contains(os.Getenv("GODEBUG"), "checkfinalizers=1")

// isTiny reports whether a value of the given kind, with size bytes, may share a block with others.
func isTiny(kind reflect.Type, size int) bool { return size < 16 && !pointers(kind.Elem()) }

// pointers reports whether values of type t may contain pointers.
func pointers(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return t.Len() > 0 && pointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if pointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	default:
		return k < reflect.Bool || k > reflect.Complex128
	}
}

func (r *value) handOut() {
	if r != nil {
		r.outstanding++
	}
}

// died is called when the value of r has become garbage.
func (v *values) died(r *value) {
	v.mu.Lock()
	f := r.finding()
	again := r.leaked()
	leaked := (v.end(r) || again) && r.outstanding > 0 && !r.exempt && !v.book.stopped.Load()
	v.mu.Unlock()
	if leaked {
		for i := 0; again && i < r.outstanding; i++ {
			v.book.sites.again(r.site)
		}
		v.book.sites.leak(r.site, r.outstanding)
		v.book.reportLeak(f, r.outstanding)
	}
}

// AgainValue notes another hand-out of the value at p. It does not start tracking, but updates
// an existing record. If New has returned an outstanding value again, the number of hand-outs
// of its values is uncertain. With sampling, that owner's values are then not judged any more.
func (v *values) AgainValue(p unsafe.Pointer, kind reflect.Type, isNew bool) {
	if !v.book.judges(uintptr(p)) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if r := v.find((*byte)(p), kind); r != nil {
		r.outstanding++
		v.book.sites.again(r.site)
		if isNew && !v.book.full {
			r.owner.shares.Store(true)
		}
	}
}

// PutValue notes that the value of size bytes at p is put into o. The verdict is Rejected if
// the value is tracked and not outstanding, and Unknown if it is not tracked.
func (v *values) PutValue(o *Owner, p unsafe.Pointer, kind reflect.Type, size int) (Verdict, misuse.Finding) {
	if !v.book.judges(uintptr(p)) {
		return Unknown, misuse.Finding{}
	}
	var here callers
	here.here()
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.find((*byte)(p), kind)
	switch {
	case r == nil:
		if v.book.full && kind.Kind() == reflect.Slice {
			if r := v.track(o, (*byte)(p), kind, size, &here); r != nil {
				r.put = v.book.stacks.retain(&here)
			}
		}
		return Unknown, misuse.Finding{}
	case r.outstanding == 0 && r.owner.shares.Load():
		return Unknown, misuse.Finding{}
	case r.outstanding == 0:
		f := r.finding()
		f.Kind, f.Here = misuse.DoublePut, here.copied()
		return Rejected, f
	}
	r.outstanding--
	before := r.put
	v.book.putBack(&r.record, &here)
	v.book.stacks.release(before)
	if !v.book.full {
		v.forgetOldest(r)
	}
	return Accepted, misuse.Finding{}
}

// forgetOldest puts r into late in place of the oldest value there, whose record ends. The caller holds
// the lock.
func (v *values) forgetOldest(r *value) {
	if before := v.late[v.oldest]; before != nil && before.outstanding == 0 && v.end(before) {
		before.cleanup.Stop()
	}
	v.late[v.oldest] = r
	v.oldest = (v.oldest + 1) % lateValues
}

// DropValue takes back a hand-out of the value at p, which was put but not kept: the pool keeps
// another value in its place.
func (v *values) DropValue(p unsafe.Pointer, kind reflect.Type) {
	if !v.book.judges(uintptr(p)) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.find((*byte)(p), kind)
	if r == nil {
		return
	}
	v.book.sites.cancel(r.site)
	if r.outstanding--; r.outstanding <= 0 {
		r.cleanup.Stop()
		v.end(r)
	}
}

// Fresh notes that the New of o has returned the value at p, and reports whether it may be
// tracked. With sampling, a value that New may have returned to others before must not be.
func (v *values) Fresh(o *Owner, p unsafe.Pointer) bool { return v.book.full || o.fresh((*byte)(p)) }
