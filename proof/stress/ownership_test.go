//go:build go1.25

package stress_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestOwnership tests the basic promise of a pool: a slice has one owner. An owner fills the
// whole array, beyond the length too, with its own stamp. When it gives the slice away, the
// stamp must be unchanged: a foreign stamp means that the pool has handed the array out twice.
// Meanwhile all events that move items between magazines, limbo and depots happen as often as
// possible: collections, changes of GOMAXPROCS, Trim.
//
// The default run is short, and with BASIN_TEST_LONG=1 four times as long. A long one is
//
//	BASIN_TEST_STRESS_OPS=200000000 go test ./proof/stress -run TestOwnership -timeout 0
func TestOwnership(t *testing.T) {
	ops := int64(testenv.Int(t, "BASIN_TEST_STRESS_OPS", 0))   // of all cases together
	owners := testenv.Int(t, "BASIN_TEST_STRESS_OWNERS", 2000) // goroutines that own slices at the same time
	seed := testenv.Uint64(t, "BASIN_TEST_SEED", 1)            // of the choices
	if ops == 0 {
		ops = 5_000_000
		if testenv.Race {
			ops /= 16
		}
		if !pooltest.Long() {
			ops /= 4
		}
	}
	const maxSize = 256 << 10 // some requests are for more
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		owners int // at most; with few, hits in magazines are frequent
		share  int64
		reads  bool // ReadAll as well: its number of requests is unspecified, so counts are less exact
	}{
		{"keeps nothing", pooltest.Config{MaxIdle: 1, MaxSize: maxSize}, 2000, 5, false},
		{"keeps one page", pooltest.Config{MaxIdle: 4 << 10, MaxSize: maxSize}, 2000, 5, true},
		{"keeps 1 MiB", pooltest.Config{MaxIdle: 1 << 20, MaxSize: maxSize}, 2000, 15, false},
		{"keeps 1 MiB, impatient", pooltest.Config{MaxIdle: 1 << 20, MaxSize: maxSize, IdleTime: 5 * time.Millisecond}, 200, 15, true},
		{"keeps all", pooltest.Config{MaxIdle: 1 << 30, MaxSize: maxSize}, 2000, 20, false},
		{"keeps all, impatient", pooltest.Config{MaxIdle: 1 << 30, MaxSize: maxSize, IdleTime: time.Millisecond}, 2000, 15, false},
		{"few owners", pooltest.Config{MaxIdle: 16 << 20, MaxSize: maxSize}, 16, 15, true},
		{"zeroed", pooltest.Config{MaxIdle: 8 << 20, MaxSize: maxSize, Zero: true}, 500, 5, true},
		{"one size", pooltest.Config{MaxIdle: 256 << 10, MinSize: 4 << 10, MaxSize: 4 << 10, IdleTime: 5 * time.Millisecond}, 100, 5, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &stress{pool: tt.config.Pool(), config: tt.config, seed: seed, reads: tt.reads}
			s.run(t, min(tt.owners, owners), ops*tt.share/100)
		})
	}
}

// A stress is one run of TestOwnership on one pool.
type stress struct {
	pool   *basin.BytePool
	config pooltest.Config
	seed   uint64
	reads  bool

	left  atomic.Int64 // operations to be done
	lanes [16]chan parcel

	failures atomic.Int64
	failed   atomic.Bool // all owners stop
	report   func(format string, args ...any)
}

// A parcel is a slice on its way from one owner to another.
type parcel struct {
	b     []byte
	stamp uint64 // stamp in its array
}

// fail reports a failure, at most ten of a run.
func (s *stress) fail(format string, args ...any) {
	s.failed.Store(true)
	if s.failures.Add(1) <= 10 {
		s.report(format, args...)
	}
}

func (s *stress) run(t *testing.T, owners int, ops int64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	s.report = t.Errorf
	s.left.Store(ops)
	for i := range s.lanes {
		s.lanes[i] = make(chan parcel, 64)
	}
	stop := make(chan struct{})
	var disturbers sync.WaitGroup
	cycles := s.disturb(&disturbers, stop)

	start := time.Now()
	all := make([]*owner, owners)
	var working sync.WaitGroup
	for i := range all {
		o := &owner{stress: s, id: uint32(i + 1), rand: rand.New(rand.NewPCG(s.seed, uint64(i)))}
		all[i] = o
		working.Go(o.work)
	}
	working.Wait()
	elapsed := time.Since(start)
	close(stop)
	disturbers.Wait()

	// Slices that are still on their way go back, too.
	last := &owner{stress: s, id: uint32(owners + 1), rand: rand.New(rand.NewPCG(s.seed, 0))}
	for _, lane := range s.lanes {
		close(lane)
		for p := range lane {
			last.put(p)
		}
	}
	var sum tally
	for _, o := range append(all, last) {
		sum.add(&o.tally)
	}
	stats := s.pool.Stats()
	t.Logf("%d operations by %d goroutines in %v, %.2f million/s; %.1f%% hits, %d trimmed, %d beyond MaxIdle; %d collections",
		sum.ops, owners, elapsed.Round(time.Millisecond), float64(sum.ops)/elapsed.Seconds()/1e6,
		100*float64(stats.Hits)/float64(max(stats.Gets, 1)), trimmed(stats), stats.Drops.Full, cycles.Load())
	if s.failed.Load() {
		return // the counts mean nothing now
	}
	s.settleAccounts(t, &sum)
}

// settleAccounts compares the pool's counts with those of its users, after everything has been
// put back.
func (s *stress) settleAccounts(t *testing.T, sum *tally) {
	stats := s.pool.Stats()
	check := func(what string, got, want uint64) {
		if got != want {
			t.Errorf("%s: the pool counts %d, its users %d", what, got, want)
		}
	}
	if s.reads {
		sum.gets = max(sum.gets, stats.Gets)
	} else {
		check("AskedBytes", stats.AskedBytes, sum.asked)
		check("HandedOutBytes", stats.HandedOutBytes, sum.handedOut)
	}
	check("Gets", stats.Gets, sum.gets)
	check("Gets by outcome", stats.Hits+stats.Misses+stats.Outside, sum.gets)
	check("Outside", stats.Outside, sum.oversize)
	check("Puts", stats.Puts, sum.gets-sum.oversize)
	check("Drops, but for full and checked ones", stats.Drops.Total()-stats.Drops.Full-stats.Drops.Checked, sum.oversize)
	check("Drops of large slices", stats.Drops.Large, sum.oversize)
	if stats.Bytes.InUse != 0 {
		t.Errorf("%d bytes are in use after everything was put back", stats.Bytes.InUse)
	}
	for _, c := range stats.Classes {
		if c.Gets != c.Puts || c.Bytes.InUse != 0 {
			t.Errorf("class %d: %d Gets and %d Puts, %d bytes in use after everything was put back", c.Size, c.Gets, c.Puts, c.Bytes.InUse)
		}
		if c.Bytes.Idle != 0 && c.Misses == 0 {
			t.Errorf("class %d: holds %d bytes but never made any", c.Size, c.Bytes.Idle)
		}
	}
	if stats.Bytes.Idle > stats.Bytes.MaxIdle {
		t.Errorf("%d bytes are idle, MaxIdle is %d", stats.Bytes.Idle, stats.Bytes.MaxIdle)
	}
	if s.config.MaxIdle < 64 && !pooltest.SomeChecks && (stats.Hits != 0 || stats.Drops.Full != stats.Puts) {
		t.Errorf("a pool with MaxIdle %d has %d hits and refuses %d of %d", s.config.MaxIdle, stats.Hits, stats.Drops.Full, stats.Puts)
	}

	s.pool.Trim()
	stats = s.pool.Stats()
	if stats.Bytes.Idle != 0 {
		t.Errorf("%d bytes are idle after Trim", stats.Bytes.Idle)
	}
	check("arrays released", trimmed(stats)+stats.Drops.Full+stats.Drops.Checked, stats.Misses)

	// Nothing is outstanding, so all of MaxIdle must be available. If part of the budget was
	// lost, slices are refused. Half is for slots of magazines that may be empty. The number of
	// idle slices proves nothing, because an impatient pool drops slices while others are put
	// back.
	const size = 4 << 10
	if n := int(s.config.MaxIdle / size); n >= 64 && !pooltest.SomeChecks {
		n = min(n, 1024)
		held := make([][]byte, n)
		for i := range held {
			held[i] = s.pool.Get(size)
		}
		before := s.pool.Stats().Drops.Full
		for _, b := range held {
			s.pool.Put(b)
		}
		if full := s.pool.Stats().Drops.Full - before; full > uint64(n/2) {
			t.Errorf("an empty pool with MaxIdle %d refuses %d of %d slices", s.config.MaxIdle, full, n)
		}
		s.pool.Trim()
	}
}

func trimmed(s basin.Stats) (n uint64) {
	for _, c := range s.Classes {
		n += c.Trimmed
	}
	return n
}

// disturb runs the disturbances until stop is closed, with pauses that leave time to the
// owners. It returns the number of collections.
func (s *stress) disturb(running *sync.WaitGroup, stop <-chan struct{}) *atomic.Int64 {
	every := func(pause time.Duration, f func(r *rand.Rand)) {
		running.Go(func() {
			r := rand.New(rand.NewPCG(s.seed, uint64(pause)))
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(r.Int64N(int64(2 * pause)))):
					f(r)
				}
			}
		})
	}
	cycles := new(atomic.Int64)
	every(time.Millisecond, func(*rand.Rand) {
		runtime.GC()
		cycles.Add(1)
	})
	every(3*time.Millisecond, func(r *rand.Rand) { runtime.GOMAXPROCS(1 + r.IntN(8)) })
	every(7*time.Millisecond, func(*rand.Rand) { s.pool.Trim() })
	var before basin.Stats
	every(500*time.Microsecond, func(*rand.Rand) {
		now := s.pool.Stats()
		s.sample(&before, &now)
		before = now
	})
	return cycles
}

// sample checks properties that hold at any time.
func (s *stress) sample(before, now *basin.Stats) {
	if now.Bytes.Idle > now.Bytes.MaxIdle {
		s.fail("Bytes.Idle is %d, MaxIdle %d", now.Bytes.Idle, now.Bytes.MaxIdle)
	}
	if now.Bytes.InUse < 0 {
		s.fail("Bytes.InUse is %d", now.Bytes.InUse)
	}
	if now.Gets != now.Hits+now.Misses+now.Outside {
		s.fail("%d Gets, but %d hits, %d misses and %d oversize", now.Gets, now.Hits, now.Misses, now.Outside)
	}
	for _, c := range now.Classes {
		if c.Bytes.Idle > now.Bytes.MaxIdle || c.Bytes.Idle < 0 || c.Bytes.InUse < 0 {
			s.fail("class %d: %d bytes idle, %d in use; MaxIdle is %d", c.Size, c.Bytes.Idle, c.Bytes.InUse, now.Bytes.MaxIdle)
		}
	}
	// Counts that move from a magazine to its depot must be included at any time.
	for _, c := range []struct {
		name        string
		before, now uint64
	}{
		{"Hits", before.Hits, now.Hits},
		{"Misses", before.Misses, now.Misses},
		{"AskedBytes", before.AskedBytes, now.AskedBytes},
		{"Drops", before.Drops.Total(), now.Drops.Total()},
		{"Trimmed", trimmed(*before), trimmed(*now)},
	} {
		if c.now < c.before {
			s.fail("%s falls from %d to %d", c.name, c.before, c.now)
		}
	}
}

// A tally has a user's own counts of its operations.
type tally struct {
	ops, gets, oversize, asked, handedOut uint64
}

func (t *tally) add(o *tally) {
	t.ops += o.ops
	t.gets += o.gets
	t.oversize += o.oversize
	t.asked += o.asked
	t.handedOut += o.handedOut
}

// An owner gets slices, stamps them, and puts them or passes them on.
type owner struct {
	*stress
	tally
	id, seq uint32
	rand    *rand.Rand
	held    []parcel
	reader  bytes.Reader
}

// maxHeld is the most slices that an owner holds at once. With thousands of owners, more would
// take too much memory.
const maxHeld = 4

func (o *owner) work() {
	const batch = 16
	for !o.failed.Load() && o.left.Add(-batch) > -batch {
		for range batch {
			o.step()
			// Otherwise each owner would end before the next begins.
			if o.rand.Uint32()%8 == 0 {
				runtime.Gosched()
			}
		}
	}
	for _, p := range o.held {
		o.put(p)
	}
	o.held = nil
}

func (o *owner) step() {
	switch {
	case len(o.held) == 0:
		o.get()
		return
	case len(o.held) == maxHeld:
		o.put(o.take())
		return
	}
	switch c := o.rand.Uint32() % 64; {
	case c < 26:
		o.get()
	case c < 46:
		o.put(o.take())
	case c < 50: // pass one on
		p := o.take()
		select {
		case o.lanes[o.rand.IntN(len(o.lanes))] <- p:
		default:
			o.put(p)
		}
	case c < 54: // and receive one
		select {
		case p := <-o.lanes[o.rand.IntN(len(o.lanes))]:
			o.check(p)
			o.own(p.b)
		default:
		}
	case c < 58:
		o.grow()
	case c < 60: // finds writes of other owners without a put
		o.check(o.held[o.rand.IntN(len(o.held))])
	case c < 62:
		o.clone()
	case o.reads:
		o.readAll()
	}
}

// size returns a random length: mostly small, so that the slices of thousands of owners fit
// into memory.
func (o *owner) size() int {
	if o.config.MinSize == o.config.MaxSize { // a pool of one size
		return 1 + o.rand.IntN(o.config.MaxSize)
	}
	switch r := o.rand.Uint32(); {
	case r%128 == 0:
		return 1 + o.rand.IntN(300<<10)
	case r%8 == 0:
		return 1 + o.rand.IntN(16<<10)
	default:
		return 1 + o.rand.IntN(1<<(4+r%7))
	}
}

// got counts a request and the resulting slice.
func (o *owner) got(asked, capacity int) {
	o.gets++
	o.asked += uint64(asked)
	o.handedOut += uint64(capacity)
	if asked > o.config.MaxSize {
		o.oversize++
	}
}

func (o *owner) get() {
	o.ops++
	n := o.size()
	var b []byte
	switch o.rand.Uint32() % 8 {
	case 0:
		b = o.pool.GetZeroed(n)
		if !allZeroes(b) {
			o.fail("GetZeroed(%d) is not zero", n)
		}
	case 1:
		b = o.pool.Get(n)[:0]
		if len(b) != 0 {
			o.fail("Make(%d) has length %d", n, len(b))
		}
		b = b[:n]
	default:
		b = o.pool.Get(n)
	}
	if len(b) != n {
		o.fail("a request for %d has length %d", n, len(b))
		return
	}
	if o.config.Zero && !allZeroes(b[:cap(b)]) {
		o.fail("class %d: a slice from a pool that clears them is not zero", cap(b))
	}
	o.got(n, cap(b))
	o.own(b)
}

func (o *owner) clone() {
	o.ops++
	src := stressBytes[:o.size()%len(stressBytes)+1]
	var b []byte
	if o.rand.Uint32()%2 == 0 {
		b = o.pool.Append(nil, src...)
	} else {
		b = o.pool.AppendString(nil, stressString[:len(src)])
	}
	if !bytes.Equal(b, src) {
		o.fail("a clone of %d bytes differs", len(src))
	}
	o.got(len(src), cap(b))
	o.own(b)
}

func (o *owner) readAll() {
	o.ops++
	src := stressBytes[:o.rand.IntN(len(stressBytes)+1)]
	o.reader.Reset(src)
	b, err := o.pool.ReadAll(&o.reader)
	if err != nil || !bytes.Equal(b, src) {
		o.fail("ReadAll of %d bytes has %d and error %v", len(src), len(b), err)
		return
	}
	if len(b) > 0 { // otherwise there may be no array
		o.own(b)
	}
}

// grow appends to a slice, or makes room in it, so that it may move to another array. The stamp
// at its beginning must move with it.
func (o *owner) grow() {
	o.ops++
	p := o.take()
	o.check(p)
	b := p.b[:8+o.rand.IntN(cap(p.b)-7)]
	n := o.rand.IntN(1 + min(o.size(), len(stressBytes)))
	var grown []byte
	switch o.rand.Uint32() % 3 {
	case 0:
		grown = o.pool.Append(b, stressBytes[:n]...)
	case 1:
		grown = o.pool.AppendString(b, stressString[:n])
	default:
		grown = o.pool.Grow(b, n)
		if cap(grown)-len(grown) < n {
			o.fail("Grow(%d) leaves room for %d", n, cap(grown)-len(grown))
			return
		}
		grown = append(grown, stressBytes[:n]...)
	}
	if n > cap(b)-len(b) {
		o.got(max(len(b)+n, 2*cap(b)), cap(grown))
	}
	if len(grown) != len(b)+n || binary.NativeEndian.Uint64(grown) != p.stamp || !bytes.Equal(grown[len(b):], stressBytes[:n]) {
		o.fail("%d bytes and another %d do not make the %d bytes they should", len(b), n, len(grown))
	}
	o.own(grown)
}

// own makes b the owner's, and writes a new stamp into the whole array.
func (o *owner) own(b []byte) {
	o.seq++
	p := parcel{b, uint64(o.id)<<32 | uint64(o.seq)}
	a := b[:cap(b)]
	for i := range stamps(len(a)) {
		binary.NativeEndian.PutUint64(a[i:], p.stamp^uint64(i))
	}
	o.held = append(o.held, p)
}

// take removes one of the slices held.
func (o *owner) take() parcel {
	i, last := o.rand.IntN(len(o.held)), len(o.held)-1
	p := o.held[i]
	o.held[i] = o.held[last]
	o.held = o.held[:last]
	return p
}

// check fails if another owner has written into the array.
func (o *owner) check(p parcel) {
	a := p.b[:cap(p.b)]
	for i := range stamps(len(a)) {
		if found := binary.NativeEndian.Uint64(a[i:]) ^ uint64(i); found != p.stamp {
			o.fail("class %d: two owners. At %d of the array that goroutine %d stamped as its %d. is the stamp of goroutine %d, its %d.",
				len(a), i, p.stamp>>32, uint32(p.stamp), found>>32, uint32(found))
			return
		}
	}
}

// put puts a slice, with its present length.
func (o *owner) put(p parcel) {
	o.ops++
	o.check(p)
	b := p.b[:o.rand.IntN(cap(p.b)+1)]
	o.pool.Put(b)
}

// stamps yields the offsets of the stamps in an array of n bytes: at its beginning, at its end,
// and at some places between.
func stamps(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, step := 0, max(64, n/8&^63); i <= n-16; i += step {
			if !yield(i) {
				return
			}
		}
		yield(n - 8)
	}
}

// stressBytes has the bytes that owners append and clone. It has no zero byte, and no part
// looks like a stamp.
var (
	stressBytes  = bytes.Repeat([]byte("\xffbasin\xfe"), 2000)
	stressString = string(stressBytes)
	zeros        = make([]byte, 64<<10)
)

func allZeroes(b []byte) bool {
	for len(b) > len(zeros) {
		if !bytes.Equal(b[:len(zeros)], zeros) {
			return false
		}
		b = b[len(zeros):]
	}
	return bytes.Equal(b, zeros[:len(b)])
}
