//go:build go1.25

package basinscope

import (
	"reflect"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
)

// With full checks each value is alone in its allocation and has a record, as memory of pools has.
// At the end it is not reused, but worn: its pointers are nil, its strings say so, and all else is
// poison. Checks keep it for a while and report a write to it.

const (
	poisonString = "basinscope: a string of a scope that has ended"
	tiny         = 16 // smaller objects may share a block
)

// checkedSlice returns n zero values, which t tracks.
func checkedSlice[T any](s *Scope, t *check.Tracker, n int) []T {
	defer s.leave(t)
	size := int(unsafe.Sizeof(*new(T)))
	b := make([]T, max(n, (tiny+size-1)/size))[:n:n]
	k := kindOf[T]()
	s.hold(n * size)
	s.charge(n * size)
	o := check.OwnerIn(&k.owner, nameOf[T]())
	if !t.Pick() {
		return b
	}
	check.Object(t, o, &b[0], n*size)
	c := s.ensure()
	c.checked = append(c.checked, func() { giveChecked(t, o, k, b) })
	return b
}

// giveChecked ends the use of b, which t tracked.
func giveChecked[T any](t *check.Tracker, o *check.Owner, k *kind[T], b []T) {
	worn := k.wornValue()
	if check.Current.Load() != t {
		wear(b, worn)
		return
	}
	_, f := check.Release(t, o, &b[0], check.Care[T]{
		Poison: func(*T) { wear(b, worn) },
		Damage: func(*T) int { return damage(b, worn) },
		Held:   len(b) * int(unsafe.Sizeof(*worn)),
	})
	if f.Kind != 0 {
		misuse.Report(f)
	}
}

// wear makes all values of b worn ones.
func wear[T any](b []T, worn *T) {
	clear(b) // padding, too
	for i := range b {
		b[i] = *worn
	}
}

// damage returns the offset of the first byte of b that is not as wear left it, or -1.
func damage[T any](b []T, worn *T) int {
	want := bytesOf(worn)
	for i := range b {
		for at, c := range bytesOf(&b[i]) {
			if c != want[at] {
				return i*len(want) + at
			}
		}
	}
	return -1
}

// bytesOf returns the memory of x, to be read only.
func bytesOf[T any](x *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x))
}

// wornValue returns a value as it is after the end.
func (k *kind[T]) wornValue() *T {
	k.worn.Do(func() {
		k.faded = new(T)
		fade(reflect.ValueOf(k.faded).Elem())
	})
	return k.faded
}

// fade makes v, which is zero, a worn value.
func fade(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			fade(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()) // fields that are not exported, too
		}
	case reflect.Array:
		for i := range v.Len() {
			fade(v.Index(i))
		}
	case reflect.String:
		v.SetString(poisonString)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		check.Fill(unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size()))
	}
}
