//go:build go1.25

package check

import (
	"runtime"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// Objects that basin makes itself, such as Buffers, have the same records as arrays. Checked
// objects are not reused either.

// Care has the functions that poison an object at Put and verify it later. Damage returns the
// offset of a write since then, or -1. The functions must refer to the object through their
// argument only.
type Care[T any] struct {
	Poison func(*T)
	Damage func(*T) int
	Used   func(*T) bool // whether the object was used since, in a way that Damage does not find; may be nil
	Held   int           // bytes that the object keeps alive in quarantine
}

// Judges reports whether there may be a record of x, an object or the first byte of an array.
// With sampling, that is rare.
func Judges[T any](t *Tracker, x *T) bool { return t.judges(uintptr(unsafe.Pointer(x))) }

// Object tracks x, which must be new and alone in its allocation. Pick must have returned true
// for it. size is the size to show and to count.
func Object[T any](t *Tracker, o *Owner, x *T, size int) {
	var here callers
	here.here()
	r := t.record(o, size, &here)
	t.table.watch((*byte)(unsafe.Pointer(x)), r)
}

// Release notes that x is put. The verdict is Rejected if x was put before, or belongs to
// another owner.
func Release[T any](t *Tracker, o *Owner, x *T, c Care[T]) (Verdict, misuse.Finding) {
	var here callers
	here.here()
	a := uintptr(unsafe.Pointer(x))
	s := t.table.shard(a)
	s.mu.Lock()
	r, _ := t.table.find(s, (*byte)(unsafe.Pointer(x)))
	if r == nil || r.array {
		s.mu.Unlock()
		return Unknown, misuse.Finding{}
	}
	f := r.finding()
	if r.state == put {
		s.mu.Unlock()
		f.Kind, f.Here = misuse.DoublePut, here.copied()
		return Rejected, f
	}
	c.Poison(x)
	r.state = put
	t.putBack(r, &here)
	r.damage = func() int { return c.Damage(x) } // now kept alive
	if c.Used != nil {
		r.used = func() bool { return c.Used(x) }
	}
	s.mu.Unlock()
	r.cleanup.Stop()
	t.quarantine.hold(r, c.Held+int(unsafe.Sizeof(*x)))
	runtime.KeepAlive(x)
	if r.owner != o {
		f.Kind, f.Into, f.Here = misuse.WrongPool, o.Name, here.copied()
		return Rejected, f
	}
	return Accepted, misuse.Finding{}
}

// Used returns the finding for a use of x after its Put. It reports false if no record says
// that x is put.
func Used[T any](t *Tracker, x *T) (f misuse.Finding, ok bool) {
	var here callers
	here.here()
	a := uintptr(unsafe.Pointer(x))
	s := t.table.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.table.find(s, (*byte)(unsafe.Pointer(x)))
	if r == nil || r.state != put {
		return misuse.Finding{}, false
	}
	f = r.finding()
	f.Kind, f.Here = misuse.UseAfterRelease, here.copied()
	return f, true
}

// ReportUse reports a use of x after its Put, if a record says that x is put.
func ReportUse[T any](x *T) {
	if t := Current.Load(); t != nil {
		if f, ok := Used(t, x); ok {
			misuse.Report(f)
		}
	}
}

// ReportCall is ReportUse of an object with a count of references. c is the misusing call.
func ReportCall[T any](x *T, c misuse.Call) {
	if t := Current.Load(); t != nil {
		if f, ok := Used(t, x); ok {
			f.Call = c
			misuse.Report(f)
		}
	}
}

// Here returns the stack, from its caller on.
func Here() []uintptr {
	var here callers
	here.here()
	return here.copied()
}
