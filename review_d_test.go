//go:build go1.25

package basin

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin/basincheck"
)

// Two first uses at once are no data race.
func TestReviewFirstUseRace(t *testing.T) {
	for range 2000 {
		l := &Limit{Max: 1 << 20}
		p := &BytePool{Limit: l}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { p.Put(p.Get(100)) })
		}
		wg.Wait()
	}
}

// A nil Reservation reserves nothing: whoever has one may wait.
func TestReviewNilReservationContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Limit{Max: 1 << 20}
		var none *Reservation
		for _, ctx := range []context.Context{none.Context(t.Context()), func() context.Context {
			r, _ := l.Acquire(t.Context(), 10)
			r.Release()
			return r.Context(t.Context())
		}()} {
			r, err := l.Acquire(t.Context(), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			go func() { time.Sleep(time.Second); r.Release() }()
			r2, err := l.Acquire(ctx, 4096)
			if err != nil {
				t.Errorf("refused, though it holds nothing: %v", err)
				time.Sleep(2 * time.Second)
			}
			r2.Release()
		}
	})
}

// A request that waits for the inner limit fails when the outer one is lowered below it.
func TestReviewSetMaxOfOuter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := &Limit{Max: 10 << 20}
		inner := &Limit{Max: 4 << 20, Within: outer}
		r, _ := inner.Acquire(t.Context(), 4<<20)
		done := make(chan error, 1)
		go func() {
			_, err := inner.Acquire(context.Background(), 3<<20)
			done <- err
		}()
		synctest.Wait()
		outer.SetMax(2 << 20)
		synctest.Wait()
		select {
		case err := <-done:
			if !errors.Is(err, ErrLimit) {
				t.Error(err)
			}
		default:
			t.Error("waits for more than the new maximum")
		}
		r.Release()
		synctest.Wait()
	})
}

// Another pool's tenth: a chain of ten.
func TestReviewChain(t *testing.T) {
	var ls []*Limit
	var within *Limit
	for i := range 10 {
		within = &Limit{Max: int64(20-i) << 20, Within: within}
		ls = append(ls, within)
	}
	p := &BytePool{Limit: within}
	r, err := ls[4].Acquire(t.Context(), 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Pool(p)
	b := v.Get(4 << 20)
	c := v.Get(6 << 20)
	d, ok := v.TryGet(4 << 20)
	t.Log(ok, len(d))
	for i, l := range ls {
		t.Log(i, l.Stats().Bytes.InUse, l.Stats().Reserved)
	}
	r.Release()
	p.Put(b)
	v.Put(c)
	v.Put(d)
	for i, l := range ls {
		if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 {
			t.Errorf("%d: %d %d", i, s.Bytes.InUse, s.Reserved)
		}
	}
}

// SetMax by the program holds, whatever a collection does at that moment.
func TestReviewFollow(t *testing.T) {
	l := &Limit{Share: 0.5}
	l.SetMax(1000)
	for range 5 {
		runtime.GC()
	}
	if got := l.Stats().Bytes.MaxInUse; got != 1000 {
		t.Error(got)
	}
}

// Samples: used and reserved never exceed Max where nothing goes beyond, and counters never go back.
func TestReviewSamples(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	l := &Limit{Max: 4 << 20}
	p := &BytePool{Limit: l}
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for !stop.Load() {
				if i%2 == 0 {
					if b, err := p.GetContext(t.Context(), 1000<<(i%5)); err == nil {
						p.Put(b)
					}
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				if r, err := l.Acquire(ctx, 1<<20); err == nil {
					b, _ := r.Pool(p).TryGet(1 << 19)
					r.Release()
					p.Put(b)
				}
				cancel()
			}
		})
	}
	var last Stats
	bad := 0
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		s := l.Stats()
		if s.Bytes.InUse+s.Reserved > s.Bytes.MaxInUse || s.Bytes.InUse < 0 || s.Reserved < 0 {
			if bad++; bad < 5 {
				t.Errorf("used %d reserved %d of %d", s.Bytes.InUse, s.Reserved, s.Bytes.MaxInUse)
			}
		}
		if s.Waits.Waited < last.Waits.Waited || s.Waits.Refused < last.Waits.Refused || s.PeakInUse.Bytes < last.PeakInUse.Bytes {
			t.Errorf("back: %+v %+v", last.Waits, s.Waits)
		}
		last = s
	}
	stop.Store(true)
	wg.Wait()
	if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 {
		t.Errorf("%d %d", s.Bytes.InUse, s.Reserved)
	}
}

// Values whose Size lies.
func TestReviewLyingSize(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MinInt, -1} {
		l := &Limit{Max: 1 << 20}
		b := &BytePool{Limit: l}
		held := b.Get(1 << 19)
		p := &Pool[*int]{Limit: l, New: func() *int { return new(int) }, Size: func(*int) int { return n }}
		var xs []*int
		for range 3 {
			xs = append(xs, p.Get())
		}
		for _, x := range xs {
			p.Put(x)
		}
		if got := l.Stats().Bytes.InUse; got < 1<<19 || got > 1<<19 {
			t.Errorf("Size %d: %d in use, want %d", n, got, 1<<19)
		}
		b.Put(held)
	}
}

// A view tells checks what its pool would: a pool that forgets gets no guarded memory.
func TestReviewForgetThroughView(t *testing.T) {
	l := &Limit{}
	p := &BytePool{Name: "forgets", Limit: l}
	r, _ := l.Acquire(t.Context(), 1<<20)
	v := r.Pool(p)
	v.Forget(v.Get(100))
	if !p.owner(p.Name).Forgets.Load() {
		t.Error("the pool does not know that its users forget")
	}
	r.Release()
}

// Checks come and go while reservations have slices.
func TestReviewChecksWithViews(t *testing.T) {
	defer basincheck.Set(basincheck.Settings{})
	var found []string
	handler := func(r *basincheck.Report) { found = append(found, r.Error()) }
	set := []basincheck.Settings{{}, {Level: basincheck.Full, Handler: handler}, {Level: basincheck.Full, Guard: true, Handler: handler}, {Level: basincheck.Sampled, Every: 1, Handler: handler}, {Level: basincheck.Sampled, Every: 1, Guard: true, Handler: handler}}
	for i, first := range set {
		for j, second := range set {
			basincheck.Set(first)
			l := &Limit{Max: 64 << 20}
			p := &BytePool{Name: "p", Limit: l, MaxSize: 1 << 20}
			r, _ := l.Acquire(t.Context(), 4<<20)
			v := r.Pool(p)
			var bs [][]byte
			for _, n := range []int{1, 100, 5000, 70_000, 2 << 20} {
				bs = append(bs, v.Get(n), p.Get(n))
			}
			w := v.NewBuffer()
			w.Write(make([]byte, 3000))
			s := v.NewShared(v.Get(100))
			basincheck.Set(second)
			r.Release()
			for k, b := range bs {
				if k%4 < 2 {
					p.Put(b)
				} else {
					v.Put(b)
				}
			}
			w.Free()
			s.Release()
			if st := l.Stats(); st.Bytes.InUse != 0 || st.Reserved != 0 {
				t.Errorf("%d to %d: in use %d reserved %d", i, j, st.Bytes.InUse, st.Reserved)
			}
			if st := p.Stats(); st.Bytes.InUse != 0 || st.Items.InUse != 0 {
				t.Errorf("%d to %d: pool in use %+v %+v", i, j, st.Bytes, st.Items)
			}
			if len(found) > 0 {
				t.Errorf("%d to %d: %v", i, j, found)
				found = nil
			}
		}
	}
}
