package check

import (
	"runtime"
	"unsafe"
	"weak"
)

// Objects that basin makes itself have records of the same kind as arrays have. They are not
// reused either.

// Object tracks x, which must be new and alone in its allocation. Once it is put, damage
// tells where it was written to, or -1. It must not refer to x.
func Object[T any](t *Tracker, o *Owner, x *T, size int, exempt bool, damage func(*T) int) {
	r := &record{owner: o, size: size, acquired: Caller(), exempt: exempt}
	w := weak.Make(x)
	r.damage = func() int {
		if x := w.Value(); x != nil {
			return damage(x)
		}
		return -1 // the finalizer is about to look
	}
	t.add((*byte)(unsafe.Pointer(x)), r)
	runtime.SetFinalizer(x, func(x *T) {
		t.end(t.remove(uintptr(unsafe.Pointer(x))), func(*record) int { return damage(x) })
	})
}

// Intact is the damage of what cannot be written to.
func Intact[T any](*T) int { return -1 }

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
	r.state, r.put = put, here
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
