//go:build go1.25

package basin

import (
	"context"
	"log/slog"
	"math"
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/waitlist"
)

// A FixedPool is a fixed number of buffers of one size, in one block of memory that lives as long
// as the pool. It is for programs whose memory must be known before they run. A FixedPool is a
// [net/http/httputil.BufferPool]:
//
//	var packets = basin.FixedPool{Count: 64, Size: 1500}
//
// The first use of a pool reads its fields, which must not change from then on, and allocates the
// block. If the fields contradict each other, it panics with the name of the field;
// [Validate] finds this earlier. The zero FixedPool has neither Count nor Size, so its
// first use panics. A pool must not be copied after its first use; go vet reports copies.
//
// Between Get and Put, a buffer belongs to its caller, who may pass it on to another goroutine.
// After Put, nobody may use it. A buffer that is never put back is lost to the pool for good: all
// buffers are parts of one block, and the garbage collector does not look into it.
//
// A FixedPool identifies its buffers by their addresses, and knows whether each is idle. So Put
// always recognises a slice that is not the pool's, a slice that begins inside a buffer, and a
// buffer that is already idle. It drops and counts these: see [Drops].
//
// All methods may be called from many goroutines at once.
//
// The design, a fixed number of buffers and a Get that never blocks, is from poolShark.
type FixedPool struct {
	// Name labels the pool in statistics.
	Name string

	// Count is the number of buffers, and Size the size of each in bytes. Both are
	// at least 1, and their product is at most [math.MaxInt].
	Count, Size int

	// Zero makes Put clear buffers, so that no user sees another user's bytes. All buffers of such
	// a pool are zero when they are handed out. Put also clears slices that are not the pool's.
	Zero bool

	// Limit, if not nil, is a [Limit] that counts the memory of the pool: its block, from the first use until the
	// pool is garbage, and the buffers that Get allocates while all others are outstanding. A FixedPool never waits
	// for room there, because its size is what it says: it goes beyond.
	Limit *Limit

	base
	zero  bool
	block []byte // all buffers, one after the other
	size  int

	// inverse is 1/size, as a fraction of 1<<63. It is zero until the first use, which sets it
	// last. Get and Put read the other fields only if plenty is set or inverse is not zero.
	inverse atomic.Uint64

	shards []shard // 1<<log shards; buffer i is bit i>>log of shard i mod 1<<log
	log    uint    // at most 63
	spread uint    // P p scans from shard p<<spread; at most 63

	// nonempty has a bit for each shard that may have an idle buffer. It is nil if the shards are
	// few enough to scan all of them. nonempty.Clear needs the lock of waiters.
	nonempty *lockfree.Bitset

	// plenty is set while nobody has to wait. While it is unset, the lock of waiters must be taken
	// before taking a buffer and after giving one back. It is unset in a new pool, so that the
	// first Get takes the slow path, which makes the block.
	plenty  atomic.Bool
	waiters waitlist.List // its lock also guards dry and changes of plenty
	dry     bool          // all buffers are outstanding; valid while plenty is unset

	quota    *quota.Quota // of the Limit, or nil
	misses   atomic.Uint64
	drops    [fixedDropReasons]atomic.Uint64
	peak     peak
	extras   outsideSet  // buffers made by Get while all of the pool's were outstanding
	waitSaid atomic.Bool // the log has reported that requests wait in vain

	records   atomic.Pointer[check.Fixed] // see recordsOf
	bornUnder uint64                      // ID of the tracker that was on at the first use, or 0
}

// A shard has the idle bits of its buffers in the low 16 bits of its word, and a count of all its
// Gets above them. Sharing the word makes the count free. Each shard has its own cache line, so that
// Ps do not slow each other down.
//
// Put sets a buffer's bit and reads the bit's old value in one step, so it never misses a double
// Put. There are no links, so there is no ABA problem as in free lists.
type shard struct {
	state atomic.Uint64
	_     [56]byte
}

const (
	shardBits = 16
	shardMask = 1<<shardBits - 1
	shardTake = 1 << shardBits // one more Get

	fewShards = 64 // Get scans all shards if there are no more
)

// Indexes of FixedPool.drops.
const (
	fixedDropEmpty = iota
	fixedDropExtra
	fixedDropForeign
	fixedDropInterior
	fixedDropDouble
	fixedDropReasons
)

func (p *FixedPool) complete() (settings, error) {
	c := fieldCheck{kind: "FixedPool"}
	switch {
	case p.Count < 1:
		c.refuse("Count", p.Count, "1 or more")
	case p.Size < 1:
		c.refuse("Size", p.Size, "1 or more")
	case p.Count > math.MaxInt/p.Size:
		c.refuse("Count", p.Count, "at most %d with a FixedPool.Size of %d", math.MaxInt/p.Size, p.Size)
	}
	c.limit(p.Limit)
	return settings{name: p.Name, count: p.Count, maxSize: p.Size, zero: p.Zero, limit: p.Limit.overseen()}, c.err
}

func (p *FixedPool) begin(s *settings) {
	block := make([]byte, s.count*s.maxSize) // panics if it exceeds the address space
	// Make enough shards to have a bit for each buffer and a shard for each P, but none without a
	// buffer.
	procs := ceilPow2(runtime.GOMAXPROCS(0))
	n := max(ceilPow2((s.count+shardBits-1)/shardBits), min(procs, ceilPow2(s.count)))
	if over := s.overseer("FixedPool"); over != nil {
		p.quota = over.quota
		bytes := int64(len(block))
		p.force(bytes)
		runtime.AddCleanup(unsafe.SliceData(block), func(q *quota.Quota) { q.Recover(bytes) }, p.quota)
	}
	p.zero = s.zero
	p.block = block
	p.size = s.maxSize
	p.shards = make([]shard, n)
	p.log = uint(bits.TrailingZeros(uint(n)))
	p.spread = uint(bits.TrailingZeros(uint(max(1, n/procs))))
	for i := range s.count {
		s := &p.shards[i%n].state
		s.Store(s.Load() | 1<<(i/n))
	}
	if n > fewShards {
		p.nonempty = lockfree.NewBitset(n)
	}
	p.waiters.Watch = p.watch
	p.waiters.Returned = p.takenAgain()
	p.bornUnder = startChecked(p, func() {
		register(p, &p.id, nil, func(*FixedPool) {})
	})
	p.inverse.Store((1<<63-1)/uint64(p.size) + 1)
}

// watch runs now and then while requests wait or after one gave up. idle is the time without a Put,
// and waited the longest wait of a request that waits or has just given up.
func (p *FixedPool) watch(idle, waited time.Duration) {
	if idle >= complainFrom && waited > 0 && !p.waitSaid.Swap(true) {
		count := p.ready(p).count
		go complainOf("FixedPool", p.ready(p).name, map[string]bool{p.ready(p).name: true}, waited, p.waiters.Stats().Waiting,
			slog.Int64("in_use_items", p.Stats().Items.InUse), slog.Int("max_in_use_items", count))
	}
}

// takenAgain returns a function that reports whether a buffer was taken since its last call. While
// requests wait, only a buffer that was just put back can be taken.
func (p *FixedPool) takenAgain() func() bool {
	var before uint64
	return func() bool {
		taken := uint64(0)
		for i := range p.shards {
			taken += p.shards[i].state.Load() >> shardBits
		}
		changed := taken != before
		before = taken
		return changed
	}
}

// ceilPow2 returns the smallest power of two that is at least n, for n > 0.
func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// Get returns a buffer of the pool's size. Its contents are arbitrary, or zero if Zero is set. Get
// does not wait: if all buffers are outstanding, or other requests wait, it allocates a buffer, which
// Put will drop.
func (p *FixedPool) Get() []byte {
	i := p.takeFast()
	if i < 0 {
		if i = p.take(); i < 0 {
			p.misses.Add(1)
			return p.extra()
		}
	}
	if check.Current.Load() != nil {
		p.checkedGet(i)
	}
	return p.buffer(i)
}

// TryGet is [FixedPool.Get] without allocation: if all buffers are outstanding, or other requests
// wait, it returns nil and false.
func (p *FixedPool) TryGet() ([]byte, bool) {
	i := p.takeFast()
	if i < 0 {
		if i = p.take(); i < 0 {
			p.waiters.Refuse(false)
			return nil, false
		}
	}
	if check.Current.Load() != nil {
		p.checkedGet(i)
	}
	return p.buffer(i), true
}

// GetContext is [FixedPool.Get], but if all buffers are outstanding, it waits until one is put
// back. Waiting requests are served in the order of their arrival. If ctx is done before that,
// GetContext returns nil and the error of ctx. It panics if ctx is nil. If requests wait for some
// seconds and nothing is put back, the pool reports that in the log, once.
func (p *FixedPool) GetContext(ctx context.Context) ([]byte, error) {
	if ctx == nil {
		panic("basin: FixedPool.GetContext with a nil context")
	}
	if err := ctx.Err(); err != nil {
		p.waiters.Refuse(false)
		return nil, err
	}
	i := p.takeFast()
	if i < 0 {
		done := ctx.Done()
		var w *waitlist.Waiter
		if i, w = p.takeOrWait(); w != nil {
			if p.waiters.Wait(done, w, func() {}) != waitlist.Served {
				return nil, waitlist.Cause(ctx)
			}
			i = w.Grant
		}
	}
	if check.Current.Load() != nil {
		p.checkedGet(i)
	}
	return p.buffer(i), nil
}

// Put gives b back. b must begin at the start of a buffer of the pool. Its length does not matter,
// because the next user gets the whole buffer. The caller must not use b, or any other slice of the
// buffer, any more. Put drops other slices and counts them. While checks are off, no argument makes
// Put panic.
func (p *FixedPool) Put(b []byte) {
	filled := false // by checks; a Verify may read the buffer from then on
	if check.Current.Load() != nil {
		var ok bool
		if filled, ok = p.checkPut(b); !ok {
			return
		}
	}
	inverse := p.inverse.Load()
	if inverse == 0 {
		p.ready(p)
		inverse = p.inverse.Load()
	}
	offset := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(p.block)))
	i := index(offset, inverse)
	switch {
	case cap(b) == 0: // its address may be anything
		p.drops[fixedDropEmpty].Add(1)
		return
	case offset >= uintptr(len(p.block)):
		drop := fixedDropForeign
		if p.removeExtra(unsafe.SliceData(b), cap(b)) {
			drop = fixedDropExtra
		} else {
			stray(p.owner(p.Name), nil, false, unsafe.SliceData(b), cap(b))
		}
		p.drops[drop].Add(1)
		if p.zero && !filled {
			mem.ClearForeign(b[:cap(b)])
		}
		return
	case i*uint(p.size) != uint(offset):
		p.drops[fixedDropInterior].Add(1)
		return
	}
	s := &p.shards[i&uint(len(p.shards)-1)].state
	bit := uint64(1) << (i >> (p.log & 63) & 63)
	if !filled {
		if p.zero && s.Load()&bit == 0 {
			clear(p.buffer(int(i)))
		}
		mem.RaceWrite(unsafe.SliceData(b), p.size)
	}
	if s.Or(bit)&bit != 0 {
		p.drops[fixedDropDouble].Add(1)
		return
	}
	if p.nonempty != nil {
		p.nonempty.Set(i & uint(len(p.shards)-1))
	}
	// A request that is about to wait unsets plenty and then scans. So either its scan sees the
	// bit, or the next line sees that plenty is unset: no wake-up is lost.
	if !p.plenty.Load() {
		p.relieve()
	}
}

// index returns the buffer that begins at the given offset into the block. The result is arbitrary
// if none begins there.
func index(offset uintptr, inverse uint64) uint {
	// A division would take as long as an atomic operation. For offset = i*size, the product is
	// i<<64 + 2*i*e, where e/size is the amount by which inverse was rounded up. e is less than
	// size, and 2*i*size is less than 1<<64.
	i, _ := bits.Mul64(2*uint64(offset), inverse)
	return uint(i)
}

// buffer returns buffer i.
func (p *FixedPool) buffer(i int) []byte {
	return p.block[i*p.size : (i+1)*p.size : (i+1)*p.size]
}

// takeFast takes an idle buffer and returns its index, or -1 if there may be too few for all
// requests.
func (p *FixedPool) takeFast() int {
	if !p.plenty.Load() {
		return -1
	}
	return p.scan(false)
}

// take takes an idle buffer and returns its index, or -1 if all are outstanding or other requests
// wait.
func (p *FixedPool) take() int {
	p.ready(p)
	p.waiters.Lock()
	defer p.waiters.Unlock()
	return p.takeLocked()
}

// takeOrWait is take, but joins the queue of waiting requests if that fails.
func (p *FixedPool) takeOrWait() (int, *waitlist.Waiter) {
	p.ready(p)
	p.waiters.Lock()
	defer p.waiters.Unlock()
	if i := p.takeLocked(); i >= 0 {
		return i, nil
	}
	return -1, p.waiters.Add(1)
}

// takeLocked is take. The caller must hold the lock of waiters. If it fails, plenty is false.
func (p *FixedPool) takeLocked() int {
	p.plenty.Store(false) // before scan: a concurrent Put that scan misses then calls relieve
	if p.dry || p.waiters.First() != nil {
		return -1
	}
	i := p.scan(true)
	if i >= 0 {
		p.plenty.Store(true)
	} else {
		p.dry = true
		raise(&p.peak.items, int64(p.ready(p).count))
	}
	return i
}

// relieve hands idle buffers to waiting requests. Put calls it after it has given a buffer back.
func (p *FixedPool) relieve() {
	p.waiters.Lock()
	defer p.waiters.Unlock()
	for {
		w := p.waiters.First()
		if w == nil {
			p.dry = false
			p.plenty.Store(true)
			return
		}
		i := p.scan(true)
		if i < 0 { // taken by a request that saw plenty set earlier
			return
		}
		p.waiters.Serve(w, i)
	}
}

// scan takes an idle buffer and returns its index, or -1. It scans all shards, starting at the
// current P's shard for speed. Unless the caller holds the lock of waiters, scan may miss a buffer.
func (p *FixedPool) scan(locked bool) int {
	at := uint(pin.Pin()) << (p.spread & 63)
	pin.Unpin()
	if p.nonempty != nil {
		return p.scanMany(at, locked)
	}
	for range p.shards {
		at &= uint(len(p.shards) - 1)
		if i := p.takeFrom(at); i >= 0 {
			return i
		}
		at++
	}
	return -1
}

// scanMany is scan for shards that have a bitset. It starts at shard first.
func (p *FixedPool) scanMany(first uint, locked bool) int {
	first &= uint(len(p.shards) - 1)
	for _, part := range [2]struct{ from, to uint }{{first, uint(len(p.shards))}, {0, first}} {
		for at, ok := p.nonempty.Next(part.from); ok && at < part.to; at, ok = p.nonempty.Next(at + 1) {
			if i := p.takeFrom(at); i >= 0 {
				return i
			}
			if locked {
				p.noteEmpty(at)
			} else if p.waiters.TryLock() { // otherwise another call notes it
				p.noteEmpty(at)
				p.waiters.Unlock()
			}
		}
	}
	return -1
}

// noteEmpty notes in nonempty that a shard has no idle buffer, if that is still so. The caller must
// hold the lock of waiters.
func (p *FixedPool) noteEmpty(at uint) {
	p.nonempty.Clear(at, func() bool { return p.shards[at].state.Load()&shardMask == 0 })
}

// takeFrom takes an idle buffer of a shard and returns its index, or -1.
func (p *FixedPool) takeFrom(at uint) int {
	s := &p.shards[at].state
	for state := s.Load(); state&shardMask != 0; state = s.Load() {
		if s.CompareAndSwap(state, state&(state-1)+shardTake) {
			return int(uint(bits.TrailingZeros64(state))<<(p.log&63) + at)
		}
	}
	return -1
}

// Stats returns the statistics of the pool. A miss is a Get that allocated a buffer. When that
// buffer is put, Drops.Extra counts it. Drops.Misaligned counts slices that begin inside a buffer
// of the pool. Items and Bytes count the block alone, and their limits are its size.
func (p *FixedPool) Stats() Stats {
	var s Stats
	p.stats(p.id.Load(), &s)
	return s
}

// stats overwrites s with the statistics of the pool, whose ID is id. It reuses s.Classes.
func (p *FixedPool) stats(id uint64, s *Stats) {
	config := p.base.stats(p, "FixedPool", id, s)
	s.Misses = p.misses.Load()
	s.Drops = Drops{
		Empty:      p.drops[fixedDropEmpty].Load(),
		Extra:      p.drops[fixedDropExtra].Load(),
		Foreign:    p.drops[fixedDropForeign].Load(),
		Misaligned: p.drops[fixedDropInterior].Load(),
		Double:     p.drops[fixedDropDouble].Load(),
	}
	s.waited(p.waiters.Stats())
	if p.inverse.Load() == 0 {
		s.Items.Idle = int64(config.count)
	} else {
		for i := range p.shards {
			state := p.shards[i].state.Load()
			s.Hits += state >> shardBits
			s.Items.Idle += int64(bits.OnesCount64(state & shardMask))
		}
	}
	size := int64(config.maxSize)
	s.Items.InUse = int64(config.count) - s.Items.Idle
	s.Gets = s.Hits + s.Misses
	s.Puts = s.Hits - uint64(s.Items.InUse) // nobody counts Puts: each buffer taken is outstanding or was put
	s.AskedBytes = s.Gets * uint64(size)
	s.HandedOutBytes = s.AskedBytes
	class := ClassStats{
		Size: config.maxSize,
		Gets: s.Gets, Hits: s.Hits, Misses: s.Misses,
		Puts: s.Puts, Double: s.Drops.Double,
		AskedBytes: s.AskedBytes, HandedOutBytes: s.HandedOutBytes,
		Items: s.Items, Bytes: s.Items.of(size),
	}
	s.Items.MaxIdle, s.Items.MaxInUse = int64(config.count), int64(config.count)
	s.Bytes = s.Items.of(size)
	s.PeakInUse = p.peak.see(s)
	s.PeakInUse.Bytes = s.PeakInUse.Items * size
	s.Classes = append(s.Classes, class)
}

// setChecked drops the records when checks end.
func (p *FixedPool) setChecked(checked bool) {
	if !checked {
		p.records.Store(nil)
	}
}

// recordsOf returns t's records of the pool's buffers. If there are none, it makes them if create
// is set, and otherwise returns nil.
func (p *FixedPool) recordsOf(t *check.Tracker, create bool) *check.Fixed {
	for {
		old := p.records.Load()
		if old.Of(t) {
			return old
		}
		if !create {
			return nil
		}
		made := t.Fixed(p.owner(p.Name), p.block, p.size, p.zero)
		if made == nil {
			return nil
		}
		p.records.CompareAndSwap(old, made)
	}
}

// checkedGet tells the tracker that buffer i is handed out.
func (p *FixedPool) checkedGet(i int) {
	t := check.Current.Load()
	if t == nil {
		return
	}
	picked := t.Chance()
	records := p.recordsOf(t, picked)
	if records == nil {
		return
	}
	f, ok := records.Get(i, picked && t.Pay())
	if ok {
		return
	}
	if p.zero {
		clear(p.buffer(i))
	}
	// If the handler panics, nobody gets the buffer.
	told := false
	defer func() {
		if !told {
			records.Forget(i)
			p.Put(p.buffer(i))
		}
	}()
	misuse.Report(f)
	told = true
}

// force counts n bytes towards the limit.
func (p *FixedPool) force(n int64) {
	if p.quota.Force(n) {
		p.waiters.Beyond()
	}
}

// removeExtra notes that the array of the given size at x was put, and reports whether extra has made it.
func (p *FixedPool) removeExtra(x *byte, size int) bool {
	_, found := p.extras.remove(x, size)
	if found && p.quota != nil {
		p.quota.Give(int64(size))
	}
	return found
}

// extra returns a buffer that does not belong to the pool.
func (p *FixedPool) extra() []byte {
	newBytes := func(n int) []byte {
		b := make([]byte, n)
		if q := p.quota; q != nil {
			p.force(int64(n))
			p.extras.add(unsafe.SliceData(b), n, nil, func(_ *quota.Account, n int) { q.Recover(int64(n)) })
		} else {
			p.extras.add(unsafe.SliceData(b), n, nil, nil)
		}
		return b
	}
	t := check.Current.Load()
	if t == nil || !t.Full() || !t.Pick() {
		return newBytes(p.size)
	}
	b := t.Unguarded(p.owner(p.Name), p.size, newBytes) // with guard pages, its death would go unnoticed
	t.Exempt(unsafe.SliceData(b))                       // Put drops it
	return b
}

// checkPut tells the tracker that b is put. If that is misuse, checkPut counts and reports it, and ok
// is false: Put has nothing left to do. filled says that the buffer has been cleared or poisoned.
func (p *FixedPool) checkPut(b []byte) (filled, ok bool) {
	t := check.Current.Load()
	if t == nil || cap(b) == 0 {
		return filled, true
	}
	p.ready(p)
	x := unsafe.SliceData(b)
	offset := uintptr(unsafe.Pointer(x)) - uintptr(unsafe.Pointer(unsafe.SliceData(p.block)))
	i := index(offset, p.inverse.Load())
	records := p.recordsOf(t, t.Full())
	var f misuse.Finding
	var drop int
	switch {
	case offset >= uintptr(len(p.block)):
		drop = fixedDropForeign
		var verdict check.Verdict
		verdict, f = t.Put(p.owner(p.Name), x, cap(b))
		filled = verdict == check.Accepted
		if verdict == check.Unknown && t.Full() {
			f = t.Inside(p.owner(p.Name), x, cap(b))
			if f.Kind == misuse.ForeignPut && p.bornUnder != check.IDOf(t) {
				f.Kind = 0 // it may have been handed out before t started, while all buffers were out
			}
		}
	case records == nil:
		return filled, true
	case i*uint(p.size) != uint(offset):
		drop = fixedDropInterior
		if f = records.Inside(x); f.Acquired == nil && !t.Full() {
			return filled, true
		}
	default:
		drop = fixedDropDouble
		f, filled, _ = records.Put(int(i))
	}
	if f.Kind == 0 {
		return filled, true
	}
	if drop == fixedDropForeign {
		p.removeExtra(x, cap(b)) // its record is no longer needed
		strayTracked(t, &f, x)
	}
	p.drops[drop].Add(1)
	misuse.Report(f)
	return false, false
}
