package basin

import (
	"reflect"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
)

// pointee returns the pointer that x is, and the size of what it points to. Nothing else
// can be told apart from its equals.
func pointee[T any](x T) (p unsafe.Pointer, size int, ok bool) {
	v := reflect.ValueOf(x)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
		return nil, 0, false
	}
	return v.UnsafePointer(), int(v.Type().Elem().Size()), true
}

// checkedGet is Get while everything is tracked: values are not reused.
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

// checkedPut is Put while everything is tracked.
func (p *Pool[T]) checkedPut(t *check.Tracker, x T) {
	p.ready().CountPut(0)
	if at, size, ok := pointee(x); ok {
		if f, ok := t.PutValue(ownerOf(&p.checkOwner, p.Name), at, size); !ok {
			found(f)
		}
	}
}
