package check

import (
	"runtime"
	"unsafe"
	"weak"
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
func Object[T any](t *Tracker, o *Owner, x *T, size int, exempt bool, c Care[T]) {
	r := &record{owner: o, size: size, acquired: Caller(), exempt: exempt}
	finalizer := func(x *T) { t.end(t.remove(uintptr(unsafe.Pointer(x))), nil) }
	if c.Damage != nil {
		w := weak.Make(x)
		r.poison = func() { c.Poison(w.Value()) }
		r.damage = func() int {
			if x := w.Value(); x != nil {
				return c.Damage(x)
			}
			return -1 // the finalizer is about to look
		}
		finalizer = func(x *T) {
			t.end(t.remove(uintptr(unsafe.Pointer(x))), func(*record) int { return c.Damage(x) })
		}
	}
	t.add((*byte)(unsafe.Pointer(x)), r)
	runtime.SetFinalizer(x, finalizer)
}

// Release says that x is given back. It is Rejected if that has been said before, or if x
// is another owner's.
func Release[T any](t *Tracker, o *Owner, x *T) (Verdict, Finding) {
	a := uintptr(unsafe.Pointer(x))
	here := Caller()
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records[a]
	if r == nil {
		return Unknown, Finding{}
	}
	f := r.finding()
	f.Here = here
	switch {
	case r.state == put:
		f.Kind = DoublePut
		return Rejected, f
	case r.owner != o:
		f.Kind = WrongPool
	}
	if r.poison != nil {
		r.poison()
	}
	r.state, r.put = put, here
	runtime.KeepAlive(x) // poison takes it for alive
	if f.Kind != 0 {
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
