package basin

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
)

// DefaultMaxItems is what a [Pool] keeps if it is not told otherwise.
const DefaultMaxItems = 4096

// A Pool keeps values of one type for reuse: pointers, slices, structs,
// interfaces. They are stored as they are, so neither Get nor Put allocates.
// The zero Pool is ready to use:
//
//	var headers basin.Pool[[]string]
//
// Between Get and Put a value belongs to the caller, who may pass it on to
// another goroutine; after Put nobody may use what it refers to. A value
// that is never put back is collected as garbage and costs nothing but its
// reuse. A value that has never been in the pool may be put there.
//
// A value that has been taken is not referred to by the pool any more. Putting
// the same value twice hands it out twice: two values that are equal need not be
// the same, so a Pool cannot tell.
//
// The fields must not be changed once the Pool is in use, and the Pool must not
// be copied; go vet reports copies. All methods may be called from many
// goroutines at once.
//
// The idea of a pool that holds values, not pointers to them, is that of
// github.com/colega/zeropool.
type Pool[T any] struct {
	table engine.Table[T] // of the engine's magazines

	// Reset, if not nil, is applied to each value that is put, and what it
	// returns is kept. It is the place to clear what the next user must not
	// see and to let go of what the pool should not keep alive:
	//
	//	func(b []byte) []byte { return b[:0] }
	//
	// If it panics, nothing has been put, and the value is the caller's still.
	Reset func(T) T

	// New makes a value when there is none to reuse. If it is nil, Get returns
	// the zero T then. If it panics, nothing has been taken.
	New func() T

	// Name labels the pool in statistics.
	Name string

	// MaxIdle is the largest number of values that the pool keeps while
	// nobody uses them. It holds at every moment and includes what is kept
	// for each P. Zero means DefaultMaxItems. The first use of the pool
	// panics if it is negative.
	MaxIdle int

	// IdleTime is how long values that nobody needs may stay, as in [Config].
	// Zero means DefaultIdleTime. The first use of the pool panics if it is
	// negative.
	IdleTime time.Duration

	engine atomic.Pointer[engine.Engine[T]] // made by the first use

	// For checks: see check_pool.go.
	checkOwner atomic.Pointer[check.Owner]
}

// NewPool returns a pool that makes values with newItem when there is none to
// reuse. If newItem is nil, they are zero.
func NewPool[T any](newItem func() T) *Pool[T] { return &Pool[T]{New: newItem} }

// Get takes a value that was put before, or else a new one.
func (p *Pool[T]) Get() (x T) {
	// This and Put are written out flat, as in BytePool, and copy an x of unknown
	// size as few times as can be. They are not nosplit: their frame is as
	// large as T.
	i := uint(pin.Pin())
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			slot := m.Slot(top)
			x = *slot
			*slot = *new(T) // or the magazine would keep alive what the user drops
			m.Popped()
			pin.Unpin()
			return x
		}
	}
	pin.Unpin()
	return p.get()
}

// Put gives x to the pool, after Reset. If the pool holds MaxIdle values, x is
// dropped and counted.
func (p *Pool[T]) Put(x T) {
	if p.Reset != nil {
		x = p.Reset(x)
	}
	i := uint(pin.Pin())
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) {
			*m.Slot(n) = x
			m.Pushed()
			pin.Unpin()
			return
		}
	}
	pin.Unpin()
	p.put(x)
}

// put is the slow path of Put.
func (p *Pool[T]) put(x T) {
	e := p.ready()
	if t := tracker.Load(); t != nil && p.checkedPut(t, x) {
		return
	}
	e.Put(0, x)
}

// get is the slow path of Get.
func (p *Pool[T]) get() T {
	e := p.ready()
	if t := tracker.Load(); t != nil && p.picks(t) {
		return p.checkedGet(t)
	}
	if x, ok := e.Get(0, 0); ok {
		return x
	}
	if p.New == nil {
		var zero T
		return zero
	}
	made := false
	defer func() {
		if !made { // it panicked
			e.Unmiss(0)
		}
	}()
	x := p.New()
	made = true
	return x
}

// Trim lets all idle values go now, for the next garbage collection to free. It
// briefly stops the world, to take from each P what it keeps.
func (p *Pool[T]) Trim() { p.ready().Trim() }

// largeItem is the size in bytes from which values are not kept for each P:
// next to copying them, a lock costs little.
const largeItem = 2 << 10

// ready returns the engine of p, made if need be.
func (p *Pool[T]) ready() *engine.Engine[T] {
	if e := p.engine.Load(); e != nil {
		return e
	}
	maxIdle, idleTime := p.settings()
	var item T
	ready.Lock()
	defer ready.Unlock()
	if e := p.engine.Load(); e != nil {
		return e
	}
	// A separate object: the Pool may be a variable of a package, and the engine
	// needs to see when it is garbage.
	e := new(engine.Engine[T])
	e.Init(&p.table, engine.Config[T]{
		Classes:  func() []engine.Class { return []engine.Class{{Size: 1, Local: engine.Slots}} },
		MaxIdle:  int64(maxIdle),
		IdleTime: idleTime,
		Shared:   unsafe.Sizeof(item) > largeItem,
	})
	owner := ownerOf(&p.checkOwner, p.Name)
	fill := func(e *engine.Engine[T], s *Snapshot) {
		v := poolStats(owner.Name, maxIdle, e)
		s.Name, s.MaxIdleItems = v.Name, v.MaxIdle
		s.Gets, s.Hits, s.Misses, s.Puts = v.Gets, v.Hits, v.Misses, v.Puts
		s.Drops, s.DropsBy.Full, s.Trimmed = v.Drops, v.Drops, v.Trimmed
		s.InUse, s.Idle = v.InUse, v.Idle
		s.Misuse = misusesOf(owner)
	}
	startChecked(e, func() { register(e, kindOf[T](), fill, (*engine.Engine[T]).Trim) })
	p.engine.Store(e)
	return e
}

// ready guards the making of engines: once for each Pool.
var ready sync.Mutex

// settings returns MaxIdle and IdleTime with their defaults, and panics if they
// make no sense.
func (p *Pool[T]) settings() (maxIdle int, idleTime time.Duration) {
	if p.MaxIdle < 0 {
		panic(fmt.Sprintf("basin: Pool.MaxIdle is %d, want 0 (for the default) or more", p.MaxIdle))
	}
	if p.IdleTime < 0 {
		panic(fmt.Sprintf("basin: Pool.IdleTime is %v, want 0 (for the default) or more", p.IdleTime))
	}
	maxIdle, idleTime = p.MaxIdle, p.IdleTime
	if maxIdle == 0 {
		maxIdle = DefaultMaxItems
	}
	if idleTime == 0 {
		idleTime = DefaultIdleTime
	}
	return maxIdle, idleTime
}

// PoolStats is what has happened to a [Pool] so far, and what it holds, in
// values. It is true of one moment, but for the operations that other
// goroutines are in the middle of.
type PoolStats struct {
	Name string // as in Pool

	Gets   uint64 // Gets = Hits + Misses
	Hits   uint64 // served with a value that was put before
	Misses uint64 // served with a new one

	Puts    uint64 // values put; they were kept, but for Drops of them
	Drops   uint64 // beyond MaxIdle
	Trimmed uint64 // idle values let go

	InUse   int64 // handed out and not put back; too few if others were put
	Idle    int64 // kept, never more than MaxIdle
	MaxIdle int64 // as in Pool

	Misuse Misuses // found by checks: see SetChecking
}

// Stats returns the statistics of the pool.
func (p *Pool[T]) Stats() PoolStats {
	maxIdle, _ := p.settings()
	s := poolStats(p.Name, maxIdle, p.engine.Load())
	s.Misuse = misusesOf(p.checkOwner.Load())
	return s
}

// poolStats returns the statistics of a Pool with the given engine, or none.
func poolStats[T any](name string, maxIdle int, e *engine.Engine[T]) PoolStats {
	s := PoolStats{Name: name, MaxIdle: int64(maxIdle)}
	if e != nil {
		c := e.Stats(0)
		s.Gets = c.Hits + c.Misses
		s.Hits, s.Misses = c.Hits, c.Misses
		s.Puts, s.Drops, s.Trimmed = c.Puts, c.Full, c.Released
		s.InUse = max(0, int64(s.Gets-s.Puts))
		s.Idle = int64(c.Idle)
	}
	return s
}
