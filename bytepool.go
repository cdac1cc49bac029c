package basin

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

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

	// Zero makes Put clear the whole array of each slice, so that no byte
	// of one user reaches the next. The slices of such a pool are all zero
	// when they are handed out.
	Zero bool
}

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
	classes *sizeclass.Table
	zero    bool
	config  Config

	// What the engine does not see.
	oversize      atomic.Uint64 // Gets beyond the largest class
	oversizeBytes atomic.Uint64 // bytes asked for by those
	drops         [dropReasons]atomic.Uint64
}

// NewBytePool returns a pool with the given settings. It panics, naming the
// field, if one of them is negative or too large, or if MaxSize is less than
// MinSize. A pool costs next to nothing until it is used, and can be dropped
// like any other value.
func NewBytePool(c Config) *BytePool {
	c = c.complete()
	p := &BytePool{classes: sizeclass.For(c.MinSize, c.MaxSize), zero: c.Zero, config: c}
	p.engine.Init(&p.table, engine.Config[*byte]{
		Classes: func() []engine.Class {
			classes := make([]engine.Class, p.classes.Len())
			for i := range classes {
				size := p.classes.Size(i)
				classes[i] = engine.Class{Size: int64(size), Local: uint(min(max(localBytes/size, 1), engine.Slots))}
			}
			return classes
		},
		Bits:     sizeclass.Bits,
		MaxIdle:  c.MaxIdle,
		IdleTime: c.IdleTime,
		Same:     func(a, b *byte) bool { return a == b },
	})
	return p
}

// localBytes is how much of one size a P may keep for itself. Larger buffers
// come one by one: next to using them, a lock costs nothing.
const localBytes = 256 << 10

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
	c := p.classes.Class(n)
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
	if c := p.classes.Class(cap(b)); c.Fits(cap(b), uint32(uintptr(unsafe.Pointer(x)))) && !p.zero {
		i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
		if p.table.Has(i) {
			m := p.table.Entry(i).Load()
			if n := m.Len(); m.Room(n) && (n == 0 || m.At(n-1) != x) {
				m.Push(n, x)
				pin.Unpin()
				return
			}
		}
		pin.Unpin()
		p.put(x, c)
		return
	}
	p.TryPut(b)
}

// get is the slow path of Get.
func (p *BytePool) get(n int) []byte {
	if n <= 0 {
		return []byte{}
	}
	c := p.classes.Find(n)
	if c.None() {
		p.oversize.Add(1)
		p.oversizeBytes.Add(uint64(n))
		return p.allocate(n)
	}
	if x, ok := p.engine.Get(c.Index(), n); ok {
		return buffer(x, n, c)
	}
	return p.allocate(c.Size())[:n]
}

// allocate returns new bytes, zeroed if those of the pool are.
func (p *BytePool) allocate(n int) []byte {
	if p.zero {
		return make([]byte, n)
	}
	return uninit.Bytes(n, n)
}

// put is the slow path of Put for an array of class c. It reports whether the
// array was kept.
func (p *BytePool) put(x *byte, c sizeclass.Class) bool {
	return p.engine.Put(c.Index(), x) == engine.Kept
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
func (p *BytePool) TryPut(b []byte) bool {
	x := unsafe.SliceData(b)
	c := p.classes.Find(cap(b))
	if reason, ok := p.check(cap(b), x, c); !ok {
		p.drops[reason].Add(1)
		return false
	}
	if p.zero {
		clear(b[:cap(b)])
	}
	return p.put(x, c)
}

// check reports whether an array of the given capacity at x can be a buffer of
// class c, and if not, why it has to be dropped.
func (p *BytePool) check(capacity int, x *byte, c sizeclass.Class) (reason int, ok bool) {
	switch {
	case capacity == 0:
		return dropEmpty, false
	case c.None():
		return dropLarge, false
	case capacity < p.classes.Smallest():
		return dropSmall, false
	case capacity != c.Size():
		return dropForeign, false
	case !c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))):
		return dropMisaligned, false
	}
	return 0, true
}

// GetZeroed is [BytePool.Get] with all n bytes zero.
func (p *BytePool) GetZeroed(n int) []byte {
	b := p.Get(n)
	if !p.zero {
		clear(b)
	}
	return b
}

// Make returns an empty slice with a capacity of at least n: [BytePool.Get] for
// those who append.
func (p *BytePool) Make(n int) []byte { return p.Get(n)[:0] }

// Trim lets all idle memory go now, for the next garbage collection to free. It
// briefly stops the world, to take from each P what it keeps.
func (p *BytePool) Trim() { p.engine.Trim() }
