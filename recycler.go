package basin

import (
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A recycler keeps objects that nobody uses, class by class: the fast path of
// BytePool for what is not bytes. It makes none; Get returns nil instead.
type recycler[T any] struct {
	table  engine.Table[*T]
	engine engine.Engine[*T]
}

// recyclerIdle is how many bytes a recycler of objects of one size keeps.
const recyclerIdle = 4 << 20

// init makes r ready for objects of the given classes.
func (r *recycler[T]) init(maxIdle int64, classes func() []engine.Class) {
	r.engine.Init(&r.table, engine.Config[*T]{
		Classes:  classes,
		Bits:     sizeclass.Bits,
		MaxIdle:  maxIdle,
		IdleTime: DefaultIdleTime,
		Same:     func(a, b *T) bool { return a == b },
	})
}

// newRecycler returns a recycler of objects, all of class 0, that take size bytes.
func newRecycler[T any](size int) *recycler[T] {
	r := new(recycler[T])
	r.init(recyclerIdle, func() []engine.Class { return []engine.Class{engineClass(size)} })
	return r
}

// localIdle is how many bytes of one class a P may keep for itself.
const localIdle = 256 << 10

// engineClass is the class of objects that take size bytes each.
func engineClass(size int) engine.Class {
	return engine.Class{Size: int64(size), Local: uint(min(max(localIdle/size, 1), engine.Slots))}
}

// Get returns an object of the class as it was put, or nil if there is none.
func (r *recycler[T]) Get(class uint) *T {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if r.table.Has(i) {
		m := r.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x := m.Pop(top, 0)
			pin.Unpin()
			return x
		}
	}
	pin.Unpin()
	x, _ := r.engine.Get(class, 0)
	return x
}

// Put gives x back. An object that is put twice in a row is kept once.
func (r *recycler[T]) Put(class uint, x *T) { r.engine.Put(class, x) }
