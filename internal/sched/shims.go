//go:build basin_sched

package sched

import "time"

// Each operation is a point, and then a plain load or store: only one thread runs
// at a time.

type Bool struct{ v bool }

func (b *Bool) Load() bool   { point(); return b.v }
func (b *Bool) Store(v bool) { point(); b.v = v }

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

// LoadUintptr and StoreUintptr have the names of those in sync/atomic.

func LoadUintptr(p *uintptr) uintptr     { point(); return *p }
func StoreUintptr(p *uintptr, v uintptr) { point(); *p = v }

type Pointer[T any] struct{ v *T }

func (p *Pointer[T]) Load() *T   { point(); return p.v }
func (p *Pointer[T]) Store(v *T) { point(); p.v = v }

// A Mutex is taken by any of those who wait for it, which is more than sync.Mutex
// allows.
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

// Held reports whether somebody holds the lock.
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

// GOMAXPROCS sets the number of Ps, if n is larger than zero, for which the world
// stops, and returns what it was.
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

// Gosched is one more point.
func Gosched() { point() }

// Now is what the scheduler's clock says; only GC and Advance move it.
func Now() time.Duration { return w.clock }

// Completed returns how many collections have been completed.
func Completed() uint64 { return w.collections }

// MemoryLimit returns the program's limit.
func MemoryLimit() int64 { return w.memoryLimit }

// SetFinalizer leaves f to a GC that begins from now on.
func SetFinalizer[T any](x *T, f func(*T)) {
	w.left[Finalizers] = append(w.left[Finalizers], func() { f(x) })
}

// AddCleanup does so, too.
func AddCleanup[T, S any](_ *T, f func(S), arg S) {
	w.left[Cleanups] = append(w.left[Cleanups], func() { f(arg) })
}
