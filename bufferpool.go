package basin

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/uninit"
)

// A BufferPool hands out Buffers that have storage already, and takes them back
// for reuse: handles. The zero value is ready. All methods may be called from
// many goroutines at once. A BufferPool must not be copied, and its fields not
// be changed, after its first use, which panics if they contradict each other.
//
// # Misuse
//
// A handle that has been put is an empty Buffer of its own, apart from the
// pool: using it affects nobody, and putting it again only frees it. That holds
// until the same handle is handed out again, which is not before its storage
// has been handed out fifteen times under other handles; a handle
// that was written to after it was put is never handed out again. Whoever still
// uses a handle after that many uses shares it with its new user. Slices of its
// contents (from Bytes, Next and so on) are not protected in this way: they
// refer to storage that somebody else may have at once.
//
// A handle put by two goroutines at the same time is a data race, which the race
// detector reports. The pool still hands it out to one user only, unless two Gets
// meet at the same instant too.
type BufferPool struct {
	// Name labels the pool in statistics.
	Name string

	// InitialSize is the capacity, in bytes, that Buffers are handed out
	// with; it is rounded up to a size class. If it is zero the pool learns
	// what most of its users need: a Buffer handed out need not grow for 99
	// in 100 of them. Learning takes some dozens of uses, and so does
	// learning that users have come to need more; that they need less is
	// learned in some thousands.
	InitialSize int

	// MaxSize is the largest capacity that the pool keeps. What a Buffer has
	// grown to beyond its initial size goes back to the default pool, which
	// has a limit of its own. Zero means DefaultMaxSize, or InitialSize if
	// that is larger; at most 1 GiB.
	MaxSize int

	// MaxIdle is the ceiling, in bytes, on what the pool keeps while nobody
	// uses it, as in [Config]. Zero means DefaultMaxIdle.
	MaxIdle int64

	_      noCopy
	ready  atomic.Bool
	start  sync.Mutex // held to become ready
	table  engine.Table[*Buffer]
	engine engine.Engine[*Buffer]
	learner

	checkOwner atomic.Pointer[check.Owner] // see check_buffer.go
}

// How handles work
//
// A handle is one of a ring of Buffers that take turns with one storage, their
// base. Put takes the storage from the handle and makes the next of its ring the
// one that waits in the pool. So of a ring there is always at most one that is
// idle or out, and it is the only one that can reach the base: the others have
// the array in their buf, which saves storing it, but with a length of zero, and
// no method of Buffer looks beyond that. If one of these is used nevertheless
// it grows, is owned, and is left out of the ring.
//
// Get takes only what is idle, and Put only what is out. So if the pool should come to
// hold a handle twice, because it was put by two goroutines at once, only the
// first to come gets it.
//
// A Buffer that outgrows its base continues with an array of the default pool.
// Put gives that back, and the base, which the others of the ring still have,
// serves the next user.
type ring [ringSize]Buffer

// A Buffer is a cache line where pointers have 64 bits, so each of a ring has one.
var _ [64 - unsafe.Sizeof(Buffer{})]byte

const (
	ringSize   = 16
	sampleLaps = 4 // the last of a ring teaches each time it was put so often
)

// prepare makes p ready, which is not done on the fast path.
func (p *BufferPool) prepare() {
	p.start.Lock()
	defer p.start.Unlock()
	if p.ready.Load() {
		return
	}
	p.InitialSize, p.MaxSize, p.MaxIdle = bufferLimits("BufferPool", p.InitialSize, p.MaxSize, p.MaxIdle)
	p.engine.Init(&p.table, engine.Config[*Buffer]{
		Classes:  func() []engine.Class { return bufferEngineClasses(int(unsafe.Sizeof(ring{}))) },
		Bits:     sizeclass.Bits,
		MaxIdle:  p.MaxIdle,
		IdleTime: DefaultIdleTime,
	})
	p.class.Store(uint32(bufferClasses.Find(max(p.InitialSize, 1)).Index()))
	p.ready.Store(true)
	startChecked(p, func() {
		register(p, "BufferPool", (*BufferPool).snapshot, func(p *BufferPool) { p.engine.Trim() })
	})
}

// bufferLimits completes the settings of a pool of buffers and panics, naming the
// field, if they contradict each other.
func bufferLimits(pool string, initialSize, maxSize int, maxIdle int64) (int, int, int64) {
	refuse := func(field string, value any, want string) {
		panic(fmt.Sprintf("basin: %s.%s is %v, want %s", pool, field, value, want))
	}
	switch {
	case initialSize < 0:
		refuse("InitialSize", initialSize, "0 (to learn it) or more")
	case initialSize > sizeclass.Max:
		refuse("InitialSize", initialSize, fmt.Sprintf("at most %d", sizeclass.Max))
	case maxSize < 0:
		refuse("MaxSize", maxSize, "0 (for the default) or more")
	case maxSize > sizeclass.Max:
		refuse("MaxSize", maxSize, fmt.Sprintf("at most %d", sizeclass.Max))
	case maxSize != 0 && maxSize < initialSize:
		refuse("MaxSize", maxSize, fmt.Sprintf("at least InitialSize, which is %d", initialSize))
	case maxIdle < 0:
		refuse("MaxIdle", maxIdle, "0 (for the default) or more; 1 keeps nothing")
	}
	if maxSize == 0 {
		maxSize = max(DefaultMaxSize, initialSize)
	}
	if maxIdle == 0 {
		maxIdle = DefaultMaxIdle
	}
	return initialSize, maxSize, maxIdle
}

// bufferEngineClasses returns the classes of an engine for buffers that take
// extra bytes beside their storage.
func bufferEngineClasses(extra int) []engine.Class {
	classes := make([]engine.Class, bufferClasses.Len())
	for i := range classes {
		classes[i] = engineClass(bufferClasses.Size(i) + extra)
	}
	return classes
}

// Get returns an empty Buffer, for the caller to use until [BufferPool.Put].
//
//go:nosplit
func (p *BufferPool) Get() *Buffer {
	// As in BytePool.Get.
	i := uint(pin.Pin())<<sizeclass.Bits + uint(p.class.Load())
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			b := m.Pop(top, 0)
			pin.Unpin()
			if b.state == ringed|idle {
				b.state = ringed | out
				return b
			}
			return p.get()
		}
	}
	pin.Unpin()
	return p.get()
}

// get is the slow path of Get.
func (p *BufferPool) get() *Buffer {
	if !p.ready.Load() {
		p.prepare()
	}
	if t := tracker.Load(); t != nil && t.Pick() {
		return p.checkedGet(t)
	}
	class := uint(p.class.Load())
	for {
		b, ok := p.engine.Get(class, 0)
		if !ok {
			return newHandle(class)
		}
		if b.state == ringed|idle {
			b.state = ringed | out
			return b
		}
	}
}

// Stats returns the statistics of the pool, about the storage that Buffers are
// handed out with. What they grow to beyond that is of the default pool. A Buffer
// that was put twice, or that was put and used, is not counted as put again.
func (p *BufferPool) Stats() Stats {
	var s Stats
	p.stats(&s)
	return s
}

// snapshot fills in s.
func (p *BufferPool) snapshot(s *Snapshot) {
	p.stats(&s.Stats)
	s.countItems()
}

// stats fills in s, reusing its Classes.
func (p *BufferPool) stats(s *Stats) {
	*s = Stats{Name: p.Name, Classes: s.Classes[:0]}
	if !p.ready.Load() {
		return
	}
	s.MaxIdle = p.MaxIdle
	s.Misuse = misusesOf(p.checkOwner.Load())
	for i := range bufferClasses.Len() {
		s.add(bufferClasses.Size(i), p.engine.Stats(uint(i)))
	}
	s.Drops = s.DropsBy.sum()
}

// newHandle returns a handle, that is out, of a new ring with storage of the
// given class.
func newHandle(class uint) *Buffer {
	size := bufferClasses.Size(int(class))
	base := uninit.Bytes(size, size)
	r := new(ring)
	for i := range r {
		b := &r[i]
		b.buf = base[:0]
		b.class = uint8(class)
		b.state = ringed
		b.step = int16(unsafe.Sizeof(*b))
	}
	r[len(r)-1].step *= -(ringSize - 1)
	b := &r[0]
	b.buf = base
	b.state |= out
	return b
}

// Put gives b and its storage back. The caller must not use b, or a slice of its
// contents, any more: see above for what happens to those who do. A Buffer that
// is not a handle is freed. Put does nothing if b is nil.
//
//go:nosplit
func (p *BufferPool) Put(b *Buffer) {
	if b != nil && b.state == ringed|out {
		if b.step < 0 {
			b.laps++
			if b.laps%sampleLaps == 0 && p.InitialSize == 0 {
				p.sample(b)
			}
		}
		if next := b.next(); next.state == ringed {
			b.state = ringed
			b.buf = b.buf[:0]
			b.off, b.end = 0, 0
			b.lastRead = opInvalid
			next.state = ringed | idle
			next.buf = next.buf[:cap(next.buf)]
			i := uint(pin.Pin())<<sizeclass.Bits + uint(b.class)
			if p.table.Has(i) {
				m := p.table.Entry(i).Load()
				if n := m.Len(); m.Room(n) {
					m.Push(n, next)
					pin.Unpin()
					return
				}
			}
			pin.Unpin()
			p.store(next)
			return
		}
	}
	p.put(b)
}

// put is Put for what the fast path has no time to ask.
func (p *BufferPool) put(b *Buffer) {
	if b == nil {
		return
	}
	if t := tracker.Load(); t != nil && check.Judges(t, b) && p.checkedPut(t, b) {
		return
	}
	if next := p.retire(b); next != nil {
		p.store(next)
	}
}

// store puts b, which is idle, where Get will find it.
func (p *BufferPool) store(b *Buffer) {
	if !p.ready.Load() {
		p.prepare()
	}
	p.engine.Put(uint(b.class), b)
}

// retire is the part of Put that passes the storage of b on to the next of its
// ring, in all cases. It returns nil if there is none that can be used.
func (p *BufferPool) retire(b *Buffer) *Buffer {
	if b.state&out == 0 {
		// One that was put already is left as it is, unless it was used since:
		// it may be about to be handed out.
		if b.state&owned != 0 || b.state&ringed == 0 {
			b.Free()
		}
		return nil
	}
	if p.InitialSize == 0 {
		p.sample(b)
	}
	if b.state&owned != 0 {
		Put(b.pooled())
	}
	next := b.next()
	for next != b && next.state != ringed { // it was used after it was put
		next = next.next()
	}
	b.state = ringed
	b.off, b.end, b.peak, b.lastRead = 0, 0, 0, opInvalid
	if next == b {
		b.buf = nil
		b.state |= bare // nobody is left who knows the base
		return nil
	}
	b.buf = next.buf[:0]
	next.buf = next.buf[:cap(next.buf)]
	next.state |= idle
	return next
}

// next returns the Buffer after b in its ring.
func (b *Buffer) next() *Buffer {
	return (*Buffer)(unsafe.Add(unsafe.Pointer(b), int(b.step))) // see newHandle
}

// sample learns from what the user of b has needed.
func (p *BufferPool) sample(b *Buffer) {
	need := max(b.peak, b.end)
	b.peak = 0
	switch {
	case need > bufferClasses.Size(int(b.class)):
		p.observe(need, p.MaxSize, 1, true)
	case b.step < 0:
		p.observe(need, p.MaxSize, sampleLaps*ringSize, false) // for the others of the ring too
	}
}

var handles = BufferPool{Name: "buffers"}

// GetBuffer returns an empty Buffer from a [BufferPool] that all users of this
// package share, so that passing it as an [io.Writer] or the like does not cost an
// allocation. Give it back with [PutBuffer].
func GetBuffer() *Buffer { return handles.Get() }

// PutBuffer gives back what [GetBuffer] returned: [BufferPool.Put].
func PutBuffer(b *Buffer) { handles.Put(b) }
