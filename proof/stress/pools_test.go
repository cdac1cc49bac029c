//go:build go1.25

package stress_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// storm collects garbage, changes GOMAXPROCS and calls trim until the test ends.
func storm(t *testing.T, trim func()) {
	procs := runtime.GOMAXPROCS(0)
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			runtime.GC()
			if i%3 == 0 {
				runtime.GOMAXPROCS(1 + i%(2*procs+1))
			}
			if i%5 == 0 {
				trim()
			}
		}
	})
	t.Cleanup(func() {
		stop.Store(true)
		wg.Wait()
		runtime.GOMAXPROCS(procs)
	})
}

func stressSteps() int {
	if testing.Short() {
		return 2000
	}
	return 20000
}

// crowd runs f on n goroutines and waits for them.
func crowd(n int, f func(r *rand.Rand)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	wg.Wait()
}

// An owned is an item that knows whether it is outstanding.
type owned struct {
	out  atomic.Bool
	body [4]int
}

func TestStressPool(t *testing.T) {
	p := &basin.Pool[*owned]{
		New:      func() *owned { return new(owned) },
		MaxItems: 100,
	}
	values := &basin.Pool[[16]int]{New: func() [16]int { return [16]int{} }}
	storm(t, func() {
		p.Trim()
		if s := p.Stats(); s.Items.Idle < 0 || s.Items.Idle > 100 {
			t.Errorf("%d idle, MaxItems 100", s.Items.Idle)
		}
	})
	exchange := make(chan *owned, 16) // so that Put is called where Get was not
	crowd(8, func(r *rand.Rand) {
		var held []*owned
		for range stressSteps() {
			switch {
			case len(held) < r.IntN(50):
				x := p.Get()
				if x.out.Swap(true) {
					t.Error("an item was handed out twice")
					return
				}
				x.body[1]++ // for the race detector
				held = append(held, x)
			case len(held) > 0:
				x := held[len(held)-1]
				held = held[:len(held)-1]
				if r.IntN(2) == 0 {
					select {
					case exchange <- x:
						x = <-exchange
					default:
					}
				}
				x.body[1]++
				x.out.Store(false)
				p.Put(x)
			}
			v := values.Get()
			want := v[0]
			for i, was := range v {
				if was != want {
					t.Error("a torn value")
					return
				}
				v[i] = was + 1
			}
			values.Put(v)
		}
		for _, x := range held {
			x.out.Store(false)
			p.Put(x)
		}
	})
	close(exchange)
	left := int64(0)
	for range exchange {
		left++
	}
	s := p.Stats()
	if s.Items.InUse != left || s.Puts != uint64(s.Items.Idle)+s.Hits+s.Trimmed+s.Drops.Total() {
		t.Errorf("%d in exchange: %+v", left, s)
	}
}

func TestStressFixedPool(t *testing.T) {
	const count, size = 37, 24
	p := &basin.FixedPool{Count: count, Size: size}
	var out sync.Map // of *byte: outstanding buffers
	var outNow atomic.Int64
	storm(t, func() {
		if s := p.Stats(); s.Items.Idle < 0 || s.Items.Idle > count {
			t.Errorf("%+v", s)
		}
	})
	own := make(map[*byte]bool)
	var all [][]byte
	for range count {
		b, _ := p.TryGet()
		own[unsafe.SliceData(b)] = true
		all = append(all, b)
	}
	for _, b := range all {
		p.Put(b)
	}
	extra := atomic.Uint64{}
	crowd(60, func(r *rand.Rand) {
		for i := range stressSteps() / 10 {
			var b []byte
			switch r.IntN(4) {
			case 0:
				b = p.Get()
			case 1:
				var ok bool
				if b, ok = p.TryGet(); !ok {
					continue
				}
			case 2:
				var err error
				if b, err = p.GetContext(context.Background()); err != nil {
					t.Error(err)
					return
				}
			default:
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(100))*time.Microsecond)
				var err error
				b, err = p.GetContext(ctx)
				cancel()
				if err != nil {
					continue
				}
			}
			x := unsafe.SliceData(b)
			if !own[x] {
				extra.Add(1)
				p.Put(b)
				continue
			}
			if _, twice := out.LoadOrStore(x, i); twice {
				t.Error("a buffer was handed out twice")
				return
			}
			if outNow.Add(1) > count {
				t.Error("more out than there are")
			}
			b[0]++ // for the race detector
			if r.IntN(3) == 0 {
				runtime.Gosched()
			}
			b[size-1]++
			outNow.Add(-1)
			out.Delete(x)
			p.Put(b[:r.IntN(size)])
		}
	})
	s := p.Stats()
	if s.Items.Idle != count || s.Waiting != 0 || s.Drops.Extra != extra.Load() || s.Drops.Total() != s.Drops.Extra || s.Misses != extra.Load() {
		t.Errorf("%d beyond the pool's: %+v", extra.Load(), s)
	}
	for range count {
		if _, ok := p.TryGet(); !ok {
			t.Fatal("TryGet fails while there are idle buffers")
		}
	}
}

// TestStressFixedPoolNearlyEmpty has many goroutines wait for the few free buffers of a large
// pool, at any position in its block. If the pool failed to find a returned buffer, they would
// wait forever.
func TestStressFixedPoolNearlyEmpty(t *testing.T) {
	pooltest.Misuses(t)
	for _, count := range []int{1024, 1025, 70_000} {
		p := &basin.FixedPool{Count: count, Size: 8}
		var all [][]byte
		for range count {
			b, _ := p.TryGet()
			all = append(all, b)
		}
		if b, ok := p.TryGet(); ok || b != nil {
			t.Fatalf("%d buffers: another one", count)
		}
		var held sync.Map // of *byte
		few := 5
		for i := range few {
			p.Put(all[i*(count-1)/few])
		}
		crowd(16, func(r *rand.Rand) {
			for i := range stressSteps() / 20 {
				var b []byte
				if r.IntN(4) == 0 {
					var ok bool
					if b, ok = p.TryGet(); !ok {
						continue
					}
				} else {
					b, _ = p.GetContext(context.Background())
				}
				if _, twice := held.LoadOrStore(unsafe.SliceData(b), i); twice {
					t.Error("a buffer was handed out twice")
				}
				b[0]++ // for the race detector
				if r.IntN(3) == 0 {
					runtime.Gosched()
				}
				held.Delete(unsafe.SliceData(b))
				p.Put(b)
			}
		})
		if s := p.Stats(); s.Items.Idle != int64(few) || s.Waiting != 0 || s.Drops.Total() != 0 || s.Misses != 0 {
			t.Errorf("%d buffers: %+v", count, s)
		}
		for range few {
			if _, ok := p.TryGet(); !ok {
				t.Fatalf("%d buffers: TryGet fails while there are idle ones", count)
			}
		}
		for _, b := range all {
			p.Put(b)
		}
		p.Put(all[count/2])     // twice
		p.Put(all[count-1][1:]) // inside
		if s := p.Stats(); s.Items.Idle != int64(count) || s.Drops != (basin.Drops{Double: 1, Misaligned: 1}) {
			t.Errorf("%d buffers: %+v", count, s)
		}
	}
}

// TestStressFixedPoolDoubles puts each buffer from two goroutines at once: exactly one must
// succeed.
func TestStressFixedPoolDoubles(t *testing.T) {
	pooltest.Misuses(t)
	if testenv.Race {
		t.Skip("two Puts at once are a data race, and reported as one")
	}
	p := &basin.FixedPool{Count: 5, Size: 8}
	n := stressSteps() / 10
	for range n {
		b := p.Get()
		crowd(2, func(*rand.Rand) { p.Put(b) })
	}
	if s := p.Stats(); s.Drops.Double != uint64(n) || s.Items.Idle != 5 {
		t.Errorf("%d doubled Puts: %+v", n, s)
	}
}

// TestStressCeiling has thousands of goroutines with random sizes, timeouts and cancellations.
// Besides slices of Get, which may go beyond, at most MaxInUse must be outstanding, and all goroutines must end.
func TestStressCeiling(t *testing.T) {
	const maxInUse = 256 << 10
	p := &basin.BytePool{MaxInUse: maxInUse, MaxSize: 64 << 10}
	var out atomic.Int64 // outstanding capacities but for those of Get, added later than in the pool and subtracted earlier
	var forced flow      // capacities of Get, added earlier than in the pool and subtracted later
	storm(t, func() {
		p.Trim()
		since := forced.mark()
		if s := p.Stats(); s.Bytes.InUse > maxInUse+forced.most(since) || s.Bytes.InUse < 0 {
			t.Errorf("%+v", s)
		}
	})
	hold := func(r *rand.Rand, b []byte) {
		b[0]++ // for the race detector
		if r.IntN(2) == 0 {
			runtime.Gosched()
		}
	}
	holdIn := func(r *rand.Rand, b []byte) {
		if n := out.Add(int64(cap(b))); n > maxInUse {
			t.Errorf("%d bytes out, MaxInUse %d", n, maxInUse)
		}
		hold(r, b)
		out.Add(-int64(cap(b)))
		p.Put(b)
	}
	var served, gaveUp, refused atomic.Int64
	goroutines := 3000
	if testing.Short() {
		goroutines = 500
	}
	crowd(goroutines, func(r *rand.Rand) {
		for range 10 {
			n := 1 + r.IntN(1<<(1+r.IntN(16)))
			switch r.IntN(8) {
			case 0:
				n = 1 + r.IntN(maxInUse*3/4) // beyond MaxSize, too
			case 1:
				if b, ok := p.TryGet(n); ok {
					served.Add(1)
					holdIn(r, b)
				} else {
					refused.Add(1)
				}
				continue
			case 2:
				served.Add(1)
				most := int64(2*n + 64) // larger than the class of n
				forced.add(most)
				b := p.Get(n)
				hold(r, b)
				p.Put(b)
				forced.remove(most)
				continue
			}
			ctx, cancel := context.WithCancel(context.Background())
			if r.IntN(2) == 0 {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(1000))*time.Microsecond)
			}
			if b, err := p.GetContext(ctx, n); err == nil {
				served.Add(1)
				holdIn(r, b)
			} else {
				gaveUp.Add(1)
			}
			cancel()
		}
	})
	s := p.Stats()
	if s.Bytes.InUse != 0 || s.Waiting != 0 || s.Gets != uint64(served.Load()) || s.Refused != uint64(gaveUp.Load()+refused.Load()) {
		t.Errorf("%d served, %d gave up, %d refused: %+v", served.Load(), gaveUp.Load(), refused.Load(), s)
	}
	if b, ok := p.TryGet(maxInUse * 3 / 4); !ok {
		t.Error("no room at the end")
	} else {
		p.Put(b)
	}
	if s.Beyond == 0 && s.Waited > 0 {
		t.Error("no Get went beyond the ceiling, though others waited")
	}
	t.Logf("%d served, %d gave up, %d refused, %d beyond, %d waited, longest %v", served.Load(), gaveUp.Load(), refused.Load(), s.Beyond, s.Waited, s.LongestWait)
}

// TestBuffersStress has many goroutines write their own data into handles, small Buffers and
// Shareds, pass them on, and check that the data is unchanged. Run it with -race.
func TestBuffersStress(t *testing.T) {
	pooltest.Misuses(t)
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	var pool basin.BufferPool
	var std basin.StdBufferPool
	type item struct {
		b    *basin.Buffer
		want byte
		n    int
	}
	check := func(data []byte, want byte, n int) {
		if len(data) != n || bytes.Count(data, []byte{want}) != n {
			t.Errorf("%d bytes, want %d of %d", len(data), n, want)
		}
	}
	hand := make(chan item, 16)
	var producers, consumers sync.WaitGroup
	for g := range 4 {
		producers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			mine := byte(g + 1)
			for i := range rounds {
				n := r.IntN(1 << r.IntN(14))
				data := bytes.Repeat([]byte{mine}, n)
				switch i % 5 {
				case 0, 1:
					b := pool.Get()
					b.Write(data)
					hand <- item{b, mine, n}
				case 2:
					b := std.Get()
					b.Write(data)
					check(b.Bytes(), mine, n)
					std.Put(b)
				case 3:
					b := basin.NewSmallBuffer()
					b.Write(data)
					check(b.Bytes(), mine, n)
					b.Free()
				case 4:
					b := basin.GetBuffer()
					b.Write(data)
					s := basin.Default().NewShared(b.Detach())
					basin.PutBuffer(b)
					var readers sync.WaitGroup
					for range 3 {
						s.Retain()
						readers.Go(func() {
							check(s.Bytes(), mine, n)
							s.Release()
						})
					}
					s.Release()
					readers.Wait()
				}
			}
		})
	}
	for range 2 {
		consumers.Go(func() {
			for x := range hand {
				check(x.b.Bytes(), x.want, x.n)
				pool.Put(x.b)
				if pin.Available { // the race detector would report it
					pool.Put(x.b) // a double Put, while others get
				}
			}
		})
	}
	producers.Wait()
	close(hand)
	consumers.Wait()
}

// An ownedArray knows whether it is outstanding.
type ownedArray struct {
	out atomic.Bool
	b   []byte
}

// TestStressPoolSize has values grow while they are used. Each value must have one user at a
// time, and at most MaxIdle bytes may be idle.
func TestStressPoolSize(t *testing.T) {
	const maxIdle = 64 << 10
	for _, learns := range []bool{false, true} {
		t.Run(fmt.Sprintf("learns %t", learns), func(t *testing.T) {
			p := &basin.Pool[*ownedArray]{
				New:     func() *ownedArray { return new(ownedArray) },
				Size:    func(x *ownedArray) int { return cap(x.b) },
				MaxSize: 8 << 10,
				MaxIdle: maxIdle,
			}
			if learns {
				p.New = nil
				p.Make = func(size int) *ownedArray { return &ownedArray{b: make([]byte, 0, size)} }
				p.Used = func(x *ownedArray) int { return len(x.b) }
			}
			storm(t, func() {
				p.Trim()
				if s := p.Stats(); s.Bytes.Idle < 0 || s.Bytes.Idle > maxIdle {
					t.Errorf("%+v", s)
				}
			})
			crowd(8, func(r *rand.Rand) {
				var held []*ownedArray
				for range stressSteps() {
					switch {
					case len(held) < r.IntN(20):
						x := p.Get()
						if x.out.Swap(true) {
							t.Error("a value was handed out twice")
							return
						}
						n := r.IntN(1 << r.IntN(15))
						x.b = slices.Grow(x.b[:0], n)[:n]
						held = append(held, x)
					case len(held) > 0:
						x := held[len(held)-1]
						held = held[:len(held)-1]
						x.out.Store(false)
						p.Put(x)
					}
				}
				for _, x := range held {
					x.out.Store(false)
					p.Put(x)
				}
			})
			s := p.Stats()
			dropped := s.Drops.Total()
			if s.Items.InUse != 0 || s.Gets != s.Puts || s.Puts != uint64(s.Items.Idle)+s.Hits+s.Trimmed+dropped || s.Drops.Large == 0 && !pooltest.FullChecks {
				t.Errorf("%+v", s)
			}
		})
	}
}
