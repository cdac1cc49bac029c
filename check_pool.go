package basin

import (
	"reflect"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
)

// pointers reports whether values of type T can be pointers. Nothing else can be told apart
// from its equals.
func pointers[T any]() bool {
	k := reflect.TypeFor[T]().Kind()
	return k == reflect.Pointer || k == reflect.Interface
}

// pointee returns the pointer that x is, and the size of what it points to.
func pointee[T any](x T) (p unsafe.Pointer, size int, ok bool) {
	if !pointers[T]() { // and would be copied to the heap
		return nil, 0, false
	}
	v := reflect.ValueOf(x)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
		return nil, 0, false
	}
	return v.UnsafePointer(), int(v.Type().Elem().Size()), true
}

// picks reports whether t is to track the value that is got.
func (p *Pool[T]) picks(t *check.Tracker) bool {
	return t.Full() || p.New != nil && pointers[T]() && t.Pick()
}

// checkedGet is Get of what t is to track, which is new.
func (p *Pool[T]) checkedGet(t *check.Tracker) (x T) {
	if p.New != nil {
		x = p.New()
	}
	p.ready().CountGet(0, 0)
	if at, size, ok := pointee(x); ok {
		t.GetValue(ownerOf(&p.checkOwner, p.Name), at, size)
	}
	return x
}

// checkedPut is Put for what t knows of, which is not reused. If it does not, it reports false.
func (p *Pool[T]) checkedPut(t *check.Tracker, x T) bool {
	what, f := check.Unknown, check.Finding{}
	if at, size, ok := pointee(x); ok {
		what, f = t.PutValue(ownerOf(&p.checkOwner, p.Name), at, size)
	}
	if what == check.Unknown && !t.Full() {
		return false
	}
	p.ready().CountPut(0)
	if what == check.Rejected {
		found(f)
	}
	return true
}
