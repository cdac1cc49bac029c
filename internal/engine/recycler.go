package engine

// A Recycler is an engine of pointers with a table of its own, for those to whom a
// few nanoseconds do not matter: Get and Put are all there is to do. It makes no
// objects.
type Recycler[T any] struct {
	Engine[*T]
	table Table[*T]
}

// Init makes r ready. An object that is put twice in a row is kept once.
func (r *Recycler[T]) Init(c Config[*T]) {
	c.Same = func(a, b *T) bool { return a == b }
	r.Engine.Init(&r.table, c)
}

// Get returns an object of class c as it was put, or nil if none is idle.
func (r *Recycler[T]) Get(c uint) *T {
	x, ok := r.Pop(c, 0)
	if !ok {
		x, _ = r.Engine.Get(c, 0)
	}
	return x
}

// Put gives x back, which is of class c.
func (r *Recycler[T]) Put(c uint, x *T) {
	if !r.Push(c, x) {
		r.Engine.Put(c, x)
	}
}

// localBytes is how many bytes of one class a P may keep for itself.
const localBytes = 256 << 10

// ClassOf returns the class of objects that take size bytes each. A P may keep 256 KiB of
// them for itself, but at least one.
func ClassOf(size int) Class {
	return Class{Size: int64(size), Local: uint(min(max(localBytes/size, 1), Slots))}
}
