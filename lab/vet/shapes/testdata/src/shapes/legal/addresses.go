package legal

import (
	"fmt"
	"unsafe"

	"github.com/basin-go/basin"
)

// Where memory was may be asked after Put: nothing of it is read.

func same(a, b []byte) bool { return unsafe.SliceData(a) == unsafe.SliceData(b) }

func sameFirst(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return &a[0] == &b[0]
}

func inside(a, b []byte) bool {
	at, from := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	return from <= at && at < from+uintptr(cap(a))
}

func HandsOutTheSame() bool {
	a := basin.Get(100)
	basin.Put(a)
	b := basin.Get(100)
	ok := unsafe.SliceData(a) == unsafe.SliceData(b)
	basin.Put(b)
	return ok
}

func HandsOutTheSameByCall() bool {
	a := basin.Get(100)
	basin.Put(a)
	b := basin.Get(100)
	ok := same(a, b) || sameFirst(a, b) || inside(a, b)
	basin.Put(b)
	return ok
}

func PrintsWhere() string {
	a := basin.Get(100)
	basin.Put(a)
	return fmt.Sprintf("it was %d bytes at %p", cap(a), a)
}
