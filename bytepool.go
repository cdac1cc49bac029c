//go:build go1.25

package basin

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/learn"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A BytePool hands out byte slices and takes them back for reuse. Its exported
// fields are its settings, and the zero BytePool is ready:
//
//	var pool basin.BytePool
//	var pages = basin.BytePool{Name: "pages", MinSize: 4096, MaxSize: 4096}
//
// The first use of a pool reads its fields, which must not change from then on. If a field is out
// of range or contradicts another, the first use panics with its name; [Validate] finds this
// earlier. An unused pool costs next to nothing. A pool can be dropped like any other value. It must
// not be copied after its first use; go vet reports copies.
//
// Between Get and Put, a slice belongs to its caller, who may pass it on to another goroutine.
// After Put, nobody may use the slice, or any other slice of its array. A slice that is never put
// back is collected as garbage; only its reuse is lost.
//
// Put recycles the whole array, whatever length the slice has. It drops slices that it cannot
// recycle and counts them by reason: see [Drops]. Put recognises the pool's slices by their
// capacity and alignment, so it also accepts a foreign slice whose capacity and alignment are those
// of a size class. [BytePool.Adopt] and [BytePool.Adopts] recycle other foreign slices, too.
//
// All methods may be called from many goroutines at once.
type BytePool struct {
	// Name labels the pool in statistics.
	Name string

	// MinSize and MaxSize are the smallest and the largest capacity, in bytes, that the pool keeps.
	// Each is rounded up to a size class. Requests below MinSize get MinSize. Requests above
	// MaxSize get a slice that Put drops.
	//
	// A MinSize below 64 means 64. Both are at most math.MaxInt32. A MaxSize of zero means
	// DefaultMaxSize, or MinSize if that is larger.
	MinSize, MaxSize int

	// MaxFit limits the capacity that a request may get, as a multiple of its size class. If no
	// slice of the class is idle, a larger idle slice serves the request, up to MaxFit times as
	// large, before the pool allocates. If MaxFit is above 1, a slice of up to 1024 bytes serves
	// any smaller request. If it is 1, a request gets a slice of its own class only, which suits
	// pools whose slices are held for long, as in a cache. Detach and all requests under a limit always
	// use their own class. Zero means DefaultMaxFit.
	MaxFit int

	// MaxIdle is the limit, in bytes, on the idle memory of the pool, including the free lists of
	// all Ps. It holds at every moment. Put drops a slice that would exceed it, so no slice larger than
	// MaxIdle is ever kept. KeepNone means no idle memory.
	//
	// Zero means DefaultMaxIdle, or an eighth of the memory limit if that is less. The memory limit
	// is GOMEMLIMIT, or else the limit of the control groups that the program runs in, as in a
	// container. If that limit falls, the next collections release the excess. If SetDefault has set
	// a MaxIdle, it replaces this default: all pools without their own MaxIdle share it.
	MaxIdle int64

	// IdleTime is the longest time that unneeded memory may stay idle. Memory that nobody touched
	// for a quarter of that time is released in the course of the next quarter, a share with each
	// garbage collection. Reading statistics releases it, too, but only a collection frees it. In a
	// program that does nothing, the runtime collects every two minutes: see [TrimIdle]. As the live
	// heap and the memory outside the heap come close to the memory limit, the time gets shorter; in
	// the end all idle memory is released at once. Zero means DefaultIdleTime.
	IdleTime time.Duration

	// Limit, if not nil, is a [Limit] on outstanding memory, handed out and not put back, which the pool
	// shares with others. MaxInUse is the short form of a Limit of the pool's own, in bytes of capacity; zero
	// means none. A pool may have both.
	//
	// Without room, GetContext waits. TryGet returns false. ReadAll, ReadAllSize and the writes of Buffers
	// return [ErrLimit]. Get, GetZeroed, Append, AppendString, Grow and Buffer.Grow can do neither: they go beyond
	// the limit. Statistics count that as Beyond.
	//
	// A request counts as the size class of its length. If only a part of its slice is put back, or nothing, the
	// request counts until the collector finds the array to be garbage: then it is [Stats].Lost. A slice that was
	// put into another pool counts until there is no room, or that pool drops it. Then it is taken out of that
	// pool, and counts as misuse; but not out of a Pool[T], which may have it by right.
	Limit    *Limit
	MaxInUse int64

	// Zero makes Put clear the whole array of each slice, kept or dropped, so that no user sees
	// another user's bytes. All slices of the pool are zero when they are handed out. If the pool
	// is the default pool, all BufferPools and StdBufferPools clear, too.
	// If checks report the Put of a part of a slice, Put does not clear that part.
	Zero bool

	// ZeroNew makes the pool allocate zeroed memory, as make does. Reused memory is not cleared. So
	// a slice contains zeros or bytes that users of the pool wrote, and no bytes of other parts of
	// the program.
	ZeroNew bool

	// Adopts makes Put accept slices of any origin and capacity, as Adopt does. The same holds for all
	// calls that put, such as Append, and for the functions of the package if the pool is the default pool.
	Adopts bool

	// gets and puts are the class tables of the fast paths of Get and Put; nil means the slow path.
	// They are nil before the first use, while checks are on, and in pools with a
	// quota. puts is nil in pools that clear memory, too.
	gets, puts atomic.Pointer[sizeclass.Table]

	stock             // embedded, because all files of BytePool use its fields: see stock.go
	peak  peak        // most memory outstanding at one time
	reads learn.Reads // used by ReadAll
	base              // the first use, by ready: see base.go
}

func init() {
	engine.OnMiss = func(pool any, f func(size int)) { pool.(*BytePool).ensureRare().onMiss = f }
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
		limit:    p.Limit.overseen(),
		zero:     p.Zero,
		zeroNew:  p.ZeroNew,
		adopts:   p.Adopts,
	}
	c.idleBytes(&s, p.MaxIdle)
	if own := cmp.Or(p.rare.Load(), &noneRare).idleOfAll.Load(); own != nil { // even if another pool is the default now
		s.within, s.follows = own, false
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
	case s.maxInUse > 0 || s.limit != nil:
		s.maxFit = 1 // or idle slices would decide which requests fit
	}
	c.limit(p.Limit)
	return s, c.err
}

func (p *BytePool) begin(s *settings) {
	p.sizes = sizeclass.For(s.minSize, s.maxSize)
	p.config, p.zero = s, s.zero
	p.clean = s.zero || s.zeroNew
	p.adopts = s.adopts
	if over := s.overseer("BytePool"); over != nil {
		p.ledger = newLedger(s.name, p.owner(s.name), &p.engine, p.sizes, over)
		p.quota = over.quota
		if !s.zero && !s.adopts {
			p.manner = simple
		}
	}
	sizes, maxFit := p.sizes, s.maxFit
	p.engine.Init(&p.table, s.maxIdle, s.within, engine.Config[*byte]{
		Classes:  func() []engine.Class { return engineClasses(sizes, maxFit) },
		Bits:     sizeclass.Bits,
		IdleTime: s.idleTime,
		MaxIdle:  s.follow(),
		Same:     func(a, b *byte) bool { return a == b },
	})
	p.bornUnder = startChecked(p, func() {
		register(p, &p.id, nil, (*BytePool).Trim)
	})
}

// classes returns the size classes of p and ensures that p is ready for use.
func (p *BytePool) classes() *sizeclass.Table {
	p.ready(p)
	return p.sizes
}

// setTracker turns the fast paths off while checks are on. They are always off in a
// pool with a quota.
func (p *BytePool) setTracker(checked bool, by *check.Tracker) {
	var t *sizeclass.Table
	if !checked && p.quota == nil {
		t = p.sizes
	}
	p.gets.Store(t)
	if guard.Outstanding() { // of checks that have ended; only the slow path of Put knows it
		t = nil
	}
	if !p.zero {
		p.puts.Store(t)
	}
	p.setSampled(by, &p.base, p.Name)
}

// Get returns a slice of length n. Its contents are arbitrary unless [BytePool.Zero] or
// [BytePool.ZeroNew] is set: bytes that any part of the program has left in memory, secrets
// included. Its capacity is the size class of n, or if no slice of that class is idle, a class up
// to [BytePool.MaxFit] times as large. If n is zero or negative, the slice is empty and need not be
// put back. If n exceeds MaxSize, the slice comes from the heap, and Put drops it. Like make, Get
// panics if a slice of that size is impossible. Get does not wait: see [BytePool.Limit].
//
//go:nosplit
func (p *BytePool) Get(n int) []byte {
	// The fast path, inlined by hand and without the check of the stack size (nosplit), because a
	// call costs more than all the rest. See the package comment of internal/engine. top is huge if
	// the magazine is empty. Lengths without a class have an index whose magazine is always empty.
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
	} else if s := p.sampled.Load(); s != nil {
		if b := p.getSampled(s, n); b != nil {
			return b
		}
	}
	return p.get(n, engine.BestFit)
}

// Put gives b back. The pool may hand out its whole array again at once, so the caller must not use
// b, or any slice of the same array, any more. Put drops slices that the pool cannot keep, and
// counts them. While checks are off, no argument makes Put panic.
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
	if p.done.Load() != nil && p.manner == simple && p.putHeld(x, cap(b)) {
		return
	}
	if s := p.sampled.Load(); s == nil || !p.putSampled(s, x, cap(b)) {
		p.put(x, cap(b), putting)
	}
}

// putClass is the slow path of Put for an array whose capacity and alignment fit its class.
func (p *BytePool) putClass(x *byte, class uint, capacity int) {
	if int(class) >= p.classes().Len() { // beyond all classes: too large
		p.put(x, capacity, putting)
		return
	}
	mem.RaceWrite(x, capacity)
	if p.engine.Put(class, x) == engine.Full {
		stray(p.owner(p.Name), p.ledger, p.adopts, x, capacity)
	}
}

// get is the slow path of Get.
func (p *BytePool) get(n int, f engine.Fit) []byte {
	if n <= 0 {
		return []byte{}
	}
	t := p.classes()
	if p.quota != nil {
		b := p.quick(n)
		if b == nil {
			b, _ = p.getCounted(want{force: true}, n)
		}
		return b
	}
	p.unchanged()
	if t := check.Current.Load(); t != nil {
		t.Sweep()
	}
	c := t.Class(n)
	if c.None() {
		return p.outside(p.allocate(n)) // panics if no slice can have that length
	}
	return p.pooled(n, c, f)
}

// pooled returns an idle or a new array for n bytes of class c.
func (p *BytePool) pooled(n int, c sizeclass.Class, f engine.Fit) []byte {
	if t := check.Current.Load(); t != nil && t.Pick() {
		return p.checkedGet(t, p.owner(p.Name), n, c)
	}
	if f == engine.OwnClass || p.gets.Load() == nil { // otherwise Get has tried the magazine
		if x, ok := p.engine.Pop(c.Index(), n); ok {
			return buffer(x, n, c)
		}
	}
	return p.unchecked(n, c, f)
}

// outside counts the Get of b, which Put will drop, and returns b.
func (p *BytePool) outside(b []byte) []byte {
	n := len(b)
	u := p.ensureRare()
	u.gets.Add(1)
	u.bytes.Add(uint64(n))
	if p.quota == nil {
		u.inUse.add(cap(b))
	}
	return b
}

// put is the slow path of Put, Adopt and Forget, for an array of the given capacity at x. It reports
// whether the pool kept the array. Put has shorter ways to the same end, each for one state of the pool, because a
// call costs more than what it does: putClass if the magazine is full, putHeld under a limit, putSampled while
// checks take samples.
func (p *BytePool) put(x *byte, capacity int, how giving) bool {
	p, _ = p.lender()
	if p.ready(p); how == forgetting && capacity == 0 {
		return false
	}
	if p.adopts && how != forgetting {
		how = adopting
	}
	var verdict engine.Verdict
	if t := check.Current.Load(); t != nil && (how == adopting || check.Judges(t, x)) {
		verdict = p.checkedPut(t, p.owner(p.Name), x, capacity, how)
	} else {
		verdict = p.recycle(p.owner(p.Name), x, capacity, how)
	}
	return verdict == engine.Kept
}

// Adopt is [BytePool.Put] for a slice of any origin. It reports whether the pool kept the slice.
// The pool cuts a piece from the array, starting at a cache line, with the largest size class that
// fits, and hands out that piece later. So b may be from make or another pool, or a part of an
// array. In a pool with [BytePool.Adopts], Put does the same.
//
// All memory from the first byte of b to its capacity must stay writable for ever, and nobody else
// may use it: no constants, no mapped files. A pool with [BytePool.MaxInUse] adopts only memory of
// Go's heap. The rest of the array stays unused as long as the pool has the piece: less than 128
// bytes of an array below 512 bytes, and of a larger one less than a quarter plus 64 bytes. It does
// not count towards MaxIdle. If b is a part of an array, neither does the rest of that array.
//
// Adopt drops some slices and counts them in [Drops]. A capacity below MinSize counts as Small, and
// one above MaxSize as Large. A slice without room for MinSize after the start of a cache line counts
// as Misaligned, one beyond MaxIdle as Full. Under a MaxInUse, a slice that is not on Go's heap counts
// as Foreign.
//
// A piece counts as [Stats].Adopted. It does not affect InUse, nor the room under
// [BytePool.MaxInUse]. A whole slice of another pool with MaxInUse counts as forgotten there. Without a
// MaxInUse, a slice with exactly the capacity and alignment of the pool's own counts as a Put. Checks
// do not track foreign slices; they report a slice of the pool that is put twice.
func (p *BytePool) Adopt(b []byte) bool { return p.put(unsafe.SliceData(b), cap(b), adopting) }

// GetZeroed is [BytePool.Get], but returns n zero bytes.
func (p *BytePool) GetZeroed(n int) []byte {
	b := p.Get(n)
	if len(b) > 0 && !p.zero {
		clear(b)
	}
	return b
}

// Trim releases all idle memory now; the next garbage collection frees it. Trim briefly stops the
// world, to take the idle memory of each P.
func (p *BytePool) Trim() {
	p, _ = p.lender()
	p.engine.Trim()
}

// Stats returns the statistics of the pool.
func (p *BytePool) Stats() Stats {
	var s Stats
	p, _ = p.lender()
	p.unchanged()
	p.stats(p.id.Load(), &s)
	return s
}

// stats overwrites s with the statistics of the pool, whose ID is id. It reuses s.Classes.
func (p *BytePool) stats(id uint64, s *Stats) {
	config := p.base.stats(p, "BytePool", id, s)
	u := cmp.Or(p.rare.Load(), &noneRare)
	s.Outside = u.gets.Load()
	s.OutsideBytes = u.bytes.Load()
	s.Drops = Drops{
		Empty:      u.drops[dropEmpty].Load(),
		Small:      u.drops[dropSmall].Load(),
		Large:      u.drops[dropLarge].Load(),
		Foreign:    u.drops[dropForeign].Load(),
		Misaligned: u.drops[dropMisaligned].Load(),
	}
	s.Gets = s.Outside
	s.AskedBytes = s.OutsideBytes
	s.HandedOutBytes = s.OutsideBytes
	p.engine.AllStats(func(i uint, e engine.ClassStats) {
		s.add(p.sizes.Size(int(i)), e, p.ledger.lostOf(i))
	})
	s.Bytes.MaxIdle = config.currentMaxIdle()
	s.Bytes.MaxInUse = config.maxInUse
	if p.done.Load() != nil && p.quota != nil {
		var lost Amount
		s.OutsideInUse, lost = p.ledger.outside.amounts()
		s.Lost.Items += lost.Items
		s.Lost.Bytes += lost.Bytes
		if waits := p.waits(); waits != nil {
			s.waited(waits.Stats())
			s.Bytes.InUse += s.OutsideInUse.Bytes
		} else {
			s.waited(p.quota.Waits())
			s.Bytes.InUse = p.quota.Taken()
			p.peak.raise(0, p.quota.Peak())
		}
	} else {
		s.OutsideInUse = u.inUse.amount()
		s.Bytes.InUse += s.OutsideInUse.Bytes
	}
	s.Items.InUse += s.OutsideInUse.Items
	s.PeakInUse = p.peak.see(s)
}

// A limit is a quota: its bytes are taken before a slice is handed out, and given back after the slice has been
// put. In a pool with a quota, gets and puts stay nil, so every Get and Put takes the slow path, which still uses
// the magazines. The quota counts the capacity of the request's own size class. So idle slices do not decide which
// requests fit. The ledger knows the addresses of all arrays: see ledger.go.

// GetContext is [BytePool.Get], but if there is no room under a limit, it waits until all earlier requests have
// been served and there is room for n bytes. If ctx is done before that, or is done already, GetContext returns nil
// and the error of ctx. If n can never fit, it fails at once, with an error that wraps [ErrLimit]. With a context
// that carries a [Reservation], it does not wait: see [Reservation.Context]. It panics if ctx is nil.
func (p *BytePool) GetContext(ctx context.Context, n int) ([]byte, error) {
	if ctx == nil {
		panic("basin: BytePool.GetContext with a nil context")
	}
	q := p.ceiling()
	if err := ctx.Err(); err != nil {
		if q != nil {
			p.refuse(0, false)
		}
		return nil, err
	}
	if q == nil {
		return p.Get(n), nil
	}
	account := carriedBy(ctx)
	if account == nil {
		if b := p.quick(n); b != nil {
			return b, nil
		}
	}
	return p.getCounted(wantBy(ctx, account, q), n)
}

// TryGet is [BytePool.Get] without going beyond a limit. It returns nil and false if there is no room for n
// bytes, or if other requests wait for room.
func (p *BytePool) TryGet(n int) ([]byte, bool) {
	b, err := p.getOr(n, engine.BestFit, want{})
	return b, err == nil
}

// ceiling returns the quota of p, or nil, and ensures that p is ready for use.
func (p *BytePool) ceiling() *quota.Quota {
	p.ready(p)
	return p.quota
}

// getOr is Get, but w says how it meets a limit without room.
func (p *BytePool) getOr(n int, f engine.Fit, w want) ([]byte, error) {
	switch {
	case p.ceiling() != nil:
		if b := p.quick(n); b != nil {
			return b, nil
		}
		return p.getCounted(w, n)
	case f == engine.OwnClass:
		return p.get(n, f), nil
	}
	return p.Get(n), nil
}

// getCounted returns n bytes that the quota counts. w says how it meets a quota without room.
func (p *BytePool) getCounted(w want, n int) (b []byte, err error) {
	if n <= 0 {
		return []byte{}, nil
	}
	p.unchanged()
	if pool, from := p.lender(); from != nil {
		p, w.from, w.ctx = pool, from, nil
	}
	size, c := p.charge(n)
	if w.force && size > impossible {
		p.allocate(-1) // panics as make does, before the limit counts anything
	}
	payer, err := p.takeRoom(w, size)
	if err != nil {
		return nil, p.refusal(n, size, err)
	}
	if !c.None() {
		b = p.pooled(n, c, engine.BestFit) // own class only, because MaxFit is 1
		p.ledger.hold(unsafe.SliceData(b), c.Index(), caller.Here(), payer)
		return b, nil
	}
	b = p.outside(p.allocateFor(payer, int(size))[:n])
	p.ledger.outside.add(unsafe.SliceData(b), cap(b), payer, p.ledger.recover)
	return b, nil
}

// quick is getHeld, and notices changed limits now and then.
func (p *BytePool) quick(n int) []byte {
	b, isNew := p.getHeld(n)
	if isNew {
		p.unchanged()
	}
	return b
}

// unchanged panics if a program has changed the limits of p after its first use, which would go unnoticed.
func (p *BytePool) unchanged() {
	if s := p.done.Load(); s != nil && (p.MaxInUse != s.maxInUse || !p.Limit.is(s.limit)) {
		panic(s.changed(p.MaxInUse))
	}
}

// A view says that a BytePool has the settings of another one, whose slices it hands out.
type view struct {
	pool *BytePool
	from *quota.Account // of the reservation that it draws from
	keep any            // the reservation, which must not become garbage before the view
}

// lender returns the pool that p is a view of, and the account that it draws from. If p is no view, it returns p
// and nil.
func (p *BytePool) lender() (*BytePool, *quota.Account) {
	if p.done.Load() == nil || p.manner != viewing {
		return p, nil
	}
	v := p.rare.Load().view.(*view)
	return v.pool, v.from
}
