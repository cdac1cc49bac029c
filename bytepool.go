package basin

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/learn"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/race"
	"github.com/basin-go/basin/internal/record"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/uninit"
	"github.com/basin-go/basin/internal/wipe"
)

// A BytePool hands out byte slices and takes them back for reuse. Its exported
// fields are its settings, and the zero BytePool is ready:
//
//	var pool basin.BytePool
//	var pages = basin.BytePool{Name: "pages", MinSize: 4096, MaxSize: 4096}
//
// The first use of a pool reads its fields, which must not be changed from then on.
// If they contradict each other it panics and names the field; [BytePool.Validate]
// says so earlier. Until its first use a pool costs next to nothing. A pool can be
// dropped like any other value, but must not be copied after its first use; go vet
// reports copies.
//
// Between Get and Put a slice belongs to the caller, who may pass it on to
// another goroutine; after Put nobody may touch it, or any slice of the same
// array. A slice that is never put back is collected as garbage and costs
// nothing but its reuse.
//
// Put recycles the whole array, whatever length the slice has by then. What it
// cannot recycle it drops and counts, by reason: see [Drops]. It recognises a
// slice that the pool did not hand out by its capacity and alignment. A foreign
// slice that has exactly those of a size class is taken like the pool's own. To
// have others recycled too, there are [BytePool.Adopt] and [BytePool.Adopts].
//
// All methods may be called from many goroutines at once.
type BytePool struct {
	// Name labels the pool in statistics.
	Name string

	// MinSize and MaxSize are the smallest and the largest capacity, in
	// bytes, that the pool keeps; each is rounded up to a size class. Requests
	// for less than MinSize get MinSize. Requests for more than MaxSize get a
	// slice that the pool does not keep afterwards.
	//
	// A MinSize below 64 means 64. Both are at most math.MaxInt32. A MaxSize of zero
	// means DefaultMaxSize, or MinSize if that is larger.
	MinSize, MaxSize int

	// MaxFit bounds the capacity that a request may get, as a multiple of its size
	// class. If nothing of the class is idle, an idle slice of a larger class serves,
	// up to MaxFit times as large, before memory is allocated. Above 1, a slice of up
	// to 1024 bytes serves any smaller request. With 1, a request gets a slice of its
	// own class only. That suits a pool whose slices are held for long, as by a
	// cache. Clone, CloneString and Detach always use their own class. Zero means
	// DefaultMaxFit.
	MaxFit int

	// MaxIdle is the ceiling, in bytes, on the idle memory that the pool keeps. It
	// holds at every moment and includes what is kept for each P. Put drops a slice
	// that would exceed it, so no slice larger than MaxIdle is ever kept. Zero means
	// DefaultMaxIdle, or an eighth of the memory limit if that is less. The limit is
	// GOMEMLIMIT, or else that of the control groups that the program runs in, as in a
	// container. If the default pool has a MaxIdle, pools that have none share that
	// instead: see SetDefault. KeepNone means nothing.
	MaxIdle int64

	// IdleTime is how long memory that nobody needs may stay idle. Memory that has
	// not been touched for half of that time is released in the course of the other
	// half, a share with each garbage collection. Reading statistics releases it too,
	// but only a collection frees it. In a program that does nothing, the runtime
	// collects every two minutes. As the live heap and the memory that is not heap
	// come close to the memory limit, this time gets shorter, and in the end all idle
	// memory is released at once. Zero means DefaultIdleTime.
	IdleTime time.Duration

	// MaxInUse is the ceiling, in bytes of capacity, on memory that is outstanding:
	// handed out and not put back. At the ceiling Get waits until something is put
	// back. GetZeroed, Make, Clone, CloneString and Copy wait too. GetContext waits
	// until its context is done. TryGet does not wait. Those who wait are served in
	// the order in which they came. Zero means that there is no ceiling.
	//
	// Growing never waits, because whoever grows may hold the very memory that it
	// would wait for. If the ceiling leaves no room for a new array of Append,
	// AppendString, Grow, ReadAll or a Buffer, that array comes from the heap and is
	// not counted, and Put drops it. The same holds for a request to Get that is
	// larger than MaxInUse. Both are counted as Outside and as Refused. Requests
	// larger than MaxSize are under the ceiling.
	//
	// A slice that is never put back counts for ever, and so does a slice of which
	// only a part is put. A goroutine that holds one slice and waits for another may
	// wait for itself.
	MaxInUse int64

	// Zero makes Put clear the whole array of each slice, kept or dropped, so that no
	// byte of one user reaches the next. The slices of such a pool are all zero when
	// they are handed out. If it is the default pool, the storage of Buffers and
	// handles is cleared too.
	Zero bool

	// Adopts makes Put take slices of any origin and capacity, as Adopt does. So do all
	// that put: TryPut, Append and its like, and functions of the package if it is the
	// default pool.
	Adopts bool

	first firstUse

	// What Get and Put look classes up in. Nil sends them down the slow path. Every
	// pool begins with nil, pools that have more to do than to pop and push a pointer
	// keep it, and while checks are on all pools have it.
	gets, puts atomic.Pointer[sizeclass.Table]

	table  engine.Table[*byte]  // of the engine's magazines
	engine engine.Engine[*byte] // class by class, pointers to arrays that are idle
	sizes  *sizeclass.Table     // the classes
	zero   bool                 // what is handed out
	adopts bool                 // what Put does
	loose  atomic.Bool          // what was adopted may be aligned to no more than a cache line
	quota  *quota.Quota         // MaxInUse, or nil: see maxinuse.go
	large  largeSet             // arrays larger than MaxSize that the quota has counted

	// What the engine does not see.
	outsideGets  atomic.Uint64 // Gets served by the heap
	outsideBytes atomic.Uint64 // bytes asked for by those
	outsideInUse largeCount    // without a quota, how much of that is outstanding
	drops        [dropReasons]atomic.Uint64
	peak         peak

	reads learn.Reads // see ReadAll

	idleOfAll atomic.Pointer[engine.Budget] // once this was made the default pool: see SetDefault

	id atomic.Uint64 // see registry.go

	// For checks: see bytepool_check.go.
	checkOwner atomic.Pointer[check.Owner]
	bornUnder  uint64 // ID of the tracker that knows of all that was ever handed out, or 0
}

// Positions in BytePool.drops, for the reasons that the engine does not see.
const (
	dropEmpty = iota
	dropSmall
	dropLarge
	dropForeign
	dropMisaligned
	dropReasons
)

// Validate returns an error that names the first field that is negative, too large
// or in contradiction to another. The first use of the pool would panic with it.
func (p *BytePool) Validate() error {
	_, err := p.complete()
	return err
}

func (p *BytePool) complete() (settings, error) {
	c := fieldCheck{kind: "BytePool"}
	s := settings{
		name:     p.Name,
		minSize:  p.MinSize,
		maxSize:  c.maxSize("MinSize", p.MinSize, "the smallest size class", p.MaxSize),
		maxFit:   p.MaxFit,
		idleTime: c.idleTime(p.IdleTime),
		maxInUse: p.MaxInUse,
		zero:     p.Zero,
		adopts:   p.Adopts,
	}
	c.idleBytes(&s, p.MaxIdle)
	if own := p.idleOfAll.Load(); own != nil { // even if another is the default pool by now
		s.within = own
	}
	switch {
	case s.maxFit < 0:
		c.refuse("MaxFit", s.maxFit, "0 (for the default) or more; 1 is the own size class only")
	case s.maxFit == 0:
		s.maxFit = DefaultMaxFit
	}
	switch {
	case s.maxInUse < 0:
		c.refuse("MaxInUse", s.maxInUse, "0 (for none) or more")
	case s.maxInUse > quota.Max:
		c.refuse("MaxInUse", s.maxInUse, "at most %d", int64(quota.Max))
	}
	return s, c.err
}

func (p *BytePool) begin(s settings) {
	p.sizes = sizeclass.For(s.minSize, s.maxSize)
	p.zero = s.zero
	p.adopts = s.adopts
	if s.maxInUse > 0 {
		p.quota = quota.New(s.maxInUse)
	}
	p.engine.Init(&p.table, engine.Config[*byte]{
		Admit:    p.admitLarger(),
		Classes:  func() []engine.Class { return engineClasses(p.sizes, s.maxFit) },
		Bits:     sizeclass.Bits,
		MaxIdle:  s.maxIdle,
		Within:   s.within,
		IdleTime: s.idleTime,
		Same:     func(a, b *byte) bool { return a == b },
	})
	p.bornUnder = startChecked(p, func() {
		register(p, &p.id, "BytePool", (*BytePool).stats, (*BytePool).Trim)
	})
}

// ready returns the settings of p, which is ready from then on.
func (p *BytePool) ready() *settings { return p.first.of(p) }

// classes returns the size classes of p, which is ready from then on.
func (p *BytePool) classes() *sizeclass.Table {
	p.ready()
	return p.sizes
}

// fast lets Get and Put take their fast path, or not. A pool with a quota has none.
func (p *BytePool) fast(fast bool) {
	var t *sizeclass.Table
	if fast && p.quota == nil {
		t = p.sizes
	}
	p.gets.Store(t)
	if !p.zero {
		p.puts.Store(t)
	}
}

// engineClasses says what an idle slice of each class costs, and how many of them a P
// may keep for itself: as many as make 256 KiB, or one that is larger.
func engineClasses(t *sizeclass.Table, maxFit int) []engine.Class {
	classes := make([]engine.Class, t.Len())
	for i := range classes {
		size := t.Size(i)
		classes[i] = engine.ClassOf(size)
		classes[i].Fit = lastFit(t, size, maxFit)
	}
	return classes
}

// Get returns a slice of length n. Unless [BytePool.Zero] is set, its contents are
// arbitrary: whatever any part of the program has left in memory, secrets included.
// Its capacity is a size class: that of n, or if nothing of that class is idle, one
// up to [BytePool.MaxFit] times as large. If n is zero or negative, the slice is
// empty and need not be put back. If n exceeds MaxSize, the slice comes from the
// heap, and Put drops it. As with make, Get panics if there cannot be a slice of that
// size. Under a [BytePool.MaxInUse], Get may wait.
//
//go:nosplit
func (p *BytePool) Get(n int) []byte {
	// This and Put are the fast path, written out flat: a call costs more than
	// all the rest, hence also nosplit, which leaves out the check of the
	// stack's size. See the package comment of internal/engine.
	if t := p.gets.Load(); t != nil {
		c := t.Class(n)
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
	}
	return p.get(n, bestFit)
}

// Put gives b back. Its whole array may be handed out again at once, so the caller
// must not use b, or any slice of the same array, any more. Slices that the pool
// cannot keep are dropped and counted. While checks are off, no argument makes Put
// panic.
//
//go:nosplit
func (p *BytePool) Put(b []byte) {
	x := unsafe.SliceData(b)
	if t := p.puts.Load(); t != nil {
		if c := t.Class(cap(b)); c.Fits(cap(b), uint32(uintptr(unsafe.Pointer(x)))) {
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
			p.putClass(x, class, cap(b))
			return
		}
	}
	p.put(x, cap(b), false)
}

// putClass is the slow path of Put for an array of the given capacity that fits its class.
func (p *BytePool) putClass(x *byte, class uint, capacity int) {
	if int(class) >= p.classes().Len() { // what fits no class is too large for all
		p.put(x, capacity, false)
		return
	}
	race.Write(x, capacity)
	p.engine.Put(class, x)
}

// get is the slow path of Get.
func (p *BytePool) get(n int, f fit) []byte {
	if n <= 0 {
		return []byte{}
	}
	t := p.classes()
	if p.quota != nil {
		b, err := p.getCounted(context.Background(), n, f)
		if err != nil { // it can never be
			b = p.uncounted(n)
		}
		return b
	}
	if t := check.Current.Load(); t != nil {
		t.Sweep()
	}
	c := t.Class(n)
	if c.None() {
		return p.outside(n, n)
	}
	return p.pooled(n, c, f)
}

// pooled returns n bytes of class c: all of Get for callers who know the class.
func (p *BytePool) pooled(n int, c sizeclass.Class, f fit) []byte {
	b := p.take(n, c, f)
	if r := record.Current.Load(); r != nil {
		r.Got(p.id.Load(), unsafe.SliceData(b), n, false)
	}
	return b
}

// take is pooled without the recording.
func (p *BytePool) take(n int, c sizeclass.Class, f fit) []byte {
	if t := check.Current.Load(); t != nil && t.Pick() {
		return p.checkedGet(t, n, c)
	}
	if x, ok := p.engine.Pop(c.Index(), n); ok {
		return buffer(x, n, c)
	}
	if f == ownClass {
		if x, ok := p.engine.Get(c.Index(), n); ok {
			return buffer(x, n, c)
		}
	} else if x, class, ok := p.engine.GetFit(c.Index(), n); ok {
		return unsafe.Slice(x, p.sizes.Size(int(class)))[:n]
	}
	return p.allocate(c.Size())[:n]
}

// spare is Get of at most smallFit bytes for one who may never put them, as the user of a
// Buffer. If there is nothing to reuse, the array is new and not counted, which spares
// a lock. It is counted, by count, before it is put.
func (p *BytePool) spare(n int) (b []byte, counted bool) {
	if t := p.gets.Load(); t != nil {
		if c := t.Class(n); !c.None() {
			if x, ok := p.engine.Pop(c.Index(), n); ok {
				return buffer(x, n, c), true
			}
			if !p.engine.Stocked(c.Index()) {
				return p.allocate(c.Size())[:n], false
			}
		}
	}
	return p.growTo(n, bestFit), true
}

// count counts the Get of an array of the given capacity that spare has not counted.
func (p *BytePool) count(capacity int) {
	if c := p.classes().Class(capacity); c.Size() == capacity { // or SetDefault has made p the default since
		p.engine.CountGet(c.Index(), capacity)
	}
}

// outside returns n bytes with the given capacity that are not the pool's.
func (p *BytePool) outside(n, capacity int) []byte {
	return p.countOutside(p.allocate(capacity)[:n]) // panics if there cannot be as many
}

// countOutside counts the Get of b, which is not the pool's, and returns it.
func (p *BytePool) countOutside(b []byte) []byte {
	n := len(b)
	p.outsideGets.Add(1)
	p.outsideBytes.Add(uint64(n))
	if p.quota == nil {
		p.outsideInUse.add(cap(b))
	}
	if r := record.Current.Load(); r != nil && n > p.sizes.Largest() {
		r.Got(p.id.Load(), unsafe.SliceData(b), n, true)
	}
	return b
}

// allocate returns new bytes, zeroed if those of the pool are.
func (p *BytePool) allocate(n int) []byte {
	if p.zero {
		return make([]byte, n)
	}
	return uninit.Bytes(n, n)
}

// put is the slow path of Put, for an array of the given capacity at x, or if adopt
// is true, of Adopt. It reports whether the array was kept.
func (p *BytePool) put(x *byte, capacity int, adopt bool) bool {
	p.ready()
	adopt = adopt || p.adopts
	if r := record.Current.Load(); r != nil {
		r.Put(x)
	}
	verdict, own := p.recycle(x, capacity, adopt)
	if p.quota != nil {
		p.credit(x, capacity, verdict, own)
	}
	return verdict == engine.Kept
}

// dropped is what became of an array that the engine was not given.
const dropped engine.Verdict = -1

// recycle takes back an array of the given capacity at x. It reports what became of
// it, and whether it can be the pool's own.
func (p *BytePool) recycle(x *byte, capacity int, adopt bool) (verdict engine.Verdict, own bool) {
	if t := check.Current.Load(); t != nil && (adopt || check.Judges(t, x)) {
		if verdict, own, done := p.checkedPut(t, x, capacity, adopt); done {
			return verdict, own
		}
	}
	return p.recycleUnchecked(x, capacity, adopt)
}

// recycleUnchecked is recycle without the checks.
func (p *BytePool) recycleUnchecked(x *byte, capacity int, adopt bool) (verdict engine.Verdict, own bool) {
	c := p.sizes.Class(capacity)
	if c.None() || !c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))) {
		if reason, ok := p.examine(x, capacity, c); !ok {
			if p.zero {
				wipe.Foreign(unsafe.Slice(x, capacity)) // the heap hands it to somebody else next
			}
			if adopt && reason != dropEmpty && reason != dropLarge {
				return p.cut(unsafe.Slice(x, capacity)), false
			}
			p.drops[reason].Add(1)
			if reason == dropLarge && p.quota == nil {
				p.outsideInUse.remove(capacity)
			}
			return dropped, false
		}
	}
	if p.zero {
		clear(unsafe.Slice(x, capacity))
	}
	race.Write(x, capacity)
	if p.engine.Push(c.Index(), x) {
		return engine.Kept, true
	}
	return p.engine.Put(c.Index(), x), true
}

// examine reports whether an array of the given capacity at x can be a buffer of
// class c, which p has for that capacity, and if not, why it has to be dropped.
func (p *BytePool) examine(x *byte, capacity int, c sizeclass.Class) (reason int, ok bool) {
	switch {
	case capacity == 0:
		return dropEmpty, false
	case c.None():
		return dropLarge, false
	case capacity < p.sizes.Smallest():
		return dropSmall, false
	case capacity != c.Size():
		return dropForeign, false
	case c.Fits(capacity, uint32(uintptr(unsafe.Pointer(x)))):
		return 0, true
	case p.loose.Load() && c.FitsLoosely(capacity, uint32(uintptr(unsafe.Pointer(x)))):
		return 0, true
	}
	return dropMisaligned, false
}

// isOwn reports whether an array of the given capacity at x can be the pool's own.
func (p *BytePool) isOwn(x *byte, capacity int) bool {
	_, own := p.examine(x, capacity, p.sizes.Class(capacity))
	return own
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

// TryPut is [BytePool.Put] and reports whether b was kept.
func (p *BytePool) TryPut(b []byte) bool { return p.put(unsafe.SliceData(b), cap(b), false) }

// GetZeroed is [BytePool.Get] with all n bytes zero.
func (p *BytePool) GetZeroed(n int) []byte {
	b := p.Get(n)
	if len(b) > 0 && !p.zero {
		clear(b)
	}
	return b
}

// Make returns an empty slice with a capacity of at least n: [BytePool.Get] for
// those who append.
func (p *BytePool) Make(n int) []byte { return p.Get(n)[:0] }

// Sized returns a view of p that hands out slices of length n. It is a
// [net/http/httputil.BufferPool], for a reverse proxy to copy with. The view keeps
// nothing itself: slices put into it serve all users of p.
func (p *BytePool) Sized(n int) interface {
	Get() []byte
	Put([]byte)
} {
	return &sizedPool{p, n}
}

type sizedPool struct {
	pool *BytePool
	size int
}

func (s *sizedPool) Get() []byte  { return s.pool.Get(s.size) }
func (s *sizedPool) Put(b []byte) { s.pool.Put(b) }

// Trim releases all idle memory now, for the next garbage collection to free. It
// briefly stops the world, to take from each P what it keeps.
func (p *BytePool) Trim() { p.engine.Trim() }

// Stats returns the statistics of the pool.
func (p *BytePool) Stats() Stats {
	s := newStats(p.id.Load(), "BytePool", nil)
	p.stats(&s)
	return s
}

// stats fills in s, which has ID and Kind. It appends to Classes.
func (p *BytePool) stats(s *Stats) {
	config := p.first.settings(p)
	s.Name = config.name
	s.Outside = p.outsideGets.Load()
	s.OutsideBytes = p.outsideBytes.Load()
	s.Drops = Drops{
		Empty:      p.drops[dropEmpty].Load(),
		Small:      p.drops[dropSmall].Load(),
		Large:      p.drops[dropLarge].Load(),
		Foreign:    p.drops[dropForeign].Load(),
		Misaligned: p.drops[dropMisaligned].Load(),
	}
	s.Misuse = basincheck.Counts(p.checkOwner.Load().Counts())
	s.Gets = s.Outside
	s.AskedBytes = s.OutsideBytes
	s.HandedOutBytes = s.OutsideBytes
	p.engine.AllStats(func(i uint, e engine.ClassStats) {
		s.add(p.sizes.Size(int(i)), e)
	})
	s.Bytes.MaxIdle = config.maxIdle
	s.Bytes.MaxInUse = config.maxInUse
	if p.first.done.Load() != nil && p.quota != nil {
		s.OutsideInUse = p.large.amount()
		s.Bytes.InUse = p.quota.Taken()
		s.Waits = waitsOf(p.quota.Waits())
		p.peak.raise(0, p.quota.Peak())
	} else {
		s.OutsideInUse = p.outsideInUse.amount()
		s.Bytes.InUse += s.OutsideInUse.Bytes
	}
	s.Items.InUse += s.OutsideInUse.Items
	s.PeakInUse = p.peak.see(s)
}
