//go:build go1.25

package basin_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func TestCeilingBadContexts(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, max := range []int64{0, 4096} {
		p := &basin.BytePool{MaxInUse: max}
		mustPanic(t, func() { p.GetContext(nil, 1) }, "BytePool.GetContext", "nil") //lint:ignore SA1012 this is the test
		if b, err := p.GetContext(cancelled, 1); b != nil || err != context.Canceled {
			t.Errorf("MaxInUse %d, a cancelled context: %v, %v", max, b, err)
		}
		if s := p.Stats(); s.Gets != 0 || s.Bytes.InUse != 0 || max > 0 && s.Refused != 1 {
			t.Errorf("MaxInUse %d: %+v", max, s)
		}
	}
}

func TestWithoutCeiling(t *testing.T) {
	p := &basin.BytePool{}
	a, err := p.GetContext(t.Context(), 100)
	b, ok := p.TryGet(100)
	if err != nil || !ok || len(a) != 100 || len(b) != 100 {
		t.Errorf("%d bytes, %v; %d bytes, %t", len(a), err, len(b), ok)
	}
	if s := p.Stats(); s.Bytes.MaxInUse != 0 || !reflect.DeepEqual(onlyWaits(s), basin.Stats{}) {
		t.Errorf("%+v", s)
	}
}

func TestCeilingCountsCapacity(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.BytePool{MaxInUse: 8192, Name: "c"}
	inUse := func(want int64) {
		t.Helper()
		if s := p.Stats(); s.Bytes.InUse != want || s.Bytes.MaxInUse != 8192 || s.Name != "c" {
			t.Errorf("%+v, want Bytes.InUse %d", s, want)
		}
	}
	for _, n := range []int{0, -1} {
		if b, ok := p.TryGet(n); !ok || b == nil || len(b) != 0 {
			t.Errorf("TryGet(%d) = %v, %t", n, b, ok)
		}
	}
	inUse(0)
	a, ok := p.TryGet(4000)
	if !ok || len(a) != 4000 || cap(a) != 4096 {
		t.Fatalf("length %d, capacity %d, %t", len(a), cap(a), ok)
	}
	inUse(4096)
	if b, ok := p.TryGet(4097); ok || b != nil {
		t.Error("TryGet beyond the ceiling succeeded")
	}
	b := p.Get(4096)
	inUse(8192)
	if _, ok := p.TryGet(1); ok {
		t.Error("TryGet beyond the ceiling succeeded")
	}
	p.Put(a)
	p.Put(a) // twice: must not make room twice
	inUse(4096)
	p.Put(b[1:]) // a part is recognised, so b stays in use for ever
	p.Put(b[:1:1])
	inUse(4096)
	p.Put(b)
	inUse(0)
	if s := p.Stats(); s.Refused != 2 || s.Drops.Double != 1 || s.Waited != 0 {
		t.Errorf("%+v", s)
	}
	p.Put(make([]byte, 4096)) // foreign, with the shape of a class: makes no room
	inUse(0)
	if p.Trim(); p.Stats().Bytes.Idle != 0 {
		t.Error("Trim left something")
	}
}

func TestCeilingTooLarge(t *testing.T) {
	p := &basin.BytePool{MaxInUse: 10000}
	for _, n := range []int{10001, 12000, 5 << 20} {
		b, err := p.GetContext(t.Context(), n)
		if b != nil || !errors.Is(err, basin.ErrLimit) {
			t.Fatalf("GetContext(%d) = %v, %v", n, len(b), err)
		}
		for _, number := range []string{strconv.Itoa(n), "10000"} {
			if !strings.Contains(err.Error(), number) {
				t.Errorf("%q does not say %s", err, number)
			}
		}
		if _, ok := p.TryGet(n); ok {
			t.Errorf("TryGet(%d) succeeded", n)
		}
		b = p.Get(n)
		if len(b) != n {
			t.Errorf("Get(%d) has length %d", n, len(b))
		}
		if s := p.Stats(); s.Bytes.InUse != int64(cap(b)) {
			t.Errorf("%d bytes in use, want %d", s.Bytes.InUse, cap(b))
		}
		p.Put(b)
	}
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Outside != 1 || s.Refused != 6 || s.Gets != 3 || s.Beyond != 3 || s.Drops.Large != 1 {
		t.Errorf("%+v", s)
	}
	// 9000 fits, but its class of 10240 does not.
	if _, err := p.GetContext(t.Context(), 9000); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("GetContext(9000): %v", err)
	}
	if _, err := p.GetContext(t.Context(), math.MaxInt); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("GetContext(MaxInt): %v", err)
	}
}

// TestCeilingOutside: slices that are too large for the pool to keep count under the ceiling.
func TestCeilingOutside(t *testing.T) {
	p := &basin.BytePool{MaxSize: 4096, MaxInUse: 100 << 10}
	b := p.Get(50000)
	if s := p.Stats(); len(b) != 50000 || s.Bytes.InUse < 50000 || s.Bytes.InUse != int64(cap(b)) {
		t.Errorf("length %d, capacity %d, %+v", len(b), cap(b), s)
	}
	if _, ok := p.TryGet(60000); ok {
		t.Error("TryGet beyond the ceiling succeeded")
	}
	if pooltest.Kept(p, b) {
		t.Error("kept a slice that is too large")
	}
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Drops.Large != 1 || s.Outside != 1 || s.OutsideBytes != 50000 {
		t.Errorf("%+v", s)
	}
}

// TestCeilingGrowthDoesNotWait: a goroutine that holds a slice must not wait for others.
func TestCeilingGrowthDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &basin.BytePool{MaxInUse: 8192}
		a := p.Get(4096)
		b := p.Get(4096)
		for range 3 {
			a = p.Append(a, 1) // would wait for itself
			a = a[:cap(a)]
		}
		if s := p.Stats(); s.Bytes.InUse != int64(4096+cap(a)) || s.Beyond != 3 || s.Refused != 0 || s.Waited != 0 {
			t.Errorf("%+v", s)
		}
		p.Put(a)
		p.Put(b)
		if s := p.Stats(); s.Bytes.InUse != 0 {
			t.Errorf("%+v", s)
		}
		data, err := p.ReadAll(strings.NewReader(strings.Repeat("x", 100000)))
		if !errors.Is(err, basin.ErrLimit) || data != nil {
			t.Errorf("ReadAll: %d bytes, %v", len(data), err)
		}
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Refused != 1 || s.Drops != (basin.Drops{Checked: s.Drops.Checked}) {
			t.Errorf("%+v", s)
		}
	})
}

func TestCeilingZero(t *testing.T) {
	p := &basin.BytePool{MaxInUse: 1 << 20, Zero: true}
	b := p.Get(1000)
	for i := range b {
		b[i] = 0xff
	}
	p.Put(b)
	b = p.Get(1000)
	for _, x := range b[:cap(b)] {
		if x != 0 {
			t.Fatal("Get returns a byte of another user")
		}
	}
}

func TestCeilingDoesNotAllocate(t *testing.T) {
	pooltest.Reuses(t)
	oneP(t)
	p := &basin.BytePool{MaxInUse: 1 << 20}
	ctx := t.Context()
	op := func() {
		b, _ := p.GetContext(ctx, 5000)
		p.Put(b)
		p.Put(p.Get(5000))
	}
	op()
	if n := pooltest.Allocs(100, op); n != 0 && !testenv.ASan {
		t.Errorf("%v allocations", n)
	}
}

// TestCeilingServesInOrder: the large request in the middle is not overtaken. If it gives up, later
// requests are served at once.
func TestCeilingServesInOrder(t *testing.T) {
	for _, giveUp := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := &basin.BytePool{MaxInUse: 4 * 4096}
			var held [][]byte
			for range 4 {
				held = append(held, p.Get(4096))
			}
			var mu sync.Mutex
			var order []int // requests that are served at one moment may come in any order
			seen := 0
			sizes := []int{4096, 3 * 4096, 4096, 4096}
			for i, n := range sizes {
				ctx, cancel := context.WithCancel(t.Context())
				if i == 1 && giveUp {
					ctx, cancel = context.WithTimeout(t.Context(), time.Hour)
				}
				defer cancel()
				go func() {
					b, err := p.GetContext(ctx, n)
					if err != nil {
						if i != 1 || !giveUp || err != context.DeadlineExceeded {
							t.Errorf("waiter %d: %v", i, err)
						}
						return
					}
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					time.Sleep(2 * time.Hour)
					p.Put(b)
				}()
				synctest.Wait()
			}
			want := func(waiting int, served ...int) {
				t.Helper()
				synctest.Wait()
				s := p.Stats()
				if s.Waiting != waiting || s.Waited != 4 || s.Bytes.InUse > s.Bytes.MaxInUse {
					t.Errorf("%+v, want %d waiting", s, waiting)
				}
				mu.Lock()
				defer mu.Unlock()
				slices.Sort(order[seen:])
				seen = len(order)
				if !slices.Equal(order, served) {
					t.Errorf("served %v, want %v", order, served)
				}
			}
			want(4)
			p.Put(held[0])
			want(3, 0)
			p.Put(held[1])
			p.Put(held[2]) // room for 2 and 3, but 1 came first
			want(3, 0)
			if _, ok := p.TryGet(1); ok {
				t.Error("TryGet overtook those who wait")
			}
			if giveUp {
				time.Sleep(time.Hour)
				want(0, 0, 2, 3)
				if s := p.Stats(); s.Refused != 2 || s.LongestWait != time.Hour {
					t.Errorf("%+v", onlyWaits(s))
				}
			} else {
				p.Put(held[3])
				want(2, 0, 1)
				time.Sleep(2 * time.Hour) // request 0 is done, which lets 2 in, and so is 1, which lets 3 in
				want(0, 0, 1, 2, 3)
			}
			time.Sleep(10 * time.Hour)
			if giveUp {
				p.Put(held[3])
			}
			if s := p.Stats(); s.Bytes.InUse != 0 || s.Waiting != 0 {
				t.Errorf("at the end: %+v", s)
			}
		})
	}
}

// TestCeilingRefusesOnlyWithoutRoom: some goroutines ask for the whole amount, in vain, while
// others ask for small amounts, for which there is always room.
func TestCeilingRefusesOnlyWithoutRoom(t *testing.T) {
	const limit = 1 << 20
	p := &basin.BytePool{MaxInUse: limit}
	held := p.Get(64)
	var stop atomic.Bool
	var inVain atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for ; !stop.Load(); inVain.Add(1) {
				if _, ok := p.TryGet(limit); ok {
					t.Error("TryGet of the whole ceiling succeeded, although 64 bytes are in use")
					return
				}
			}
		})
	}
	src := make([]byte, 100)
	for i := 0; i < 50_000 || inVain.Load() < 300_000; i++ {
		b, ok := p.TryGet(64)
		if !ok {
			t.Errorf("TryGet %d of 64 bytes was refused: %d of %d bytes are in use", i, p.Stats().Bytes.InUse, limit)
			break
		}
		b = p.Append(b, src...)
		if !pooltest.FullChecks && cap(b) != 192 {
			t.Errorf("Append %d left the pool, with a capacity of %d", i, cap(b))
			break
		}
		p.Put(b)
	}
	stop.Store(true)
	wg.Wait()
	p.Put(held)
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Outside != 0 {
		t.Errorf("at the end %d bytes in use, %d from outside", s.Bytes.InUse, s.Outside)
	}
}

// TestCeilingInUseWithinBounds reads statistics while requests are refused, served and given up,
// and while foreign slices are put.
func TestCeilingInUseWithinBounds(t *testing.T) {
	pooltest.Misuses(t)
	const limit = 256 << 10
	p := &basin.BytePool{MaxInUse: limit}
	one := p.Get(200 << 10)
	beyond := int64(cap(one))
	p.Put(one)
	var stop atomic.Bool
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for i := range 4 {
		wg.Go(func() {
			for !stop.Load() {
				switch i {
				case 0: // foreign, with the shape of a class
					p.Put(make([]byte, 4096))
				case 1:
					p.Put(p.Get(200 << 10))
				case 2:
					if b, err := p.GetContext(ctx, 100<<10); err == nil {
						p.Put(b)
					}
				case 3:
					if b, ok := p.TryGet(limit); ok {
						p.Put(b)
					}
				}
			}
		})
	}
	for range 20_000 {
		if n := p.Stats().Bytes.InUse; n < 0 || n > limit+beyond {
			t.Errorf("%d bytes in use, want 0 to %d and one Get beyond", n, limit)
			break
		}
	}
	stop.Store(true)
	cancel()
	wg.Wait()
}

// TestCeilingLargeOnce puts slices above MaxSize that were not handed out, or puts them twice. This
// makes no room that others hold.
func TestCeilingLargeOnce(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.BytePool{MaxSize: 4096, MaxInUse: 100 << 10}
	a, b := p.Get(30_000), p.Get(20_000)
	inUse := func(after string, want int) {
		t.Helper()
		if got := p.Stats().Bytes.InUse; got != int64(want) {
			t.Errorf("%s: %d bytes in use, want %d", after, got, want)
		}
	}
	inUse("Get", cap(a)+cap(b))
	p.Put(make([]byte, 64<<10))
	inUse("Put of a foreign slice", cap(a)+cap(b))
	p.Put(a[:1:6400])
	inUse("Put of a part", cap(a)+cap(b))
	p.Put(a[64:])
	inUse("Put of another part", cap(a)+cap(b))
	p.Put(a)
	inUse("Put", cap(b))
	p.Put(a)
	inUse("Put of the same", cap(b))
	p.Put(b[:0])
	inUse("Put of the other, emptied", 0)
}

// A lyingContext is done when its channel is closed, and still has no error then.
type lyingContext struct {
	context.Context
	done  chan struct{}
	panic bool
}

func (c lyingContext) Done() <-chan struct{} {
	if c.panic {
		panic("Done")
	}
	return c.done
}

func (c lyingContext) Err() error { return nil }

// TestContextsThatLie waits with contexts that are done without an error, and with contexts that
// panic. Neither request gets a slice or takes room from others.
func TestContextsThatLie(t *testing.T) {
	limited := &basin.BytePool{MaxInUse: 4096}
	fixed := &basin.FixedPool{Count: 1, Size: 64}
	for _, pool := range []struct {
		name string
		get  func(context.Context) ([]byte, error)
		put  func([]byte)
	}{
		{"BytePool", func(ctx context.Context) ([]byte, error) { return limited.GetContext(ctx, 4096) }, limited.Put},
		{"FixedPool", fixed.GetContext, fixed.Put},
	} {
		t.Run(pool.name, func(t *testing.T) {
			held, err := pool.get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			close(done)
			if b, err := pool.get(lyingContext{t.Context(), done, false}); b != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("a context that is done without an error gets %d bytes, %v", len(b), err)
			}
			mustPanic(t, func() { pool.get(lyingContext{t.Context(), nil, true}) }, "Done")
			pool.put(held)
			held, err = pool.get(t.Context())
			if err != nil || held == nil {
				t.Errorf("afterwards: %d bytes, %v", len(held), err)
			}
			pool.put(held)
		})
	}
	if s := limited.Stats(); s.Bytes.InUse != 0 || s.Waiting != 0 {
		t.Errorf("%d bytes in use, %d waiting", s.Bytes.InUse, s.Waiting)
	}
	if s := fixed.Stats(); s.Items.Idle != 1 || s.Waiting != 0 {
		t.Errorf("%d idle, %d waiting", s.Items.Idle, s.Waiting)
	}
}

// TestWaitTimes makes requests wait for exactly the time of each case.
func TestWaitTimes(t *testing.T) {
	for _, tt := range []struct {
		name string
		wait time.Duration
		want [8]uint64
	}{
		{"a moment", time.Microsecond, [8]uint64{0: 1}},
		{"1 ms", time.Millisecond, [8]uint64{1: 1}},
		{"just below 100 ms", 100*time.Millisecond - 1, [8]uint64{2: 1}},
		{"100 ms", 100 * time.Millisecond, [8]uint64{3: 1}},
		{"1 s", time.Second, [8]uint64{4: 1}},
		{"10 s", 10 * time.Second, [8]uint64{5: 1}},
		{"100 s", 100 * time.Second, [8]uint64{6: 1}},
		{"a day", 24 * time.Hour, [8]uint64{7: 1}},
	} {
		t.Run(tt.name+", served", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := &basin.BytePool{MaxInUse: 1024}
				held := pool.Get(1024)
				done := make(chan []byte)
				go func() { done <- waitFor(t, pool, 1024) }()
				time.Sleep(tt.wait)
				synctest.Wait()
				if s := pool.Stats(); s.Waiting != 1 || s.Waited != 1 || s.WaitTimes != ([8]uint64{}) || s.RecentLongestWait != tt.wait {
					t.Errorf("while it waits: %+v", onlyWaits(s))
				}
				pool.Put(held)
				pool.Put(<-done)
				want := basin.Stats{Waited: 1, WaitTimes: tt.want, TotalWait: tt.wait, LongestWait: tt.wait, RecentLongestWait: tt.wait}
				if got := onlyWaits(pool.Stats()); !reflect.DeepEqual(got, want) {
					t.Errorf("afterwards: %+v, want %+v", got, want)
				}
			})
		})
		t.Run(tt.name+", given up", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := &basin.FixedPool{Count: 1, Size: 10}
				held := pool.Get()
				ctx, cancel := context.WithTimeout(t.Context(), tt.wait)
				defer cancel()
				if b, err := pool.GetContext(ctx); b != nil || err == nil {
					t.Fatalf("got %v, %v", b, err)
				}
				want := basin.Stats{Waited: 1, WaitTimes: tt.want, TotalWait: tt.wait, LongestWait: tt.wait, RecentLongestWait: tt.wait, Refused: 1}
				if got := onlyWaits(pool.Stats()); !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, want %+v", got, want)
				}
				pool.Put(held)
			})
		})
	}
}

// TestRecentLongestWait makes a request wait for long and reads the statistics at later times.
func TestRecentLongestWait(t *testing.T) {
	for _, tt := range []struct {
		name  string
		later time.Duration
		short bool // whether a short wait follows at that time
		want  time.Duration
	}{
		{"at once", 0, false, 5 * time.Second},
		{"within a minute", 59 * time.Second, true, 5 * time.Second},
		{"after two minutes", 2 * time.Minute, false, 0},
		{"after two minutes, a short one", 2 * time.Minute, true, time.Second},
		{"after a day", 24 * time.Hour, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := &basin.FixedPool{Count: 1, Size: 10}
				held := pool.Get()
				wait := func(d time.Duration) {
					ctx, cancel := context.WithTimeout(t.Context(), d)
					defer cancel()
					pool.GetContext(ctx)
				}
				wait(5 * time.Second)
				time.Sleep(tt.later)
				if tt.short {
					wait(time.Second)
				}
				if s := pool.Stats(); s.RecentLongestWait != tt.want || s.LongestWait != 5*time.Second {
					t.Errorf("%+v, want %v", onlyWaits(s), tt.want)
				}
				pool.Put(held)
			})
		})
	}
}

// onlyWaits returns the figures of s about requests that could not be served at once.
func onlyWaits(s basin.Stats) basin.Stats {
	return basin.Stats{
		Waiting: s.Waiting, Waited: s.Waited, WaitTimes: s.WaitTimes,
		TotalWait: s.TotalWait, LongestWait: s.LongestWait, RecentLongestWait: s.RecentLongestWait,
		Refused: s.Refused, Beyond: s.Beyond,
	}
}
