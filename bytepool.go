package basin

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/uninit"
)

// The settings of a pool that is not told otherwise.
const (
	DefaultMaxSize  = 4 << 20          // see [Config.MaxSize]
	DefaultMaxIdle  = 64 << 20         // see [Config.MaxIdle]
	DefaultIdleTime = 10 * time.Second // see [Config.IdleTime]
)

// Config says what a [BytePool] keeps. The zero Config is that of the default
// pool.
type Config struct {
	// Name labels the pool in statistics.
	Name string

	// MinSize and MaxSize are the smallest and the largest capacity, in
	// bytes, that the pool keeps; each is rounded up to a size class. Requests
	// for less than MinSize get MinSize. Requests for more than MaxSize get a
	// slice that the pool does not keep afterwards.
	//
	// MinSize is at least 64. MaxSize is at most 1 GiB; zero means
	// DefaultMaxSize, or MinSize if that is larger.
	MinSize, MaxSize int

	// MaxIdle is the ceiling, in bytes, on what the pool keeps while nobody
	// uses it. It holds at every moment and includes what is kept for each
	// P. A slice that would exceed it when it is put back is dropped, so a
	// pool with a MaxIdle smaller than a buffer keeps no such buffer. Zero
	// means DefaultMaxIdle; to keep nothing, say 1.
	MaxIdle int64

	// IdleTime is how long memory that nobody needs may stay idle. Half of
	// it is the time it must have been untouched for; in the course of the
	// other half it goes, a share with each garbage collection. Zero means
	// DefaultIdleTime.
	IdleTime time.Duration

	// MaxInUse is the ceiling, in bytes of capacity, on what is handed out and
	// not put back. At the ceiling Get waits until something is put back, and
	// so do GetContext, until its context is done, and what calls Get: GetZeroed,
	// Make, Clone, and ReadAll to begin with. TryGet does not wait.
	// Those who wait are served in the order in which they came. Zero means
	// that there is no ceiling, and nothing in the way of Get.
	//
	// Two kinds of slices are not counted, because waiting for them could go on
	// for ever; they come from the heap and Put drops them: what Get returns for
	// a request that is larger than MaxInUse, and what Append, Grow and ReadAll
	// move to when they have to grow and there is no room. Both are counted as
	// Oversize, and as Refused. Requests larger than MaxSize are under the ceiling.
	//
	// Under a ceiling a slice that is never put back, or only a part of it, is in
	// use for ever. A goroutine that holds one slice and waits for
	// another may wait for itself.
	MaxInUse int64

	// Zero makes Put clear the whole array of each slice, so that no byte
	// of one user reaches the next. The slices of such a pool are all zero
	// when they are handed out.
	Zero bool
}

// maxMaxInUse is the largest MaxInUse: ceilings do not count in a whole int64.
const maxMaxInUse = 1 << 60

// complete replaces what is zero by the defaults and panics if the settings
// contradict each other.
func (c Config) complete() Config {
	refuse := func(field string, value any, want string) {
		panic(fmt.Sprintf("basin: Config.%s is %v, want %s", field, value, want))
	}
	switch {
	case c.MinSize < 0:
		refuse("MinSize", c.MinSize, "0 (for the smallest size class) or more")
	case c.MinSize > sizeclass.Max:
		refuse("MinSize", c.MinSize, fmt.Sprintf("at most %d", sizeclass.Max))
	case c.MaxSize < 0:
		refuse("MaxSize", c.MaxSize, "0 (for the default) or more")
	case c.MaxSize > sizeclass.Max:
		refuse("MaxSize", c.MaxSize, fmt.Sprintf("at most %d", sizeclass.Max))
	case c.MaxSize != 0 && c.MaxSize < c.MinSize:
		refuse("MaxSize", c.MaxSize, fmt.Sprintf("at least Config.MinSize, which is %d", c.MinSize))
	case c.MaxIdle < 0:
		refuse("MaxIdle", c.MaxIdle, "0 (for the default) or more; 1 keeps nothing")
	case c.MaxInUse < 0:
		refuse("MaxInUse", c.MaxInUse, "0 (for none) or more")
	case c.MaxInUse > maxMaxInUse:
		refuse("MaxInUse", c.MaxInUse, fmt.Sprintf("at most %d", int64(maxMaxInUse)))
	case c.IdleTime < 0:
		refuse("IdleTime", c.IdleTime, "0 (for the default) or more")
	}
	if c.MaxSize == 0 {
		c.MaxSize = max(DefaultMaxSize, c.MinSize)
	}
	if c.MaxIdle == 0 {
		c.MaxIdle = DefaultMaxIdle
	}
	if c.IdleTime == 0 {
		c.IdleTime = DefaultIdleTime
	}
	return c
}

// A BytePool hands out byte slices and takes them back for reuse.
//
// Between Get and Put a slice belongs to the caller, who may pass it on to
// another goroutine; after Put nobody may touch it, or any slice of the same
// array. A slice that is never put back is collected as garbage and costs
// nothing but its reuse.
//
// Put recycles the whole array, whatever length the slice has by then. What it
// cannot recycle it drops and counts, by reason: see [Drops]. It recognises a
// slice that the pool did not hand out by its capacity and alignment. A foreign
// slice that has exactly those of a size class is taken like the pool's own.
//
// All methods may be called from many goroutines at once. Make pools with
// [NewBytePool].
type BytePool struct {
	table   engine.Table[*byte]  // of the engine's magazines
	engine  engine.Engine[*byte] // class by class, pointers to arrays that are idle
	ceiling *ceiling             // MaxInUse, or nil; if there is one, then all else is unused
	shown   *BytePool            // whom statistics are of: the pool itself, or that with the ceiling it is behind

	// What Get and Put look classes up in. A table without any sends them
	// down the slow path: so begins every pool, so stays puts if Put has
	// more to do than to push a pointer, and so are both while checks are on.
	gets, puts atomic.Pointer[sizeclass.Table]
	start      sync.Once // for classes
	config     Config

	// What the engine does not see.
	oversize      atomic.Uint64 // Gets beyond the largest class
	oversizeBytes atomic.Uint64 // bytes asked for by those
	drops         [dropReasons]atomic.Uint64

	meanRead, meanLargeRead atomic.Int32 // bytes, of late: see ReadAll

	sizes atomic.Pointer[sizeclass.Table] // the classes; none before start

	// For checks: see check_bytepool.go.
	checkOwner atomic.Pointer[check.Owner]
	bornUnder  *check.Tracker // what knows of all that was ever handed out, or nil
}

// NewBytePool returns a pool with the given settings. It panics, naming the
// field, if one of them is negative or too large, or if MaxSize is less than
// MinSize. A pool costs next to nothing until it is used, and can be dropped
// like any other value.
func NewBytePool(c Config) *BytePool {
	c = c.complete()
	p := &BytePool{config: c}
	p.shown = p
	if c.MaxInUse > 0 {
		p.ceiling = newCeiling(c)
		p.ceiling.pool.shown = p
	}
	p.gets.Store(sizeclass.Nothing)
	p.puts.Store(sizeclass.Nothing)
	p.sizes.Store(sizeclass.Nothing)
	p.engine.Init(&p.table, engine.Config[*byte]{
		Classes:  func() []engine.Class { return engineClasses(p.classes()) },
		Bits:     sizeclass.Bits,
		MaxIdle:  c.MaxIdle,
		IdleTime: c.IdleTime,
		Same:     func(a, b *byte) bool { return a == b },
	})
	return p
}

// classes returns the size classes of the pool.
func (p *BytePool) classes() *sizeclass.Table {
	p.start.Do(func() {
		p.sizes.Store(sizeclass.For(p.config.MinSize, p.config.MaxSize))
		p.bornUnder = startChecked(p, func() {
			register(p.shown, "BytePool", (*BytePool).snapshot, (*BytePool).Trim)
		})
	})
	return p.sizes.Load()
}

// fast has Get and Put take their fast path, or not.
func (p *BytePool) fast(fast bool) {
	t := sizeclass.Nothing
	if fast {
		t = p.sizes.Load()
	}
	p.gets.Store(t)
	if !p.config.Zero {
		p.puts.Store(t)
	}
}

// engineClasses says what an idle slice of each class costs, and how many a P
// may keep for itself: of small ones as many as make 256 KiB, of those up to 1 MiB
// one. Beyond that, next to using the slice, a lock costs nothing.
func engineClasses(t *sizeclass.Table) []engine.Class {
	classes := make([]engine.Class, t.Len())
	for i := range classes {
		size := t.Size(i)
		local := min(256<<10/size, engine.Slots)
		if size <= 1<<20 {
			local = max(local, 1)
		}
		classes[i] = engine.Class{Size: int64(size), Local: uint(local)}
	}
	return classes
}

// Get returns a slice of length n. Its contents are arbitrary, and its
// capacity is the size class of n. If n is zero or negative the slice is empty
// and need not be put back. If n exceeds MaxSize the slice comes from the heap, and
// putting it back has no effect; as with make, it panics if there cannot be a
// slice of that size.
//
//go:nosplit
func (p *BytePool) Get(n int) []byte {
	// This and Put are the fast path, written out flat: a call costs more than
	// all the rest, hence also nosplit, which leaves out the check of the
	// stack's size. See the package comment of internal/engine.
	c := p.gets.Load().Class(n)
	i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x := m.Pop(top, n)
			pin.Unpin()
			return buffer(x, n, c)
		}
	}
	pin.Unpin()
	return p.get(n)
}

// Put gives b back. Its whole array may be handed out again at once, so the
// caller must not use b, or any slice of the same array, any more. Slices that
// the pool cannot keep are dropped and counted; nothing that is put makes it
// panic.
//
//go:nosplit
func (p *BytePool) Put(b []byte) {
	x := unsafe.SliceData(b)
	if c := p.puts.Load().Class(cap(b)); c.Fits(cap(b), uint32(uintptr(unsafe.Pointer(x)))) {
		class := c.Index()
		i := uint(pin.Pin())<<sizeclass.Bits + class
		if p.table.Has(i) {
			m := p.table.Entry(i).Load()
			if n := m.Len(); m.Room(n) && m.Top(n) != x {
				m.Push(n, x)
				pin.Unpin()
				return
			}
		}
		pin.Unpin()
		p.putClass(x, class)
		return
	}
	p.put(x, cap(b))
}

// putClass is the slow path of Put for an array that fits its class.
func (p *BytePool) putClass(x *byte, class uint) {
	if int(class) >= p.classes().Len() { // what fits no class is too large for all
		p.drops[dropLarge].Add(1)
		return
	}
	raceWrite(x, p.sizes.Load().Size(int(class)))
	p.engine.Put(class, x)
}

// get is the slow path of Get.
func (p *BytePool) get(n int) []byte {
	if n <= 0 {
		return []byte{}
	}
	if p.ceiling != nil {
		b, err := p.ceiling.get(context.Background(), n)
		if err != nil { // it can never be
			b = p.ceiling.plain(n)
		}
		return b
	}
	if t := tracker.Load(); t != nil {
		t.Sweep()
	}
	c := p.classes().Find(n)
	if c.None() {
		return p.outside(n, n)
	}
	return p.pooled(n, c)
}

// pooled returns n bytes, for which c is the class. It is all of Get for those who
// know the class.
func (p *BytePool) pooled(n int, c sizeclass.Class) []byte {
	if t := tracker.Load(); t != nil && t.Pick() {
		return p.checkedGet(t, n, c)
	}
	i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x := m.Pop(top, n)
			pin.Unpin()
			return buffer(x, n, c)
		}
	}
	pin.Unpin()
	if x, ok := p.engine.Get(c.Index(), n); ok {
		return buffer(x, n, c)
	}
	return p.allocate(c.Size())[:n]
}

// outside returns n bytes with the given capacity that are not the pool's.
func (p *BytePool) outside(n, capacity int) []byte {
	b := p.allocate(capacity)[:n] // panics if there cannot be as many
	p.oversize.Add(1)
	p.oversizeBytes.Add(uint64(n))
	return b
}

// allocate returns new bytes, zeroed if those of the pool are.
func (p *BytePool) allocate(n int) []byte {
	if p.config.Zero {
		return make([]byte, n)
	}
	return uninit.Bytes(n, n)
}

// put is the slow path of Put, for an array of the given capacity at x. It
// reports whether the array was kept.
func (p *BytePool) put(x *byte, capacity int) bool {
	if p.ceiling != nil {
		return p.ceiling.put(x, capacity)
	}
	verdict, own := p.recycle(x, capacity)
	return own && verdict == engine.Kept
}

// recycle takes an array of the given capacity at x back. It reports whether it can
// be the pool's own, and what became of it then.
func (p *BytePool) recycle(x *byte, capacity int) (verdict engine.Verdict, own bool) {
	if t := tracker.Load(); t != nil && check.Judges(t, x) {
		if verdict, own, done := p.checkedPut(t, x, capacity); done {
			return verdict, own
		}
	}
	return p.keep(x, capacity)
}

// keep is recycle for what is not checked.
func (p *BytePool) keep(x *byte, capacity int) (verdict engine.Verdict, own bool) {
	c := p.sizes.Load().Class(capacity)
	if c.None() || !c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))) {
		t := p.classes()
		c = t.Find(capacity)
		if reason, ok := examine(t, x, capacity, c); !ok {
			p.drops[reason].Add(1)
			return 0, false
		}
	}
	if p.config.Zero {
		clear(unsafe.Slice(x, capacity))
	}
	raceWrite(x, capacity)
	class := c.Index()
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			pin.Unpin()
			return engine.Kept, true
		}
	}
	pin.Unpin()
	return p.engine.Put(class, x), true
}

// examine reports whether an array of the given capacity at x can be a buffer of
// class c, which t has for that capacity, and if not, why it has to be dropped.
func examine(t *sizeclass.Table, x *byte, capacity int, c sizeclass.Class) (reason int, ok bool) {
	switch {
	case capacity == 0:
		return dropEmpty, false
	case c.None():
		return dropLarge, false
	case capacity < t.Smallest():
		return dropSmall, false
	case capacity != c.Size():
		return dropForeign, false
	case !c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))):
		return dropMisaligned, false
	}
	return 0, true
}

// buffer returns the array at x as a slice of length n, for which c is the class.
//
//go:nosplit
func buffer(x *byte, n int, c sizeclass.Class) []byte {
	// As unsafe.Slice(x, c.Size())[:n], but without the checks: x is an array of
	// c.Size() bytes because that is what is kept under the index of c, and n
	// is from 1 to c.Size() because that is what c is the class of.
	s := struct {
		array    *byte
		len, cap int
	}{x, n, c.Size()}
	return *(*[]byte)(unsafe.Pointer(&s))
}

// TryPut is [BytePool.Put], and reports whether b was kept.
func (p *BytePool) TryPut(b []byte) bool { return p.put(unsafe.SliceData(b), cap(b)) }

// GetZeroed is [BytePool.Get] with all n bytes zero.
func (p *BytePool) GetZeroed(n int) []byte {
	b := p.Get(n)
	if !p.config.Zero {
		clear(b)
	}
	return b
}

// Make returns an empty slice with a capacity of at least n: [BytePool.Get] for
// those who append.
func (p *BytePool) Make(n int) []byte { return p.Get(n)[:0] }

// Trim lets all idle memory go now, for the next garbage collection to free. It
// briefly stops the world, to take from each P what it keeps.
func (p *BytePool) Trim() {
	if p.ceiling != nil {
		p = p.ceiling.pool
	}
	p.engine.Trim()
}
