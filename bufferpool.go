//go:build go1.25

package basin

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/learn"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A BufferPool hands out handles, which are Buffers that already have storage, and takes them back
// for reuse. The zero BufferPool is ready. Its first use reads its fields, which must not change
// from then on. If they contradict each other, the first use panics with the name of the field;
// [Validate] finds this earlier. A BufferPool must not be copied after its first use.
// All methods may be called from many goroutines at once.
//
// # Misuse
//
// A handle that has been put is an empty Buffer of its own, apart from the pool: using it affects
// nobody, and putting it again only frees it. A handle that was written to after Put is never
// handed out again. Any other handle is idle again when its storage has been handed out fifteen
// times under other handles, or twice if the pool has more than 256 such handles. From then on, an
// old user of the handle shares it with its next user.
// Slices of its contents (from Bytes, Next and so on) are not protected: their memory may have a
// new user at once.
//
// Two goroutines that put a handle at the same time have a data race, which the race detector
// reports. The pool still hands the handle out to one user only, unless two Gets meet at the same
// instant, too.
type BufferPool struct {
	// Name labels the pool in statistics.
	Name string

	// InitialSize is the capacity, in bytes, of Buffers that are handed out. It is rounded up to a
	// size class. If it is zero, the pool learns the capacity that costs its users least: memory
	// held by those who need less, against growth for those who need more. So users hold at most
	// about twice as much as they need, and a few who need far more do not change what the others
	// get. The pool learns in some dozens of uses, and follows another load in some hundreds.
	InitialSize int

	// MaxSize is the largest capacity that the pool keeps. An array that a Buffer has grown to,
	// beyond its initial size, goes back to the pool that it is from, which has its own limit. Zero
	// means DefaultMaxSize, or InitialSize if that is larger. MaxSize is at most math.MaxInt32.
	MaxSize int

	// MaxIdle is the limit, in bytes, on the idle memory that the pool keeps, as in [BytePool].
	// Zero has the same meaning as there.
	MaxIdle int64

	// IdleTime is the longest time that unneeded memory may stay idle, as in [BytePool]. Zero means
	// DefaultIdleTime.
	IdleTime time.Duration

	// Bytes is the pool that Buffers grow through beyond their initial size. If its Zero is set,
	// all storage of Buffers is cleared when they are put. If it has a Limit or a MaxInUse, Buffers are handed
	// out without storage and take all of it there, so writes may return [ErrLimit]. If Bytes is nil, Buffers
	// grow through the default pool.
	Bytes *BytePool

	base
	table   engine.Table[*Buffer]
	engine  engine.Engine[*Buffer]
	learned learn.Learner
	zero    bool          // Zero of Bytes
	first   atomic.Uint32 // users of first rings

	peak peak
}

// How handles work
//
// A handle is one of a ring of Buffers that take turns with one storage, their base. Put takes the
// storage from the handle and puts the next Buffer of its ring into the pool. So at most one Buffer
// of a ring is idle or out, and only that one can reach the base. The others keep the array in
// their buf, which saves storing it again, but with a length of zero; no method of Buffer looks
// beyond the length. If one of these is used nevertheless, it grows, is owned, and is left out of
// the ring.
//
// Get takes only idle Buffers, and Put only Buffers that are out. So if two goroutines put a handle
// at once and the pool has it twice, only the first Get that finds the handle takes it.
//
// A Buffer that outgrows its base continues with an array of a BytePool. Put gives that array back.
// The base, which the other Buffers of the ring still have, serves the next user.
//
// Many handles are used once, so the first ring of a base is short: a Buffer to hand out, and one
// that keeps the base from its Put to the next Get. That Get makes a full ring. No Buffer of the
// first ring is handed out again.

// With 64-bit pointers, a Buffer takes a cache line, so each Buffer of a ring has its own.
var _ [64 - unsafe.Sizeof(Buffer{})]byte

const (
	firstRing = 2
	ringSize  = 16
	shortRing = 3
	manyRings = 256

	sampleLaps  = 4  // the last Buffer of a ring is sampled at every fourth Put
	sampleFirst = 16 // one in so many users of first rings is sampled
)

func (p *BufferPool) complete() (settings, error) {
	s, err := completeBuffers("BufferPool", p.Name, p.InitialSize, p.MaxSize, p.MaxIdle, p.IdleTime)
	if err == nil && p.Bytes != nil {
		_, err = p.Bytes.complete()
		s.zero = p.Bytes.Zero
	}
	return s, err
}

func (p *BufferPool) begin(s *settings) {
	p.engine.Init(&p.table, s.maxIdle, s.within, engine.Config[*Buffer]{
		Classes:  func() []engine.Class { return bufferEngineClasses(int(ringSize * unsafe.Sizeof(Buffer{}))) },
		Bits:     sizeclass.Bits,
		IdleTime: s.idleTime,
		MaxIdle:  s.follow(),
	})
	p.zero = s.zero
	// If int has 32 bits, the largest class is below MaxInt32.
	initial := sizeclass.All.Class(min(max(s.minSize, 1), sizeclass.All.Largest()))
	p.learned.Class.Store(uint32(initial.Index()))
	p.learned.Outstanding = p.engine.Outstanding
	startChecked(p, func() {
		register(p, &p.id, nil, func(p *BufferPool) { p.engine.Trim() })
	})
}

// setChecked turns the fast path off while handles are checked, cleared or under a limit.
func (p *BufferPool) setChecked(on bool) { p.engine.Hide(on || p.zeroes() || p.limited()) }

// limited reports whether Buffers grow through a pool under a limit. Then handles have no storage until they are
// written to: the limit could not refuse it, and would not count it.
func (p *BufferPool) limited() bool {
	if p.Bytes == nil {
		return limiting.Load()
	}
	return p.Bytes.limited()
}

// wanted returns the size class of the handles that Get hands out.
func (p *BufferPool) wanted() uint {
	if p.limited() {
		return 0
	}
	return uint(p.learned.Class.Load())
}

// zeroes reports whether Put clears storage.
func (p *BufferPool) zeroes() bool { return p.zero || zeroing.Load() }

func (p *BufferPool) follow(checked bool) (trim func()) {
	p.setChecked(checked)
	return p.engine.Trim
}

// Get returns an empty Buffer, for the caller to use until [BufferPool.Put].
//
//go:nosplit
func (p *BufferPool) Get() *Buffer {
	// As in BytePool.Get.
	_ = p.Name // a nil p must panic here: a panic while pinned ends the process
	i := uint(pin.Pin())<<sizeclass.Bits + uint(p.learned.Class.Load())
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			b := m.Pop(top, 0)
			pin.Unpin()
			if b.state == ringed|idle {
				b.state = ringed | out
				return b
			}
			return p.getInstead(b)
		}
	}
	pin.Unpin()
	return p.get()
}

// getInstead is Get if the magazine had b, which cannot be handed out as it is.
func (p *BufferPool) getInstead(b *Buffer) *Buffer {
	if b = p.revive(b); b != nil {
		return b
	}
	return p.get()
}

// get is the slow path of Get.
func (p *BufferPool) get() *Buffer {
	p.ready(p)
	class := p.wanted()
	if t := check.Current.Load(); t != nil {
		b, ok, picked := sample(t, &p.engine, class)
		if ok {
			if b = p.revive(b); b != nil {
				return b
			}
		}
		t.Sweep()
		if picked && t.Pay() {
			p.engine.CountGet(class, 0)
			return p.trackHandle(t, class)
		}
	}
	for {
		b, _, ok := p.engine.Get(class, 0, engine.OwnClass)
		if !ok {
			return p.newHandle(p.fresh(class))
		}
		if b = p.revive(b); b != nil {
			return b
		}
	}
}

// fresh returns the class of new storage for a Get that counts as a miss of the given class.
func (p *BufferPool) fresh(class uint) uint {
	if p.InitialSize != 0 || p.limited() {
		return class
	}
	small := uint(p.learned.Fresh())
	if small < class {
		p.engine.Unmiss(class)
		p.engine.CountGet(small, 0)
		return small
	}
	return class
}

// revive returns the handle to hand out for b, which has come from the engine, or nil if b was used
// after Put, or put by two goroutines at once.
func (p *BufferPool) revive(b *Buffer) *Buffer {
	switch b.state {
	case ringed | idle:
		b.state = ringed | out
		return b
	case ringed | final | idle:
		b.state = ringed | final
		base := b.buf
		b.buf = nil
		return p.newRing(p.ringOf(b.class), base, b.class)
	}
	return nil
}

// ringOf returns the number of Buffers in a full ring. Many rings of small Buffers would take far more
// memory than their contents, so rings made while there are many are short.
func (p *BufferPool) ringOf(class uint8) int {
	if p.engine.Existing(uint(class)) > manyRings {
		return shortRing
	}
	return ringSize
}

// Stats returns the statistics of the pool. They count the storage that Buffers are handed out
// with; larger arrays that Buffers grow to belong to another pool. Putting a Buffer twice, or using
// it after Put and putting it again, does not count again.
func (p *BufferPool) Stats() Stats {
	var s Stats
	p.stats(p.id.Load(), &s)
	return s
}

// stats overwrites s with the statistics of the pool, whose ID is id. It reuses s.Classes.
func (p *BufferPool) stats(id uint64, s *Stats) {
	config := p.base.stats(p, "BufferPool", id, s)
	p.engine.AllStats(func(i uint, e engine.ClassStats) { s.add(sizeclass.All.Size(int(i)), e, 0) })
	s.Bytes.MaxIdle = config.currentMaxIdle()
	s.PeakInUse = p.peak.see(s)
}

// newHandle returns an outstanding handle with new storage of the given class.
func (p *BufferPool) newHandle(class uint) *Buffer {
	return p.newRing(firstRing, p.newBase(sizeclass.All.Size(int(class))), uint8(class))
}

// newRing makes a ring of n Buffers for a base of the given class. It returns the first Buffer,
// outstanding.
func (p *BufferPool) newRing(n int, base []byte, class uint8) *Buffer {
	r := make([]Buffer, n)
	for i := range r {
		b := &r[i]
		b.buf = base[:0]
		b.pool = p.Bytes
		b.class = class
		b.state = ringed
		b.step = int16(unsafe.Sizeof(*b))
		b.address = b.here()
	}
	last := &r[n-1]
	last.step *= -int16(n - 1)
	if n == firstRing {
		last.state |= final
	}
	b := &r[0]
	b.buf = base
	b.state |= out
	return b
}

// newBase returns storage for new handles: an idle array of the pool that Buffers grow through, which
// has many after the size that they need has been learned, or else a new one.
func (p *BufferPool) newBase(size int) []byte {
	if p.limited() {
		return nil
	}
	if p.zeroes() {
		return make([]byte, size)
	}
	bytes := p.Bytes
	if bytes == nil {
		bytes = defaultPool.Load()
	}
	if b := bytes.giveAway(size); b != nil {
		return b
	}
	return mem.MakeUninit(size, size)
}

// Put gives b and its storage back. The caller must not use b, or a slice of its contents, any
// more; [BufferPool] describes the consequences. Put frees a Buffer that is not a handle. If b is
// nil, Put does nothing.
//
//go:nosplit
func (p *BufferPool) Put(b *Buffer) {
	_ = p.Name // as in Get
	if b != nil && b.state == ringed|out && b.address == b.here() && b.pool == p.Bytes {
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

// put is the slow path of Put.
func (p *BufferPool) put(b *Buffer) {
	if b == nil {
		return
	}
	p.ready(p)
	if t := check.Current.Load(); t != nil && check.Judges(t, b) {
		switch releaseHandle(t, p.owner(p.Name), b) {
		case check.Accepted:
			p.engine.CountChecked(uint(b.class))
			if p.InitialSize == 0 {
				p.sample(b)
			}
			return
		case check.Rejected:
			return
		}
	}
	out := b.state&out != 0
	if next := p.retire(b); next != nil {
		p.store(next)
	} else if out { // b is in no ring, or its ring has no usable Buffer left
		p.engine.CountPut(uint(b.class))
	}
}

// store puts the idle Buffer b where Get finds it, or drops it if Get looks for other classes by now.
func (p *BufferPool) store(b *Buffer) {
	p.ready(p)
	if p.zeroes() {
		clear(b.buf)
	}
	if uint(b.class) != p.wanted() || cap(b.buf) > 0 && p.limited() { // the storage is from before the limit
		p.engine.CountPut(uint(b.class))
		return
	}
	p.engine.Put(uint(b.class), b)
}

// retire passes b's storage on to the next usable Buffer of its ring and returns that, or nil if
// there is none.
func (p *BufferPool) retire(b *Buffer) *Buffer {
	if b.state&ringed != 0 && b.address != b.here() {
		// A copy, which go vet reports. Its neighbours in memory are not its ring, and the storage
		// belongs to the original.
		*b = Buffer{pool: b.pool}
		return nil
	}
	if b.state&out == 0 {
		// Already put. It may be about to be handed out, so leave it alone, unless it was used
		// since.
		if b.state&owned != 0 || b.state&ringed == 0 {
			b.Free()
		}
		return nil
	}
	if p.InitialSize == 0 {
		p.sample(b)
	}
	if b.state&owned != 0 {
		b.bytesPool().Put(b.pooled())
		b.buf = nil
	}
	next := b.next()
	for next != b && next.state&^final != ringed { // it was used after Put
		next = next.next()
	}
	b.state = ringed
	b.off, b.end, b.peak, b.lastRead = 0, 0, 0, opInvalid
	if next == b || b.pool != p.Bytes { // no usable Buffer, or b is from a BufferPool with other Bytes
		if p.zeroes() {
			clear(b.buf)
		}
		b.buf = nil
		b.state |= bare // no other Buffer refers to the base
		return nil
	}
	b.buf = next.buf[:0]
	next.buf = next.buf[:cap(next.buf)]
	next.state |= idle
	return next
}

// next returns the Buffer after b in its ring.
func (b *Buffer) next() *Buffer {
	return (*Buffer)(unsafe.Add(unsafe.Pointer(b), int(b.step))) // see newRing
}

// here returns some bits of b's address. One copy in 65,536 has the same bits.
func (b *Buffer) here() uint16 { return uint16(uintptr(unsafe.Pointer(b)) >> 3) }

// sample learns from the size that the user of b needed.
func (p *BufferPool) sample(b *Buffer) {
	if p.limited() {
		return
	}
	need := max(int(b.peak), b.end)
	b.peak = 0
	maxSize := p.ready(p).maxSize
	changed := false
	switch {
	case need > sizeclass.All.Size(int(b.class)):
		changed = p.learned.Observe(need, maxSize, 1, true)
	case b.step < 0:
		changed = p.learned.Observe(need, maxSize, sampleLaps*b.ring(), false) // also stands for the other Buffers of the ring
	case b.state&ringed != 0 && b.next().state&final != 0 && p.first.Add(1)%sampleFirst == 0:
		changed = p.learned.Observe(need, maxSize, sampleFirst, false)
	}
	if changed {
		class := uint(p.learned.Class.Load())
		p.engine.Abandon(class, class)
	}
}

// ring returns the number of Buffers of the ring whose last Buffer is b.
func (b *Buffer) ring() uint32 { return uint32(1 - int(b.step)/int(unsafe.Sizeof(*b))) }

// Checks
//
// A checked handle is a separate Buffer, in no ring. When it is put, it becomes empty and without
// room, as any handle does, so that reads find nothing and writes must grow. Where a check costs
// nothing, reads and growth check for stale. Other reads leave a trace: they reset lastRead and
// readEnd, which Put has set to values that no other Buffer has. The storage is filled with poison,
// for users who have kept a slice of the contents.

// atPut is the readEnd of a checked handle that was put. Its lastRead is opRead.
const atPut = math.MaxUint32

// trackHandle returns a handle with storage of the given class that t tracks.
func (p *BufferPool) trackHandle(t *check.Tracker, class uint) *Buffer {
	base := p.newBase(sizeclass.All.Size(int(class)))
	b := &Buffer{buf: base, pool: p.Bytes, state: out, class: uint8(class)}
	check.Object(t, p.owner(p.Name), b, len(base))
	return b
}

// releaseHandle tells the tracker that b is put, and reports misuse. If the verdict is Accepted, b
// becomes stale.
func releaseHandle(t *check.Tracker, o *check.Owner, b *Buffer) check.Verdict {
	array := b.buf
	var grown []byte // is put below, and has its own record
	if b.state&owned != 0 {
		array, grown = nil, b.pooled()
	}
	verdict, f := check.Release(t, o, b, check.Care[Buffer]{
		Held: cap(b.buf),
		Poison: func(b *Buffer) {
			check.Fill(array)
			b.peak = max(b.peak, uint32(b.end))
			b.buf, b.off, b.end = nil, 0, 0
			b.state = stale
			b.lastRead, b.readEnd = opRead, atPut
		},
		Damage: func(*Buffer) int { return check.Damage(array) },
		Used: func(b *Buffer) bool {
			return b.state&stale != 0 && (b.lastRead != opRead || b.readEnd != atPut)
		},
	})
	if grown != nil && b.state&stale != 0 { // Poison was called
		b.bytesPool().Put(grown) // which poisons it
	}
	if verdict == check.Rejected {
		misuse.Report(f)
	}
	return verdict
}

var defaultBuffers = BufferPool{Name: "buffers"}

// GetBuffer returns an empty Buffer from a [BufferPool] that all users of this package share.
// Passing it as an [io.Writer] or the like costs no allocation. Give it back with [PutBuffer].
func GetBuffer() *Buffer { return defaultBuffers.Get() }

// PutBuffer gives back a Buffer from [GetBuffer]: see [BufferPool.Put].
func PutBuffer(b *Buffer) { defaultBuffers.Put(b) }
