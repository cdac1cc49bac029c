//go:build go1.25

package basin

import (
	"reflect"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
)

// points reports whether values of type T can be pointers or slices. Checks cannot identify other
// values.
func points[T any]() bool {
	k := reflect.TypeFor[T]().Kind()
	return k == reflect.Pointer || k == reflect.Slice || k == reflect.Interface
}

// A pointee identifies the object that a value points to; for a slice, its array.
type pointee struct {
	at   unsafe.Pointer
	kind reflect.Type // type of the value
}

// pointeeOf returns the pointee of x and its size in bytes. It returns false if x is not a pointer
// or slice, or if the pointee has no size: several objects without a size may share one address.
func pointeeOf[T any](x T) (to pointee, size int, ok bool) {
	if !points[T]() { // avoids copying x to the heap
		return pointee{}, 0, false
	}
	v := reflect.ValueOf(x)
	n := 1
	switch v.Kind() {
	case reflect.Pointer:
	case reflect.Slice:
		n = v.Cap()
	default:
		return pointee{}, 0, false
	}
	if size = n * int(v.Type().Elem().Size()); v.IsNil() || size == 0 {
		return pointee{}, 0, false
	}
	return pointee{v.UnsafePointer(), v.Type()}, size, true
}

// trackValue makes t track x, which is new and handed out.
func trackValue[T any](t *check.Tracker, o *check.Owner, x T) {
	to, size, ok := pointeeOf(x)
	if !ok {
		return
	}
	if t.Fresh(o, to.at) {
		t.GetValue(o, to.at, to.kind, size)
	} else {
		t.AgainValue(to.at, to.kind, true)
	}
}

// passValue tells the tracker that x is handed out and was not picked to be tracked. x may be
// tracked nevertheless, if New has returned it before.
func passValue[T any](t *check.Tracker, o *check.Owner, x T, isNew bool) {
	to, _, ok := pointeeOf(x)
	if !ok {
		return
	}
	if isNew {
		t.Fresh(o, to.at)
	}
	t.AgainValue(to.at, to.kind, isNew)
}

// replaceValue tells the tracker that Reset was given before and returned after. If these differ,
// before need not be put back.
func replaceValue[T any](t *check.Tracker, before, after T) {
	was, _, ok := pointeeOf(before)
	if !ok {
		return
	}
	if is, _, _ := pointeeOf(after); is != was {
		t.DropValue(was.at, was.kind)
	}
}

// releaseValue tells the tracker that x is put into the pool of o. If the verdict is Rejected, the
// caller must report the finding.
func releaseValue[T any](t *check.Tracker, o *check.Owner, x T) (check.Verdict, misuse.Finding) {
	to, size, ok := pointeeOf(x)
	if !ok {
		return check.Unknown, misuse.Finding{}
	}
	return t.PutValue(o, to.at, to.kind, size)
}

// judged tells the tracker that x is put into the pool of o, counts the Put in class c of e, and
// reports misuse. It returns true if Put is done with x, and false if the pool may reuse x.
func judged[T any](t *check.Tracker, o *check.Owner, e *engine.Engine[T], c uint, x T) bool {
	verdict, f := releaseValue(t, o, x)
	if verdict == check.Unknown && !t.Full() {
		return false
	}
	if verdict == check.Rejected {
		e.CountDouble(c)
		misuse.Report(f)
		return true
	}
	e.CountChecked(c)
	return true
}
