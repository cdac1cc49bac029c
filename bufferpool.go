package basin

import (
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/learn"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/uninit"
)

// A BufferPool hands out handles, which are Buffers that have storage already, and
// takes them back for reuse. The zero BufferPool is ready. Its first use reads its
// fields, which must not be changed from then on. If they contradict each other it
// panics and names the field; [BufferPool.Validate] says so earlier. A BufferPool
// must not be copied after its first use. All methods may be called from many
// goroutines at once.
//
// # Misuse
//
// A handle that has been put is an empty Buffer of its own, apart from the pool:
// using it affects nobody, and putting it again only frees it. That holds until the
// same handle is handed out again, and before that its storage is handed out fifteen
// times under other handles. Whoever still uses the handle then shares it with its
// new user. A handle that was written to after it was put is never handed out again.
// Slices of its contents (from Bytes, Next and so on) are not protected in this way:
// they refer to storage that somebody else may have at once.
//
// A handle put by two goroutines at the same time is a data race, which the race
// detector reports. The pool still hands it out to one user only, unless two Gets
// meet at the same instant too.
type BufferPool struct {
	// Name labels the pool in statistics.
	Name string

	// InitialSize is the capacity, in bytes, that Buffers are handed out with; it is
	// rounded up to a size class. If it is zero, the pool learns a capacity that is
	// enough for 99 in 100 of its users. It learns that in some dozens of uses. It
	// follows users who need more as fast, and users who need less in some thousands
	// of uses.
	InitialSize int

	// MaxSize is the largest capacity that the pool keeps. An array that a Buffer has
	// grown to beyond its initial size goes back to the default pool, which has a
	// limit of its own. Zero means DefaultMaxSize, or InitialSize if that is larger;
	// at most math.MaxInt32.
	MaxSize int

	// MaxIdle is the ceiling, in bytes, on the idle memory that the pool keeps, as in
	// [BytePool]. Zero means what it means there.
	MaxIdle int64

	first   firstUse
	table   engine.Table[*Buffer]
	engine  engine.Engine[*Buffer]
	learned learn.Learner

	peak       peak
	id         atomic.Uint64               // see registry.go
	checkOwner atomic.Pointer[check.Owner] // see bufferpool_check.go
}

// How handles work
//
// A handle is one of a ring of Buffers that take turns with one storage, their base.
// Put takes the storage from the handle and makes the next of its ring the one that
// waits in the pool. So at most one of a ring is idle or out, and only that one can
// reach the base. The others have the array in their buf, which saves storing it, but
// with a length of zero, and no method of Buffer looks beyond that. If one of these
// is used nevertheless, it grows, is owned, and is left out of the ring.
//
// Get takes only what is idle, and Put only what is out. So if two goroutines put a
// handle at once and the pool comes to hold it twice, only the first Get that meets
// it takes it.
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

// Validate returns an error that names the first field that is negative, too large
// or in contradiction to another. The first use of the pool would panic with it.
func (p *BufferPool) Validate() error {
	_, err := p.complete()
	return err
}

func (p *BufferPool) complete() (settings, error) {
	return completeBuffers("BufferPool", p.Name, p.InitialSize, p.MaxSize, p.MaxIdle)
}

// completeBuffers returns the settings of a pool of buffers of the given kind.
func completeBuffers(kind, name string, initialSize, maxSize int, maxIdle int64) (settings, error) {
	c := fieldCheck{kind: kind}
	s := settings{
		name:    name,
		minSize: initialSize,
		maxSize: c.maxSize("InitialSize", initialSize, "the pool to learn it", maxSize),
	}
	c.idleBytes(&s, maxIdle)
	return s, c.err
}

func (p *BufferPool) begin(s settings) {
	p.engine.Init(&p.table, engine.Config[*Buffer]{
		Classes:  func() []engine.Class { return bufferEngineClasses(int(unsafe.Sizeof(ring{}))) },
		Bits:     sizeclass.Bits,
		MaxIdle:  s.maxIdle,
		Within:   s.within,
		IdleTime: DefaultIdleTime,
	})
	// Where an int says no more than MaxInt32, the largest class is less.
	initial := learn.Classes.Class(min(max(s.minSize, 1), learn.Classes.Largest()))
	p.learned.Class.Store(uint32(initial.Index()))
	startChecked(p, func() {
		register(p, &p.id, "BufferPool", (*BufferPool).stats, func(p *BufferPool) { p.engine.Trim() })
	})
}

// setChecked makes Get and Put take the slow path while handles are checked, or
// cleared.
func (p *BufferPool) setChecked(on bool) { p.engine.Hide(on || zeroing.Load()) }

func (p *BufferPool) setZeroing(checked bool) (trim func()) {
	p.setChecked(checked)
	return p.engine.Trim
}

// owner returns who p is for records.
func (p *BufferPool) owner() *check.Owner { return check.OwnerIn(&p.checkOwner, p.Name) }

// ready returns the settings of p, which is ready from then on.
func (p *BufferPool) ready() *settings { return p.first.of(p) }

// bufferEngineClasses returns the classes of an engine for buffers that take
// extra bytes beside their storage.
func bufferEngineClasses(extra int) []engine.Class {
	classes := make([]engine.Class, learn.Classes.Len())
	for i := range classes {
		classes[i] = engine.ClassOf(learn.Classes.Size(i) + extra)
	}
	return classes
}

// Get returns an empty Buffer, for the caller to use until [BufferPool.Put].
//
//go:nosplit
func (p *BufferPool) Get() *Buffer {
	// As in BytePool.Get.
	_ = p.Name // a nil p has to panic here: while pinned that would end the process
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
			return p.get()
		}
	}
	pin.Unpin()
	return p.get()
}

// get is the slow path of Get.
func (p *BufferPool) get() *Buffer {
	p.ready()
	if t := check.Current.Load(); t != nil {
		t.Sweep()
		if t.Pick() {
			class := p.learned.Class.Load()
			p.engine.CountGet(uint(class), 0)
			return trackHandle(t, p.owner(), newBase(learn.Classes.Size(int(class))), class)
		}
	}
	class := uint(p.learned.Class.Load())
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

// Stats returns the statistics of the pool. They are about the storage that Buffers
// are handed out with; arrays that Buffers grow to beyond that are the default
// pool's. A Buffer that is put twice, or that is used after Put and put again, is not
// counted again.
func (p *BufferPool) Stats() Stats {
	s := newStats(p.id.Load(), "BufferPool", nil)
	p.stats(&s)
	return s
}

// stats fills in s, which has ID and Kind. It appends to Classes.
func (p *BufferPool) stats(s *Stats) {
	config := p.first.settings(p)
	s.Name = config.name
	s.Misuse = basincheck.Counts(p.checkOwner.Load().Counts())
	p.engine.AllStats(func(i uint, e engine.ClassStats) { s.add(learn.Classes.Size(int(i)), e) })
	s.Bytes.MaxIdle = config.maxIdle
	s.PeakInUse = p.peak.see(s)
}

// newHandle returns an outstanding handle of a new ring with storage of the given
// class.
func newHandle(class uint) *Buffer {
	size := learn.Classes.Size(int(class))
	base := newBase(size)
	r := new(ring)
	for i := range r {
		b := &r[i]
		b.buf = base[:0]
		b.class = uint8(class)
		b.state = ringed
		b.step = int16(unsafe.Sizeof(*b))
		b.home = b.here()
	}
	r[len(r)-1].step *= -(ringSize - 1)
	b := &r[0]
	b.buf = base
	b.state |= out
	return b
}

// newBase returns storage for handles.
func newBase(size int) []byte {
	if zeroing.Load() {
		return make([]byte, size)
	}
	return uninit.Bytes(size, size)
}

// Put gives b and its storage back. The caller must not use b, or a slice of its
// contents, any more; [BufferPool] says what happens otherwise. A Buffer that is not
// a handle is freed. If b is nil, Put does nothing.
//
//go:nosplit
func (p *BufferPool) Put(b *Buffer) {
	_ = p.Name // as in Get
	if b != nil && b.state == ringed|out && b.home == b.here() {
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
	p.ready()
	if t := check.Current.Load(); t != nil && check.Judges(t, b) {
		switch releaseHandle(t, p.owner(), b) {
		case check.Accepted:
			p.engine.CountPut(uint(b.class))
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
	} else if out { // nobody is left in its ring, or it had none
		p.engine.CountPut(uint(b.class))
	}
}

// store puts b, which is idle, where Get will find it.
func (p *BufferPool) store(b *Buffer) {
	p.ready()
	if zeroing.Load() {
		clear(b.buf)
	}
	p.engine.Put(uint(b.class), b)
}

// retire is the part of Put that passes the storage of b on to the next of its ring,
// in all cases. It returns that one, or nil if no other can be used.
func (p *BufferPool) retire(b *Buffer) *Buffer {
	if b.state&ringed != 0 && b.home != b.here() {
		// A copy, which go vet reports. What lies beside it is not its ring, and the
		// storage is the original's.
		*b = Buffer{}
		return nil
	}
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
		defaultPool.Load().Put(b.pooled())
		b.buf = nil
	}
	next := b.next()
	for next != b && next.state != ringed { // it was used after it was put
		next = next.next()
	}
	b.state = ringed
	b.off, b.end, b.peak, b.lastRead = 0, 0, 0, opInvalid
	if next == b {
		if zeroing.Load() {
			clear(b.buf)
		}
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

// here returns some bits of the address of b. One copy in 65,536 has the same.
func (b *Buffer) here() uint16 { return uint16(uintptr(unsafe.Pointer(b)) >> 3) }

// sample learns from what the user of b has needed.
func (p *BufferPool) sample(b *Buffer) {
	need := max(b.peak, b.end)
	b.peak = 0
	maxSize := p.ready().maxSize
	switch {
	case need > learn.Classes.Size(int(b.class)):
		p.learned.Observe(need, maxSize, 1, true)
	case b.step < 0:
		p.learned.Observe(need, maxSize, sampleLaps*ringSize, false) // for the others of the ring too
	}
}

var handles = BufferPool{Name: "buffers"}

// GetBuffer returns an empty Buffer from a [BufferPool] that all users of this
// package share. Passing it as an [io.Writer] or the like costs no allocation. Give
// it back with [PutBuffer].
func GetBuffer() *Buffer { return handles.Get() }

// PutBuffer gives back what [GetBuffer] returned: [BufferPool.Put].
func PutBuffer(b *Buffer) { handles.Put(b) }
