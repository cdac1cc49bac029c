//go:build go1.25 && basin_sched

package sched

import "time"

// Each operation is a point, followed by a plain load or store, because only one thread runs at a
// time.

type Bool struct{ v bool }

func (b *Bool) Load() bool   { point(); return b.v }
func (b *Bool) Store(v bool) { point(); b.v = v }
func (b *Bool) CompareAndSwap(old, new bool) bool {
	point()
	if b.v != old {
		return false
	}
	b.v = new
	return true
}

type integer interface {
	~int64 | ~uint32 | ~uint64 | ~uintptr
}

type number[N integer] struct{ v N }

func (n *number[N]) Load() N   { point(); return n.v }
func (n *number[N]) Store(v N) { point(); n.v = v }
func (n *number[N]) Add(d N) N { point(); n.v += d; return n.v }
func (n *number[N]) CompareAndSwap(old, new N) bool {
	point()
	if n.v != old {
		return false
	}
	n.v = new
	return true
}

type (
	Int64   = number[int64]
	Uint32  = number[uint32]
	Uint64  = number[uint64]
	Uintptr = number[uintptr]
)

// LoadUintptr and StoreUintptr have the names of the functions in sync/atomic.

func LoadUintptr(p *uintptr) uintptr     { point(); return *p }
func StoreUintptr(p *uintptr, v uintptr) { point(); *p = v }

type Pointer[T any] struct{ v *T }

func (p *Pointer[T]) Load() *T   { point(); return p.v }
func (p *Pointer[T]) Store(v *T) { point(); p.v = v }

// Any thread that waits for a Mutex may get it next, which is more than sync.Mutex allows.
type Mutex struct{ locked bool }

func (m *Mutex) Lock() {
	if w.current != nil && w.current.pinned {
		fail("a lock is taken while pinned")
	}
	wait(waiting{mutex: m})
	m.locked = true
}

func (m *Mutex) TryLock() bool {
	point()
	if m.locked {
		return false
	}
	m.locked = true
	return true
}

// Held reports whether a thread holds the lock.
func (m *Mutex) Held() bool { return m.locked }

func (m *Mutex) Unlock() {
	if !m.locked && !w.aborting {
		fail("a lock is released that nobody holds")
	}
	m.locked = false
}

type Once struct {
	mutex Mutex
	done  bool
}

func (o *Once) Do(f func()) {
	point()
	if o.done {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.done {
		defer func() { o.done = true }()
		f()
	}
}

// GOMAXPROCS returns the number of Ps. If n is larger than zero, it stops the world and sets the
// number to n.
func GOMAXPROCS(n int) int {
	if n > 0 {
		Stop()
	} else {
		point()
	}
	before := w.procs
	if n > 0 {
		w.procs = n
		w.moves++
	}
	return before
}

// Gosched is a point.
func Gosched() { point() }

// Now returns the time on the scheduler's clock. Only GC and Advance move the clock.
func Now() time.Duration { return w.clock }

// Completed returns the number of completed collections.
func Completed() uint64 { return w.collections }

// MemoryLimit returns the program's memory limit.
func MemoryLimit() int64 { return w.memoryLimit }

// SetFinalizer leaves f to the first GC that begins from now on.
func SetFinalizer[T any](x *T, f func(*T)) {
	w.left[Finalizers] = append(w.left[Finalizers], func() { f(x) })
}

// AddCleanup leaves f(arg) to the first GC that begins from now on.
func AddCleanup[T, S any](_ *T, f func(S), arg S) {
	w.left[Cleanups] = append(w.left[Cleanups], func() { f(arg) })
}
