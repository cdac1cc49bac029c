package basin

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/waitlist"
)

// A FixedPool is a fixed number of buffers of one size, made up front as one block
// of memory that stays for as long as the pool. It is for programs that must
// know what they use before they run, and a [net/http/httputil.BufferPool].
//
// Between Get and Put a buffer belongs to the caller, who may pass it on to
// another goroutine; after Put nobody may touch it. A buffer that is never put
// back is lost to the pool.
//
// Being one block, it knows its buffers by their addresses and whether each is idle.
// So Put recognises, always and exactly, what is not the pool's, what begins inside a
// buffer, and what is put that is idle already; it drops and counts
// them: see [Drops].
//
// The fields must not be changed once the pool is in use, and the pool must not be
// copied; go vet reports copies. All methods may be called from many goroutines at
// once. Make pools with [NewFixedPool].
//
// The shape, a fixed number of buffers and a Get that never blocks, is that of
// poolShark.
type FixedPool struct {
	// Name labels the pool in statistics.
	Name string

	// Zero makes Put clear buffers, so that no byte of one user reaches the
	// next. The buffers of such a pool are all zero when they are handed out.
	Zero bool

	block   []byte // all buffers, one after the other
	count   int
	size    int
	inverse uint64 // 1/size, as a fraction of 1<<64

	shards []shard // 1<<log of them; buffer i is bit i>>log of shard i mod 1<<log
	log    uint    // at most 63
	spread uint    // P p looks first at shard p<<spread; at most 63

	// crowded means: something may have to wait, so take waiters' lock before
	// taking a buffer and after giving one back.
	crowded atomic.Bool
	waiters waitlist.List // guards the setting of crowded, dry and used
	dry     bool          // all buffers are out, as long as crowded is true
	used    bool          // there has been a Get

	misses atomic.Uint64
	drops  [fixedDropReasons]atomic.Uint64

	// For checks: see check_fixedpool.go.
	checkOwner atomic.Pointer[check.Owner]
	records    atomic.Pointer[check.Fixed]
	bornUnder  *check.Tracker // what knows of all that was ever handed out, or nil
}

// A shard tells which of its buffers are idle: the bits of the low half-word. Above
// them it counts how many have ever been taken, in the same word, so that this
// costs nothing. Each shard has a cache line, or what one P does would slow
// down others.
//
// One word for both facts that Put needs to know, which buffer and whether it
// is out, is what makes a doubled Put certain to be seen. There are no links and so
// no ABA problem, as free lists have.
type shard struct {
	state atomic.Uint64
	_     [56]byte
}

const (
	shardBits = 16
	shardMask = 1<<shardBits - 1
	shardTake = 1 << shardBits // one more taken
)

// Positions in FixedPool.drops.
const (
	fixedDropEmpty = iota
	fixedDropForeign
	fixedDropInterior
	fixedDropDouble
	fixedDropReasons
)

// NewFixedPool returns a pool of count buffers of size bytes each, all zero. It
// panics if one of them is not positive, or if the block would be larger than an
// int can say.
func NewFixedPool(count, size int) *FixedPool {
	switch {
	case count <= 0:
		panic(fmt.Sprintf("basin: NewFixedPool with count %d, want 1 or more", count))
	case size <= 0:
		panic(fmt.Sprintf("basin: NewFixedPool with size %d, want 1 or more", size))
	case count > math.MaxInt/size:
		panic(fmt.Sprintf("basin: NewFixedPool with count %d of size %d, want a product of at most %d", count, size, math.MaxInt))
	}
	// Enough shards for their bits to suffice and for each P to have its own,
	// but none without a buffer.
	procs := ceilPow2(runtime.GOMAXPROCS(0))
	n := max(ceilPow2((count+shardBits-1)/shardBits), min(procs, ceilPow2(count)))
	p := &FixedPool{
		block:   make([]byte, count*size),
		count:   count,
		size:    size,
		inverse: math.MaxUint64/uint64(size) + 1,
		shards:  make([]shard, n),
		log:     uint(bits.TrailingZeros(uint(n))),
		spread:  uint(bits.TrailingZeros(uint(max(1, n/procs)))),

		bornUnder: tracker.Load(),
	}
	for i := range count {
		s := &p.shards[i%n].state
		s.Store(s.Load() | 1<<(i/n))
	}
	p.crowded.Store(true) // sends the first Get to takeLocked
	return p
}

// ceilPow2 returns the smallest power of two that is at least n, for n > 0.
func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// Len returns the number of buffers of the pool, idle or not.
func (p *FixedPool) Len() int { return p.count }

// Size returns the size of each buffer in bytes.
func (p *FixedPool) Size() int { return p.size }

// Idle returns the number of buffers that nobody uses at the moment.
func (p *FixedPool) Idle() int {
	idle := 0
	for i := range p.shards {
		idle += bits.OnesCount64(p.shards[i].state.Load() & shardMask)
	}
	return idle
}

// Get returns a buffer of the pool's size and of arbitrary content, or zeroed if
// Zero is set. It does not wait: if all are out it allocates one, which Put will
// drop.
func (p *FixedPool) Get() []byte {
	i := p.takeFast()
	if i < 0 {
		if i = p.take(); i < 0 {
			p.misses.Add(1)
			return p.extra()
		}
	}
	if tracker.Load() != nil {
		p.checkedGet(i)
	}
	return p.buffer(i)
}

// TryGet is Get, but if all buffers are out, or those that come back are waited for,
// it returns nil and false.
func (p *FixedPool) TryGet() ([]byte, bool) {
	i := p.takeFast()
	if i < 0 {
		if i = p.take(); i < 0 {
			p.waiters.Refuse()
			return nil, false
		}
	}
	if tracker.Load() != nil {
		p.checkedGet(i)
	}
	return p.buffer(i), true
}

// GetContext is Get, but if all buffers are out it waits for one to come back.
// Those who wait are served in the order in which they came. If ctx is done
// before that, or already, GetContext returns nil and the error of ctx. It panics if
// ctx is nil.
func (p *FixedPool) GetContext(ctx context.Context) ([]byte, error) {
	if ctx == nil {
		panic("basin: FixedPool.GetContext with a nil context")
	}
	if err := ctx.Err(); err != nil {
		p.waiters.Refuse()
		return nil, err
	}
	i := p.takeFast()
	if i < 0 {
		var w *waitlist.Waiter
		if i, w = p.takeOrWait(); w != nil {
			if err := p.waiters.Wait(ctx, w, func() {}); err != nil {
				return nil, err
			}
			i = w.Grant
		}
	}
	if tracker.Load() != nil {
		p.checkedGet(i)
	}
	return p.buffer(i), nil
}

// Put gives b back, which must begin where a buffer of the pool does; how long it
// is does not matter, the next user gets it all. The caller must not use b,
// or any slice of the same buffer, any more. Whatever else is put is dropped
// and counted; nothing that is put makes Put panic.
func (p *FixedPool) Put(b []byte) {
	if tracker.Load() != nil && !p.checkPut(b) {
		return
	}
	offset := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(p.block)))
	i := p.index(offset)
	switch {
	case cap(b) == 0: // says nothing about where it is from
		p.drops[fixedDropEmpty].Add(1)
		return
	case offset >= uintptr(len(p.block)):
		p.drops[fixedDropForeign].Add(1)
		return
	case i*uint(p.size) != uint(offset):
		p.drops[fixedDropInterior].Add(1)
		return
	}
	s := &p.shards[i&uint(len(p.shards)-1)].state
	bit := uint64(1) << (i >> (p.log & 63) & 63)
	if p.Zero && s.Load()&bit == 0 {
		clear(p.buffer(int(i)))
	}
	raceWrite(unsafe.SliceData(b), p.size)
	if s.Or(bit)&bit != 0 {
		p.drops[fixedDropDouble].Add(1)
		return
	}
	// After the bit is set, whoever goes to wait either sees it or has set
	// crowded before: no wake-up is lost.
	if p.crowded.Load() {
		p.relieve()
	}
}

// index returns the buffer that begins at the given offset into the block. If there
// is none, it returns anything.
func (p *FixedPool) index(offset uintptr) uint {
	if p.inverse == 0 { // size is 1
		return uint(offset)
	}
	// A division takes as long as an atomic operation. For offset = i*size the
	// product is i<<64 + i*e, where e is what inverse was rounded up by, times size:
	// less than size. And i*size is less than 1<<64.
	i, _ := bits.Mul64(uint64(offset), p.inverse)
	return uint(i)
}

// buffer returns buffer i.
func (p *FixedPool) buffer(i int) []byte {
	return p.block[i*p.size : (i+1)*p.size : (i+1)*p.size]
}

// takeFast takes an idle buffer and returns which, or -1 if there may be not enough
// for all.
func (p *FixedPool) takeFast() int {
	if p.crowded.Load() {
		return -1
	}
	return p.scan()
}

// take takes an idle buffer and returns which, or -1 if all are out or waited for.
func (p *FixedPool) take() int {
	p.waiters.Lock()
	defer p.waiters.Unlock()
	return p.takeLocked()
}

// takeOrWait is take, or joins the queue of those who wait.
func (p *FixedPool) takeOrWait() (int, *waitlist.Waiter) {
	p.waiters.Lock()
	defer p.waiters.Unlock()
	if i := p.takeLocked(); i >= 0 {
		return i, nil
	}
	return -1, p.waiters.Add(1)
}

// takeLocked is take, for those who hold the lock. If it fails, crowded is true.
func (p *FixedPool) takeLocked() int {
	if !p.used {
		p.used = true
		register(p, "FixedPool", (*FixedPool).snapshot, func(*FixedPool) {})
	}
	p.crowded.Store(true) // before scan: what that misses comes to relieve
	if p.dry || p.waiters.First() != nil {
		return -1
	}
	i := p.scan()
	if i >= 0 {
		p.crowded.Store(false)
	} else {
		p.dry = true
	}
	return i
}

// relieve serves those who wait, as far as there are buffers. It is called when
// one has come back.
func (p *FixedPool) relieve() {
	p.waiters.Lock()
	defer p.waiters.Unlock()
	for {
		w := p.waiters.First()
		if w == nil {
			p.dry = false
			p.crowded.Store(false)
			return
		}
		i := p.scan()
		if i < 0 { // taken by one who came before there was a queue
			return
		}
		p.waiters.Serve(w, i)
	}
}

// scan takes an idle buffer and returns which, or -1. It looks at every shard, first at that of the present
// P: which one that is decides about speed and nothing else.
func (p *FixedPool) scan() int {
	at := uint(pin.Pin()) << (p.spread & 63)
	pin.Unpin()
	for range p.shards {
		at &= uint(len(p.shards) - 1)
		s := &p.shards[at].state
		for state := s.Load(); state&shardMask != 0; state = s.Load() {
			if s.CompareAndSwap(state, state&(state-1)+shardTake) {
				return int(uint(bits.TrailingZeros64(state))<<(p.log&63) + at)
			}
		}
		at++
	}
	return -1
}

// FixedStats is what has happened to a [FixedPool] so far, and what it holds, in
// buffers.
type FixedStats struct {
	Name string // as in FixedPool

	// Gets are the requests that got a buffer: Gets = Hits + Misses.
	Gets   uint64
	Hits   uint64 // one of the pool's
	Misses uint64 // a new one, because all were out

	Puts uint64 // buffers given back

	// Drops are the slices given back that were not kept: the sum of DropsBy.
	// A buffer that was a miss is Foreign when it is put, a part of one of the
	// pool's that does not begin where it does is Misaligned, and one that is idle
	// is Double.
	Drops   uint64
	DropsBy Drops

	InUse, Idle int64 // InUse + Idle = Len

	Waits // of GetContext and TryGet

	Misuse Misuses // found by checks: see SetChecking
}

// Stats returns the statistics of the pool. While other goroutines use it, they
// are not of one moment.
func (p *FixedPool) Stats() FixedStats {
	s := FixedStats{
		Name:   p.Name,
		Misses: p.misses.Load(),
		DropsBy: Drops{
			Empty:      p.drops[fixedDropEmpty].Load(),
			Foreign:    p.drops[fixedDropForeign].Load(),
			Misaligned: p.drops[fixedDropInterior].Load(),
			Double:     p.drops[fixedDropDouble].Load(),
		},
		Waits:  waitsOf(&p.waiters),
		Misuse: misusesOf(p.checkOwner.Load()),
	}
	for i := range p.shards {
		state := p.shards[i].state.Load()
		s.Hits += state >> shardBits
		s.Idle += int64(bits.OnesCount64(state & shardMask))
	}
	s.InUse = int64(p.count) - s.Idle
	s.Gets = s.Hits + s.Misses
	s.Puts = s.Hits - uint64(s.InUse) // nobody counts Puts: what was taken is out or came back
	s.Drops = s.DropsBy.sum()
	return s
}

// snapshot fills in s.
func (p *FixedPool) snapshot(s *Snapshot) {
	v := p.Stats()
	size := int64(p.size)
	bytes := v.Gets * uint64(size)
	s.Stats = Stats{
		Name: v.Name,
		Gets: v.Gets, Hits: v.Hits, Misses: v.Misses,
		Puts:  v.Puts,
		Drops: v.Drops, DropsBy: v.DropsBy,
		AskedBytes: bytes, HandedOutBytes: bytes,
		InUseBytes: v.InUse * size, IdleBytes: v.Idle * size,
		MaxInUse: int64(len(p.block)), MaxIdle: int64(len(p.block)),
		Waits: v.Waits, Misuse: v.Misuse,
		Classes: append(s.Classes, ClassStats{
			Size: p.size,
			Gets: v.Gets, Hits: v.Hits, Misses: v.Misses,
			Puts: v.Puts, Double: v.DropsBy.Double,
			AskedBytes: bytes, HandedOutBytes: bytes,
			InUseBytes: v.InUse * size, IdleBytes: v.Idle * size,
		}),
	}
	s.InUse, s.Idle = v.InUse, v.Idle
}
