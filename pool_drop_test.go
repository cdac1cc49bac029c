//go:build go1.25

package basin_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// An owned is a value that must be dropped exactly once. Its state is that of its owner.
type owned struct {
	state atomic.Int32
	size  int
	from  *owner
}

const (
	inPool = iota // idle, or being put
	inUse
	isDropped
)

// An owner makes values and drops them. It must not refer to the pool.
type owner struct {
	made, dropped atomic.Int64
	faults        atomic.Pointer[string]
	also          func(*owned) // called by drop, if not nil
}

func (o *owner) new() *owned {
	o.made.Add(1)
	return &owned{from: o, size: 1000}
}

func (o *owner) make(size int) *owned {
	x := o.new()
	x.size = size
	return x
}

func (o *owner) drop(x *owned) {
	o.move(x, inPool, isDropped)
	o.dropped.Add(1)
	if o.also != nil {
		o.also(x)
	}
}

// move changes the state of x. The first fault is kept for the test.
func (o *owner) move(x *owned, from, to int32) {
	if !x.state.CompareAndSwap(from, to) {
		text := fmt.Sprintf("a value in state %d is moved from %d to %d", x.state.Load(), from, to)
		o.faults.CompareAndSwap(nil, &text)
	}
}

func (o *owner) get(p *basin.Pool[*owned]) *owned {
	x := p.Get()
	o.move(x, inPool, inUse)
	return x
}

func (o *owner) put(p *basin.Pool[*owned], x *owned) {
	o.move(x, inUse, inPool)
	p.Put(x)
}

// fill puts n new values.
func (o *owner) fill(p *basin.Pool[*owned], n int) {
	all := make([]*owned, n)
	for i := range all {
		all[i] = o.new()
		all[i].state.Store(inUse)
	}
	for _, x := range all {
		o.put(p, x)
	}
}

// expect fails the test if the number of dropped values differs from want.
func (o *owner) expect(t *testing.T, want int64) {
	t.Helper()
	if got := o.dropped.Load(); got != want {
		t.Errorf("%d values are dropped, want %d", got, want)
	}
	if text := o.faults.Load(); text != nil {
		t.Error(*text)
	}
}

// until collects garbage until n values are dropped, and makes sure that it is not more.
func (o *owner) until(t *testing.T, n int64) {
	t.Helper()
	testenv.CollectUntil(func() bool { return o.dropped.Load() >= n })
	testenv.RunCleanups()
	o.expect(t, n)
}

// TestPoolDropPut: Put drops values that it does not keep, and only those.
func TestPoolDropPut(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	size := func(x *owned) int { return x.size }
	for _, tt := range []struct {
		name  string
		pool  *basin.Pool[*owned]
		sizes []int // of the values put
		want  int64 // of them dropped
	}{
		{"kept", &basin.Pool[*owned]{}, []int{1, 1}, 0},
		{"MaxItems", &basin.Pool[*owned]{MaxItems: 2}, []int{1, 1, 1, 1, 1}, 3},
		{"KeepNone", &basin.Pool[*owned]{MaxItems: basin.KeepNone}, []int{1, 1}, 2},
		{"MaxIdle", &basin.Pool[*owned]{MaxIdle: 2048, Size: size}, []int{1024, 1024, 1024, 64}, 2},
		{"negative Size", &basin.Pool[*owned]{Size: size}, []int{-1, 0, 1}, 1},
		{"above MaxSize", &basin.Pool[*owned]{Size: size, MaxSize: 4096}, []int{4096, 5000}, 1},
		{"below the learned size", &basin.Pool[*owned]{Size: size, Used: size}, []int{0, 1, 64}, 1},
		{"far above the learned size", &basin.Pool[*owned]{Size: size, Used: func(*owned) int { return 1 }}, []int{64, 1 << 20}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, o := tt.pool, new(owner)
			p.Drop = o.drop
			if p.Used != nil {
				p.Make = o.make
			}
			if err := basin.Validate(p); err != nil {
				t.Fatal(err)
			}
			for _, n := range tt.sizes {
				x := o.new()
				x.size = n
				p.Put(x)
			}
			o.expect(t, tt.want)
			if s := p.Stats(); int64(s.Drops.Total()) != tt.want || s.Items.Idle != int64(len(tt.sizes))-tt.want {
				t.Errorf("stats: %v", s)
			}
		})
	}
}

// TestPoolDropReset: Drop gets the value that Reset returns. If a function of the user panics, the
// value still belongs to the caller.
func TestPoolDropReset(t *testing.T) {
	o := new(owner)
	p := &basin.Pool[*owned]{MaxItems: basin.KeepNone, New: o.new, Drop: o.drop}
	p.Reset = func(x *owned) *owned { x.size = 7; return x }
	o.also = func(x *owned) {
		if x.size != 7 {
			t.Error("dropped before Reset")
		}
	}
	o.put(p, o.get(p))
	o.expect(t, 1)
	fail := func(*owned) int { panic("fails") }
	for name, p := range map[string]*basin.Pool[*owned]{
		"Reset": {MaxItems: basin.KeepNone, Reset: func(*owned) *owned { panic("fails") }},
		"Size":  {MaxIdle: basin.KeepNone, Size: fail},
		"Used":  {MaxIdle: basin.KeepNone, Size: func(*owned) int { return 1 }, Used: fail, Make: o.make},
	} {
		p.Drop = o.drop
		if r := recovered(func() { p.Put(o.new()) }); r != "fails" {
			t.Errorf("%s: panicked with %v", name, r)
		}
		o.expect(t, 1)
	}
}

// TestPoolDropChecked: a value that checks track is dropped when it is put. A double Put is
// rejected, and does not drop the value again.
func TestPoolDropChecked(t *testing.T) {
	for _, s := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		told := pooltest.BeginChecks(t, s)
		o := new(owner)
		p := &basin.Pool[*owned]{New: o.new, Drop: o.drop}
		x := o.get(p)
		o.put(p, x)
		o.expect(t, 1)
		p.Put(x)
		o.expect(t, 1)
		if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.DoublePut {
			t.Errorf("%v: reported %v", s.Level, got)
		}
		if s.Level == basincheck.Full { // then no value is reused
			p.Put(o.new())
			o.expect(t, 2)
		}
	}
}

// TestPoolDropTrim: Trim returns when all idle values are dropped: those in depots, in magazines and
// in limbo.
func TestPoolDropTrim(t *testing.T) {
	pooltest.Reuses(t)
	o := new(owner)
	p := &basin.Pool[*owned]{MaxItems: 1000, New: o.new, Drop: o.drop, IdleTime: time.Hour}
	out := o.get(p)
	o.fill(p, 500)
	busyPool(o, p)
	testenv.RunCleanups() // a round that runs during Trim would drop some values itself
	before := o.made.Load()
	p.Trim()
	o.expect(t, before-1)
	o.put(p, out)
	o.expect(t, before-1)
	p.Trim()
	o.expect(t, before)
	if s := p.Stats(); s.Trimmed != uint64(before) || s.Items.Idle != 0 {
		t.Errorf("stats: %v", s)
	}
}

// busyPool uses p so often that Ps get magazines, in builds that have some.
func busyPool(o *owner, p *basin.Pool[*owned]) {
	for range 20_000 {
		x := o.get(p)
		y := o.get(p)
		o.put(p, x)
		o.put(p, y)
	}
}

// TestPoolDropAges: values that nobody needs are dropped after collections.
func TestPoolDropAges(t *testing.T) {
	o := new(owner)
	p := &basin.Pool[*owned]{MaxItems: 1000, New: o.new, Drop: o.drop, IdleTime: time.Millisecond}
	out := o.get(p)
	o.fill(p, 500)
	o.until(t, 500)
	runtime.KeepAlive(p)
	if out.state.Load() != inUse {
		t.Error("a value in use is dropped")
	}
}

// TestPoolDropMemoryLimit: near the memory limit, all idle values are dropped.
func TestPoolDropMemoryLimit(t *testing.T) {
	o := new(owner)
	p := &basin.Pool[*owned]{MaxItems: 1000, New: o.new, Drop: o.drop, IdleTime: time.Hour}
	out := o.get(p)
	o.fill(p, 500)
	busyPool(o, p)
	n := o.made.Load()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	o.until(t, n-1)
	runtime.KeepAlive(p)
	runtime.KeepAlive(out)
}

// TestPoolDropGarbage: when a pool is garbage, all of its idle values are dropped, wherever they
// are. A value in use is not.
func TestPoolDropGarbage(t *testing.T) {
	pooltest.Reuses(t)
	for _, sized := range []bool{false, true} {
		o := new(owner)
		var out *owned
		func() {
			p := &basin.Pool[*owned]{New: o.new, Drop: o.drop, IdleTime: time.Hour}
			if sized {
				p.Size = func(x *owned) int { return x.size }
			} else {
				p.MaxItems = 4000
			}
			o.fill(p, 2001)
			busyPool(o, p)
			out = o.get(p)
			o.expect(t, 0)
		}()
		o.until(t, o.made.Load()-1)
		if n := o.dropped.Load(); n < 2000 {
			t.Errorf("%d values, want 2000 or more", n)
		}
		runtime.KeepAlive(out)
	}
}

// TestPoolDropCycle: a pool to which Drop and the values refer is garbage as soon as its values have
// aged.
func TestPoolDropCycle(t *testing.T) {
	pooltest.Reuses(t)
	o := new(owner)
	var w weak.Pointer[basin.Pool[*owned]]
	func() {
		p := &basin.Pool[*owned]{New: o.new, IdleTime: 100 * time.Millisecond}
		p.Drop = func(x *owned) {
			o.drop(x)
			_ = p.Name
		}
		w = weak.Make(p)
		o.fill(p, 100)
		busyPool(o, p)
	}()
	n := o.made.Load()
	testenv.CollectUntil(func() bool { return w.Value() == nil })
	o.until(t, n)
}

// TestPoolDropUsesPools: Drop may block and may use pools, also the one that calls it.
func TestPoolDropUsesPools(t *testing.T) {
	pooltest.Reuses(t)
	for _, sized := range []bool{false, true} {
		o := new(owner)
		p := &basin.Pool[*owned]{New: o.new, Drop: o.drop, IdleTime: time.Millisecond}
		if sized {
			p.Size = func(x *owned) int { return x.size }
			p.MaxIdle = 10 << 10
		} else {
			p.MaxItems = 10
		}
		var calls atomic.Int64
		o.also = func(*owned) {
			runtime.Gosched() // which ends the program while pinned
			if n := calls.Add(1); n < 200 {
				x := o.get(p)
				if n%50 == 0 {
					p.Trim()
				}
				p.Stats()
				o.put(p, x)
				basin.Put(basin.Get(100))
			}
		}
		o.fill(p, 100)
		p.Trim()
		o.fill(p, 10)
		testenv.CollectUntil(func() bool { return p.Stats().Items.Idle == 0 && o.dropped.Load() == o.made.Load() })
		o.expect(t, o.made.Load())
	}
}

// TestPoolDropPanics: if Drop panics, the panic reaches the caller of Put or Trim. All values are
// dropped nevertheless, and the statistics are right.
func TestPoolDropPanics(t *testing.T) {
	pooltest.Reuses(t)
	o := new(owner)
	p := &basin.Pool[*owned]{MaxItems: 100, New: o.new, Drop: o.drop, IdleTime: time.Hour}
	o.fill(p, 100)
	o.also = func(*owned) { panic("fails") }
	if r := recovered(func() { o.fill(p, 1) }); r != "fails" {
		t.Errorf("Put panicked with %v", r)
	}
	o.expect(t, 1)
	if r := recovered(p.Trim); r != "fails" {
		t.Errorf("Trim panicked with %v", r)
	}
	o.expect(t, 101)
	if s := p.Stats(); s.Puts != 101 || s.Drops.Full != 1 || s.Trimmed != 100 || s.Items.Idle != 0 {
		t.Errorf("stats: %v", s)
	}
	o.also = nil
	o.fill(p, 100)
	o.expect(t, 101)
	p.Trim()
	o.expect(t, 201)
}

// TestPoolDropBlocks: a Drop that blocks after a collection holds up neither other pools, nor
// finalizers, nor calls of its own pool.
func TestPoolDropBlocks(t *testing.T) {
	pooltest.Reuses(t)
	release := make(chan struct{})
	o, other := new(owner), new(owner)
	var filled atomic.Bool // before that, a Put may call Drop
	var blocked atomic.Int64
	o.also = func(*owned) {
		if filled.Load() {
			blocked.Add(1)
			<-release
		}
	}
	p := &basin.Pool[*owned]{New: o.new, Drop: o.drop, IdleTime: time.Millisecond}
	q := &basin.Pool[*owned]{New: other.new, Drop: other.drop, IdleTime: time.Millisecond}
	for blocked.Load() == 0 {
		filled.Store(false)
		o.fill(p, 100)
		filled.Store(true)
		testenv.CollectUntil(func() bool { return blocked.Load() > 0 || o.dropped.Load() == o.made.Load() })
	}
	other.fill(q, 100)
	other.until(t, 100) // which also waits for finalizers
	x := o.get(p)
	close(release)
	o.until(t, o.made.Load()-1)
	runtime.KeepAlive(x)
}

// TestPoolDropStats: a round that Stats begins does not call Drop before Stats returns, so Drop may
// need a lock that the caller of Stats holds.
func TestPoolDropStats(t *testing.T) {
	pooltest.Reuses(t)
	o := new(owner)
	var mu sync.Mutex
	o.also = func(*owned) {
		mu.Lock()
		defer mu.Unlock()
	}
	p := &basin.Pool[*owned]{New: o.new, Drop: o.drop, IdleTime: time.Millisecond}
	o.fill(p, 100)
	mu.Lock()
	for p.Stats().Items.Idle > 0 {
		runtime.Gosched()
	}
	mu.Unlock()
	o.until(t, 100)
}

// TestPoolDropDoesNotAllocate: Drop costs no allocation in Get and Put.
func TestPoolDropDoesNotAllocate(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	x := new(owned)
	p := &basin.Pool[*owned]{Drop: func(*owned) {}}
	none := &basin.Pool[*owned]{Drop: func(*owned) {}, MaxItems: basin.KeepNone}
	for name, op := range map[string]func(){
		"kept":    func() { p.Put(x); p.Get() },
		"dropped": func() { none.Put(x) },
	} {
		op()
		if n := pooltest.Allocs(100, op); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestPoolDropStress: while many goroutines use a pool in all ways, no value is dropped twice or in
// use, and no dropped value is handed out. When the pool is garbage, each value has been dropped or
// is in use.
func TestPoolDropStress(t *testing.T) {
	for _, tt := range []struct {
		name string
		pool *basin.Pool[*owned] // its settings
	}{
		{"MaxItems", &basin.Pool[*owned]{MaxItems: 40}},
		{"KeepNone", &basin.Pool[*owned]{MaxItems: basin.KeepNone}},
		{"MaxIdle", &basin.Pool[*owned]{MaxIdle: 40 << 10, Size: func(x *owned) int { return x.size }}},
		{"learning", &basin.Pool[*owned]{MaxIdle: 16 << 20, Size: func(x *owned) int { return x.size }, Used: func(x *owned) int { return rand.IntN(3 << 20) }}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := new(owner)
			users, ops := 4, 4000
			if pooltest.Long() {
				users, ops = 16, 15_000
			}
			var held sync.Map
			func() {
				p := &basin.Pool[*owned]{MaxItems: tt.pool.MaxItems, MaxIdle: tt.pool.MaxIdle, Size: tt.pool.Size, Used: tt.pool.Used}
				p.Drop, p.IdleTime = o.drop, time.Millisecond
				if p.Used != nil {
					p.Make = o.make
				} else {
					p.New = o.new
				}
				var all sync.WaitGroup
				for i := range users {
					all.Go(func() {
						r := rand.New(rand.NewPCG(uint64(i), 1))
						var mine []*owned
						for range ops {
							switch n := r.IntN(1000); {
							case n == 0:
								p.Trim()
							case n == 1:
								runtime.GC()
							case n < 10:
								p.Stats()
							case n < 20:
								for range 500 {
									o.put(p, o.get(p))
								}
							case len(mine) > 0 && r.IntN(30) < len(mine):
								x := mine[len(mine)-1]
								mine = mine[:len(mine)-1]
								if p.Size != nil && p.Used == nil {
									x.size = 64 << r.IntN(6)
								}
								o.put(p, x)
							default:
								mine = append(mine, o.get(p))
							}
						}
						for _, x := range mine {
							held.Store(x, true)
						}
					})
				}
				all.Wait()
			}()
			n := o.made.Load()
			held.Range(func(x, _ any) bool {
				n--
				if x.(*owned).state.Load() != inUse {
					t.Error("a value in use is dropped")
				}
				return true
			})
			o.until(t, n)
			t.Logf("%d values, %d in use at the end", o.made.Load(), o.made.Load()-n)
		})
	}
}
