package check

import (
	"runtime"
	"unsafe"
)

// Objects that basin makes itself have records of the same kind as arrays have. They are not
// reused either.

// Care is what is done to an object when it is put, and what tells later where it has been
// written to since, or -1. Neither may refer to the object but by its argument.
type Care[T any] struct {
	Poison func(*T)
	Damage func(*T) int
	Held   int // bytes that the object keeps alive while it waits in quarantine
}

// Object tracks x, which must be new and alone in its allocation, for which Pick has paid. What
// is said to be its size is shown and counted. It need not be put if it is exempt.
func Object[T any](t *Tracker, o *Owner, x *T, size int, exempt bool) {
	var here callers
	here.here()
	r := t.record(o, size, &here)
	r.exempt = exempt
	t.watch((*byte)(unsafe.Pointer(x)), r)
}

// Release says that x is given back. It is Rejected if that has been said before, or if x
// is another owner's.
func Release[T any](t *Tracker, o *Owner, x *T, c Care[T]) (Verdict, Finding) {
	var here callers
	here.here()
	a := uintptr(unsafe.Pointer(x))
	s := t.shard(a)
	s.mu.Lock()
	r, _ := t.find(s, (*byte)(unsafe.Pointer(x)))
	if r == nil || r.array {
		s.mu.Unlock()
		return Unknown, Finding{}
	}
	f := r.finding()
	if r.state == put {
		s.mu.Unlock()
		f.Kind, f.Here = DoublePut, here.copied()
		return Rejected, f
	}
	c.Poison(x)
	r.state, r.put = put, t.stacks.get(&here, &t.ledger)
	r.damage = func() int { return c.Damage(x) } // now kept alive
	s.mu.Unlock()
	r.cleanup.Stop()
	t.hold(r, c.Held+int(unsafe.Sizeof(*x)))
	runtime.KeepAlive(x)
	if r.owner != o {
		f.Kind, f.Here = WrongPool, here.copied()
		return Rejected, f
	}
	return Accepted, Finding{}
}

// Used says that x is used although it has been given back. It reports whether there is
// a record of that.
func Used[T any](t *Tracker, x *T) (f Finding, ok bool) {
	var here callers
	here.here()
	a := uintptr(unsafe.Pointer(x))
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.find(s, (*byte)(unsafe.Pointer(x)))
	if r == nil || r.state != put {
		return Finding{}, false
	}
	f = r.finding()
	f.Kind, f.Here = UseAfterRelease, here.copied()
	return f, true
}

// ReportUse reports that x is used although it has been given back, if there is a record of
// that.
func ReportUse[T any](x *T) {
	if t := Current.Load(); t != nil {
		if f, ok := Used(t, x); ok {
			Report(f)
		}
	}
}
