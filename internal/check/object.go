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
}

// Object tracks x, which must be new and alone in its allocation. It need not be put
// if it is exempt.
func Object[T any](t *Tracker, o *Owner, x *T, size int, exempt bool) {
	t.add(uintptr(unsafe.Pointer(x)), &record{owner: o, size: size, acquired: Caller(), exempt: exempt})
	runtime.SetFinalizer(x, func(x *T) { t.leaked(uintptr(unsafe.Pointer(x))) })
}

// Release says that x is given back. It is Rejected if that has been said before, or if x
// is another owner's.
func Release[T any](t *Tracker, o *Owner, x *T, c Care[T]) (Verdict, Finding) {
	a := uintptr(unsafe.Pointer(x))
	here := Caller()
	s := t.shard(a)
	s.mu.Lock()
	r := s.records[a]
	if r == nil {
		s.mu.Unlock()
		return Unknown, Finding{}
	}
	f := r.finding()
	f.Here = here
	if r.state == put {
		s.mu.Unlock()
		f.Kind = DoublePut
		return Rejected, f
	}
	c.Poison(x)
	r.state, r.put = put, here
	r.damage = func() int { return c.Damage(x) } // now kept alive
	s.mu.Unlock()
	runtime.SetFinalizer(x, nil)
	t.quarantine.add(a, r)
	if r.owner != o {
		f.Kind = WrongPool
		return Rejected, f
	}
	return Accepted, Finding{}
}

// Used says that x is used although it has been given back. It reports whether there is
// a record of that.
func Used[T any](t *Tracker, x *T) (f Finding, ok bool) {
	a := uintptr(unsafe.Pointer(x))
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records[a]
	if r == nil || r.state != put {
		return Finding{}, false
	}
	f = r.finding()
	f.Kind, f.Here = UseAfterRelease, Caller()
	return f, true
}
