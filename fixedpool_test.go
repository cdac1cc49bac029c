//go:build go1.25

package basin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httputil"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

var _ httputil.BufferPool = (*basin.FixedPool)(nil)

func idleItems(p *basin.FixedPool) int { return int(p.Stats().Items.Idle) }

// TestFixedPoolHandsOutItsBlock takes all buffers, of many shapes, and puts them back.
func TestFixedPoolHandsOutItsBlock(t *testing.T) {
	for _, shape := range []struct{ count, size int }{
		{1, 1}, {1, 4096}, {2, 1}, {3, 7}, {16, 64}, {17, 100}, {100, 1}, {1000, 33},
	} {
		p := &basin.FixedPool{Count: shape.count, Size: shape.size}
		if idle := idleItems(p); idle != shape.count {
			t.Fatalf("%v: %d idle before the first use", shape, idle)
		}
		for round := range 3 {
			out := make(map[*byte][]byte)
			for range shape.count {
				b, ok := p.TryGet()
				if !ok || len(b) != shape.size || cap(b) != shape.size {
					t.Fatalf("%v: TryGet = length %d, capacity %d, %t", shape, len(b), cap(b), ok)
				}
				for i := range b {
					b[i] = byte(round)
				}
				out[&b[0]] = b
			}
			if len(out) != shape.count || idleItems(p) != 0 {
				t.Fatalf("%v: %d different buffers, %d idle", shape, len(out), idleItems(p))
			}
			if b, ok := p.TryGet(); ok || b != nil {
				t.Fatalf("%v: TryGet from an empty pool succeeded", shape)
			}
			for _, b := range out {
				p.Put(b[:round%2]) // shortened to nothing or almost nothing
			}
			if idleItems(p) != shape.count {
				t.Fatalf("%v: %d idle", shape, idleItems(p))
			}
		}
		n := uint64(shape.count)
		s := p.Stats()
		if s.Gets != 3*n || s.Hits != 3*n || s.Puts != 3*n || s.Misses != 0 || s.Drops.Total() != 0 || s.Refused != 3 || s.Items.InUse != 0 {
			t.Errorf("%v: %+v", shape, s)
		}
	}
}

func TestFixedPoolGetAllocatesBeyondCount(t *testing.T) {
	p := &basin.FixedPool{Count: 2, Size: 10}
	a, b, c := p.Get(), p.Get(), p.Get()
	if len(c) != 10 || cap(c) != 10 {
		t.Errorf("length %d, capacity %d", len(c), cap(c))
	}
	if s := p.Stats(); s.Gets != 3 || s.Hits != 2 || s.Misses != 1 || s.Items.InUse != 2 {
		t.Errorf("%+v", s)
	}
	p.Put(c)
	p.Put(a)
	p.Put(b)
	if s := p.Stats(); s.Drops.Total() != 1 || s.Drops.Extra != 1 || s.Items.Idle != 2 || s.Puts != 2 {
		t.Errorf("%+v", s)
	}
}

func TestFixedPoolDropsForeignSlices(t *testing.T) {
	pooltest.Misuses(t)
	p, other := &basin.FixedPool{Count: 4, Size: 8}, &basin.FixedPool{Count: 4, Size: 8}
	var out [][]byte
	for range 4 {
		out = append(out, p.Get())
	}
	p.Put(nil)
	p.Put([]byte{})
	p.Put(out[0][8:])      // no capacity left
	p.Put(make([]byte, 8)) // from the heap
	p.Put(other.Get())     // from another pool
	p.Put(out[1][1:])      // starts inside a buffer
	p.Put(out[1][7:])      // starts at the last byte of a buffer
	p.Put(out[2][3:5:6])   // inside, with another capacity
	p.Put(out[0][:1:1])    // the pool's own, of any length
	p.Put(out[0])          // twice
	p.Put(out[3])          //
	p.Put(out[1])          //
	p.Put(out[3])          // twice, with another Put between
	s := p.Stats()
	want := basin.Drops{Empty: 3, Foreign: 2, Misaligned: 3, Double: 2}
	if s.Drops != want || s.Drops.Total() != 10 {
		t.Errorf("Drops %d by %+v, want %+v", s.Drops.Total(), s.Drops, want)
	}
	if s.Items.Idle != 3 || s.Items.InUse != 1 || s.Puts != 3 {
		t.Errorf("%+v, want 3 idle and 1 in use", s)
	}
	for range 3 {
		if b := p.Get(); len(b) != 8 || cap(b) != 8 {
			t.Errorf("length %d, capacity %d, want 8", len(b), cap(b))
		}
	}
}

func TestFixedPoolZero(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.FixedPool{Count: 3, Size: 16}
	p.Zero = true
	for range 10 {
		b := p.Get()
		for i := range b {
			if b[i] != 0 {
				t.Fatal("a byte of another user")
			}
			b[i] = 0xff
		}
		p.Put(b[:3])
	}
	// A double Put is recognised in a pool with Zero, too.
	b := p.Get()
	p.Put(b)
	p.Put(b)
	if s := p.Stats(); s.Drops.Double != 1 {
		t.Errorf("%+v", s)
	}
}

func TestFixedPoolDoesNotAllocate(t *testing.T) {
	pooltest.Reuses(t)
	p := &basin.FixedPool{Count: 3, Size: 16}
	ctx := t.Context()
	if n := pooltest.Allocs(100, func() {
		p.Put(p.Get())
		b, _ := p.GetContext(ctx)
		p.Put(b)
	}); n != 0 && !testenv.ASan {
		t.Errorf("%v allocations", n)
	}
}

func TestFixedPoolBadContexts(t *testing.T) {
	p := &basin.FixedPool{Count: 1, Size: 1}
	mustPanic(t, func() { p.GetContext(nil) }, "FixedPool.GetContext", "nil") //lint:ignore SA1012 this is the test
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := p.GetContext(ctx); b != nil || err != context.Canceled {
		t.Errorf("with a cancelled context: %v, %v", b, err)
	}
	if s := p.Stats(); s.Refused != 1 || s.Items.Idle != 1 || s.Gets != 0 {
		t.Errorf("%+v", s)
	}
}

func TestFixedPoolServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &basin.FixedPool{Count: 2, Size: 8}
		a, b := p.Get(), p.Get()
		served := make(chan int, 10)
		for i := range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			if i == 1 { // gives up after 10 s
				ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
			}
			defer cancel()
			go func() {
				b, err := p.GetContext(ctx)
				if (i == 1) != errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("waiter %d: %v", i, err)
				}
				if err == nil {
					served <- i
					time.Sleep(time.Second)
					p.Put(b)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		if s := p.Stats(); s.Waiting != 4 || s.Waited != 5 || s.Refused != 1 || s.LongestWait != time.Minute {
			t.Errorf("%+v", onlyWaits(s))
		}
		// Nobody may overtake waiting requests, even between a Put and their waking up.
		p.Put(a)
		if _, ok := p.TryGet(); ok {
			t.Error("TryGet overtook a waiter")
		}
		if c := p.Get(); unsafe.SliceData(c) == unsafe.SliceData(a) {
			t.Error("Get overtook a waiter")
		}
		time.Sleep(time.Minute)
		p.Put(b)
		for _, want := range []int{0, 2, 3, 4} {
			if got := <-served; got != want {
				t.Errorf("waiter %d was served before %d", got, want)
			}
		}
		time.Sleep(time.Minute)
		if s := p.Stats(); s.Waiting != 0 || s.Items.Idle != 2 || s.LongestWait != 63*time.Second {
			t.Errorf("%+v", s)
		}
		if b, ok := p.TryGet(); !ok || len(b) != 8 {
			t.Error("nothing to get when all is over")
		}
	})
}

// TestZeroFixedPoolClearsMisses puts a buffer that was made because all were outstanding.
func TestZeroFixedPoolClearsMisses(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	p := &basin.FixedPool{Count: 1, Size: 64}
	p.Zero = true
	a, b := p.Get(), p.Get()
	for i := range b {
		b[i] = 1
	}
	p.Put(a)
	p.Put(b)
	for i, x := range b {
		if x != 0 {
			t.Fatalf("byte %d of a buffer that is dropped is %d, want 0", i, x)
		}
	}
}

// BenchmarkFixedPool measures a Put and a Get, with the other buffers idle (beside a channel of as
// many buffers) and with all others outstanding.
func BenchmarkFixedPool(b *testing.B) {
	for _, count := range []int{8, 64, 1000} {
		b.Run(fmt.Sprintf("idle/%d", count), func(b *testing.B) {
			p := &basin.FixedPool{Count: count, Size: 64}
			for b.Loop() {
				p.Put(p.Get())
			}
		})
		b.Run(fmt.Sprintf("channel/%d", count), func(b *testing.B) {
			c := make(chan []byte, count)
			for range count {
				c <- make([]byte, 64)
			}
			for b.Loop() {
				c <- <-c
			}
		})
		b.Run(fmt.Sprintf("parallel/%d", count), func(b *testing.B) {
			p := &basin.FixedPool{Count: count, Size: 64}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					p.Put(p.Get())
				}
			})
		})
	}
	for _, count := range []int{1000, 2000, 4000, 100_000, 1_000_000} {
		p := &basin.FixedPool{Count: count, Size: 64}
		out := make([][]byte, 0, count)
		for range count {
			out = append(out, p.Get())
		}
		for _, which := range []int{0, count / 2, count - 1} {
			b.Run(fmt.Sprintf("one/%d/%d", count, which), func(b *testing.B) {
				for b.Loop() {
					p.Put(out[which])
					out[which] = p.Get()
				}
			})
		}
	}
}
