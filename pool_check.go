package basin

import (
	"reflect"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
)

// pointers reports whether values of type T can be pointers. Nothing else can be told
// apart from its equals.
func pointers[T any]() bool {
	k := reflect.TypeFor[T]().Kind()
	return k == reflect.Pointer || k == reflect.Interface
}

// A pointee is what a value points to.
type pointee struct {
	at   unsafe.Pointer
	kind reflect.Type
}

// pointeeOf returns what x points to. It reports false if x is no pointer, or if it
// points to something without a size, which nothing tells apart from others.
func pointeeOf[T any](x T) (to pointee, ok bool) {
	if !pointers[T]() { // and would be copied to the heap
		return pointee{}, false
	}
	v := reflect.ValueOf(x)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
		return pointee{}, false
	}
	return pointee{v.UnsafePointer(), v.Type()}, true
}

// trackValue has t track x, which is handed out and new.
func trackValue[T any](t *check.Tracker, o *check.Owner, x T) {
	to, ok := pointeeOf(x)
	if !ok {
		return
	}
	if t.Fresh(o, to.at) {
		t.GetValue(o, to.at, to.kind, int(to.kind.Elem().Size()))
	} else {
		t.AgainValue(to.at, to.kind, true)
	}
}

// passValue says that x is handed out, and was not picked to be tracked. If New has
// returned it before, it may be tracked all the same.
func passValue[T any](t *check.Tracker, o *check.Owner, x T, isNew bool) {
	to, ok := pointeeOf(x)
	if !ok {
		return
	}
	if isNew {
		t.Fresh(o, to.at)
	}
	t.AgainValue(to.at, to.kind, isNew)
}

// replaceValue says that Reset was given before and has returned after. If these
// differ, before is not expected back.
func replaceValue[T any](t *check.Tracker, before, after T) {
	was, ok := pointeeOf(before)
	if !ok {
		return
	}
	if is, _ := pointeeOf(after); is != was {
		t.DropValue(was.at, was.kind)
	}
}

// releaseValue says that x is put. If the verdict is Rejected, the caller has to
// report the finding.
func releaseValue[T any](t *check.Tracker, x T) (check.Verdict, check.Finding) {
	to, ok := pointeeOf(x)
	if !ok {
		return check.Unknown, check.Finding{}
	}
	return t.PutValue(to.at, to.kind)
}

// judged says that x is put, which is counted by e in class c, and reports it if that is misuse. It
// reports whether there is no more to do: x is not reused.
func judged[T any](t *check.Tracker, e *engine.Engine[T], c uint, x T) bool {
	verdict, f := releaseValue(t, x)
	if verdict == check.Unknown && !t.Full() {
		return false
	}
	e.CountPut(c)
	if verdict == check.Rejected {
		check.Report(f)
	}
	return true
}
