package basin_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
)

func TestCeilingBadSettings(t *testing.T) {
	mustPanic(t, func() { basin.NewBytePool(basin.Config{MaxInUse: -1}) }, "Config.MaxInUse", "-1")
	mustPanic(t, func() { basin.NewBytePool(basin.Config{MaxInUse: math.MaxInt64}) }, "Config.MaxInUse")
}

func TestCeilingBadContexts(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, max := range []int64{0, 4096} {
		p := basin.NewBytePool(basin.Config{MaxInUse: max})
		mustPanic(t, func() { p.GetContext(nil, 1) }, "BytePool.GetContext", "nil") //lint:ignore SA1012 this is the test
		if b, err := p.GetContext(cancelled, 1); b != nil || err != context.Canceled {
			t.Errorf("MaxInUse %d, a cancelled context: %v, %v", max, b, err)
		}
		if s := p.Stats(); s.Gets != 0 || s.InUseBytes != 0 || max > 0 && s.Refused != 1 {
			t.Errorf("MaxInUse %d: %+v", max, s)
		}
	}
}

func TestWithoutCeiling(t *testing.T) {
	p := basin.NewBytePool(basin.Config{})
	a, err := p.GetContext(t.Context(), 100)
	b, ok := p.TryGet(100)
	if err != nil || !ok || len(a) != 100 || len(b) != 100 {
		t.Errorf("%d bytes, %v; %d bytes, %t", len(a), err, len(b), ok)
	}
	if s := p.Stats(); s.MaxInUse != 0 || s.Waits != (basin.Waits{}) {
		t.Errorf("%+v", s)
	}
}

func TestCeilingCountsCapacity(t *testing.T) {
	misuses(t)
	p := basin.NewBytePool(basin.Config{MaxInUse: 8192, Name: "c"})
	inUse := func(want int64) {
		t.Helper()
		if s := p.Stats(); s.InUseBytes != want || s.MaxInUse != 8192 || s.Name != "c" {
			t.Errorf("%+v, want InUseBytes %d", s, want)
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
	p.Put(b[1:]) // a part: recognised, and so b is in use for ever
	p.Put(b[:1:1])
	inUse(4096)
	p.Put(b)
	inUse(0)
	if s := p.Stats(); s.Refused != 2 || s.DropsBy.Double != 1 || s.Waited != 0 {
		t.Errorf("%+v", s)
	}
	p.Put(make([]byte, 4096)) // foreign, of a shape that fits: no room comes of nothing
	inUse(0)
	if p.Trim(); p.Stats().IdleBytes != 0 {
		t.Error("Trim left something")
	}
}

func TestCeilingTooLarge(t *testing.T) {
	p := basin.NewBytePool(basin.Config{MaxInUse: 10000})
	for _, n := range []int{10001, 12000, 5 << 20} {
		b, err := p.GetContext(t.Context(), n)
		if b != nil || !errors.Is(err, basin.ErrTooLarge) {
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
		if p.TryPut(b) {
			t.Errorf("the plain slice of %d bytes was kept", n)
		}
	}
	if s := p.Stats(); s.InUseBytes != 0 || s.Oversize != 3 || s.Refused != 9 || s.Gets != 3 || s.Drops != 3 {
		t.Errorf("%+v", s)
	}
	// 9000 fits, its class of 10240 does not.
	if _, err := p.GetContext(t.Context(), 9000); !errors.Is(err, basin.ErrTooLarge) {
		t.Errorf("GetContext(9000): %v", err)
	}
	if _, err := p.GetContext(t.Context(), math.MaxInt); !errors.Is(err, basin.ErrTooLarge) {
		t.Errorf("GetContext(MaxInt): %v", err)
	}
}

// TestCeilingOversize: what is too large for the pool to keep is under the ceiling.
func TestCeilingOversize(t *testing.T) {
	p := basin.NewBytePool(basin.Config{MaxSize: 4096, MaxInUse: 100 << 10})
	b := p.Get(50000)
	if s := p.Stats(); len(b) != 50000 || s.InUseBytes < 50000 || s.InUseBytes != int64(cap(b)) {
		t.Errorf("length %d, capacity %d, %+v", len(b), cap(b), s)
	}
	if _, ok := p.TryGet(60000); ok {
		t.Error("twice the room")
	}
	if p.TryPut(b) {
		t.Error("kept what is too large")
	}
	if s := p.Stats(); s.InUseBytes != 0 || s.DropsBy.Large != 1 || s.Oversize != 1 || s.OversizeBytes != 50000 {
		t.Errorf("%+v", s)
	}
}

// TestCeilingGrowthDoesNotWait: who holds a slice must not wait for others.
func TestCeilingGrowthDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := basin.NewBytePool(basin.Config{MaxInUse: 8192})
		a := p.Get(4096)
		b := p.Get(4096)
		for range 3 {
			a = p.Append(a, 1) // would wait for itself
			a = a[:cap(a)]
		}
		if s := p.Stats(); s.InUseBytes != 4096 || s.Refused == 0 || s.Waited != 0 {
			t.Errorf("%+v", s)
		}
		p.Put(a)
		p.Put(b)
		if s := p.Stats(); s.InUseBytes != 0 {
			t.Errorf("%+v", s)
		}
		data, err := p.ReadAll(strings.NewReader(strings.Repeat("x", 100000)))
		if err != nil || len(data) != 100000 {
			t.Errorf("ReadAll: %d bytes, %v", len(data), err)
		}
		p.Put(data)
		if s := p.Stats(); s.InUseBytes != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestCeilingZero(t *testing.T) {
	p := basin.NewBytePool(basin.Config{MaxInUse: 1 << 20, Zero: true})
	b := p.Get(1000)
	for i := range b {
		b[i] = 0xff
	}
	p.Put(b)
	b = p.Get(1000)
	for _, x := range b[:cap(b)] {
		if x != 0 {
			t.Fatal("a byte of another user")
		}
	}
}

func TestCeilingDoesNotAllocate(t *testing.T) {
	reuses(t)
	oneP(t)
	p := basin.NewBytePool(basin.Config{MaxInUse: 1 << 20})
	ctx := t.Context()
	op := func() {
		b, _ := p.GetContext(ctx, 5000)
		p.Put(b)
		p.Put(p.Get(5000))
	}
	op()
	if n := testing.AllocsPerRun(100, op); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCeilingServesInOrder: the large request in the middle is not overtaken, and
// when it gives up those behind it are served at once.
func TestCeilingServesInOrder(t *testing.T) {
	for _, giveUp := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := basin.NewBytePool(basin.Config{MaxInUse: 4 * 4096})
			var held [][]byte
			for range 4 {
				held = append(held, p.Get(4096))
			}
			var mu sync.Mutex
			var order []int // those served at one moment may come in any order
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
				if s.Waiting != waiting || s.Waited != 4 || s.InUseBytes > s.MaxInUse {
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
			p.Put(held[2]) // room for 2 and 3, but 1 was there before
			want(3, 0)
			if _, ok := p.TryGet(1); ok {
				t.Error("TryGet overtook those who wait")
			}
			if giveUp {
				time.Sleep(time.Hour)
				want(0, 0, 2, 3)
				if s := p.Stats(); s.Refused != 2 || s.LongestWait != time.Hour {
					t.Errorf("%+v", s.Waits)
				}
			} else {
				p.Put(held[3])
				want(2, 0, 1)
				time.Sleep(2 * time.Hour) // 0 is done, which lets 2 in; and 1, which lets 3 in
				want(0, 0, 1, 2, 3)
			}
			time.Sleep(10 * time.Hour)
			if giveUp {
				p.Put(held[3])
			}
			if s := p.Stats(); s.InUseBytes != 0 || s.Waiting != 0 {
				t.Errorf("at the end: %+v", s)
			}
		})
	}
}
