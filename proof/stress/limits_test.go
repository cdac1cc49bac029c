//go:build go1.25

package stress_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A flow is an amount that comes and goes. It tells how much there may have been at a moment between two others.
type flow struct{ now, came atomic.Int64 }

func (f *flow) add(n int64) {
	f.came.Add(n)
	f.now.Add(n)
}

func (f *flow) remove(n int64) { f.now.Add(-n) }

// A since is a moment.
type since struct{ now, came int64 }

// mark returns the present moment. Its came is read first: all that it misses is in now or comes later.
func (f *flow) mark() since {
	came := f.came.Load()
	return since{f.now.Load(), came}
}

// most returns an amount that the flow has not exceeded since then.
func (f *flow) most(then since) int64 { return then.now + f.came.Load() - then.came }

// A tenancy is a process with two tenants, each with a Limit, pools and users that behave badly.
type tenancy struct {
	t       *testing.T
	process *basin.Limit
	tenants [2]*basin.Limit
	pools   []*basin.BytePool
	std     *basin.StdBufferPool
	values  *basin.Pool[*[]byte]
	fixed   *basin.FixedPool
	buffers *basin.BufferPool

	forced flow         // bytes that may be beyond the limits, of calls that neither wait nor fail
	stamps atomic.Int64 // of slices

	leaked       atomic.Int64 // slices that were never put
	dropped      atomic.Int64 // reservations that were never released
	refused      atomic.Int64
	served, ends atomic.Int64
}

const (
	processMax = 512 << 10
	tenantMax  = 384 << 10
	valueMost  = 16 << 10 // most bytes of a value or a bytes.Buffer
	block      = 4000     // of the FixedPool, which counts towards the process as long as the pool lives
)

func newTenancy(t *testing.T) *tenancy {
	w := &tenancy{t: t, process: &basin.Limit{Name: t.Name(), Max: processMax}}
	for i := range w.tenants {
		w.tenants[i] = &basin.Limit{Max: tenantMax, Within: w.process}
	}
	w.pools = []*basin.BytePool{
		{Limit: w.tenants[0], MaxSize: 32 << 10},
		{Limit: w.tenants[1], MaxSize: 64 << 10, Zero: true},
		{Limit: w.tenants[1], MaxInUse: tenantMax / 2, MaxIdle: basin.KeepNone},
		{Limit: w.process, MaxSize: 8 << 10},
	}
	w.std = &basin.StdBufferPool{Limit: w.process}
	w.values = &basin.Pool[*[]byte]{
		Limit: w.tenants[0], New: func() *[]byte { return new([]byte) }, Size: func(b *[]byte) int { return cap(*b) },
		Reset: func(b *[]byte) *[]byte { *b = (*b)[:0]; return b },
	}
	w.fixed = &basin.FixedPool{Limit: w.process, Count: block / 1000, Size: 1000}
	w.forced.add(block)
	w.fixed.Put(w.fixed.Get())
	w.buffers = &basin.BufferPool{Bytes: w.pools[1]}
	return w
}

// hold uses b, whose whole array has one user, and returns it.
func (w *tenancy) hold(r *rand.Rand, b []byte) []byte {
	stamp := uint64(w.stamps.Add(1))
	a := b[:cap(b)]
	for i := range stamps(len(a)) {
		binary.NativeEndian.PutUint64(a[i:], stamp^uint64(i))
	}
	if r.IntN(2) == 0 {
		runtime.Gosched()
	}
	for i := range stamps(len(a)) {
		if binary.NativeEndian.Uint64(a[i:]) != stamp^uint64(i) {
			w.t.Errorf("a slice of %d bytes has two users", len(a))
			break
		}
	}
	w.served.Add(1)
	return b
}

// fails reports whether err is an error of a limit or of a context; others are faults.
func (w *tenancy) fails(err error) bool {
	if err == nil {
		return false
	}
	w.refused.Add(1)
	if !errors.Is(err, basin.ErrLimit) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		w.t.Errorf("an error of something else: %v", err)
	}
	return true
}

// patience returns a context that ends at any time, or after long.
func patience(r *rand.Rand) (context.Context, context.CancelFunc) {
	d := time.Minute
	switch r.IntN(3) {
	case 0:
		d = time.Duration(r.IntN(2000)) * time.Microsecond
	case 1:
		d = 20 * time.Millisecond
	}
	return context.WithTimeout(context.Background(), d)
}

// request is one request of a tenant. It may panic or end its goroutine.
func (w *tenancy) request(r *rand.Rand) {
	p := w.pools[r.IntN(len(w.pools))]
	n := 8 + r.IntN(8<<r.IntN(14))
	ctx, cancel := patience(r)
	defer cancel()
	switch r.IntN(9) {
	case 0, 1:
		b, err := p.GetContext(ctx, n)
		if !w.fails(err) {
			w.end(r, p, w.hold(r, b))
		}
	case 2:
		if b, ok := p.TryGet(n); ok {
			w.end(r, p, w.hold(r, b))
		} else {
			w.refused.Add(1)
		}
	case 3: // goes beyond, and grows there
		most := int64(64 << 10)
		n = 8 + n%4000
		w.forced.add(most)
		b := p.Append(w.hold(r, p.Get(n)), make([]byte, n)...)
		p.Put(w.hold(r, b))
		w.forced.remove(most)
	case 4, 5:
		w.reserve(r, ctx, int64(n)*2)
	case 6: // growth that no pool sees
		w.forced.add(2 * valueMost)
		b, v := w.std.Get(), w.values.Get()
		b.Write(make([]byte, n%(valueMost/4)))
		*v = append(*v, make([]byte, n%(valueMost/4))...)
		runtime.Gosched()
		w.values.Put(v)
		w.std.Put(b)
		w.forced.remove(2 * valueMost)
	case 7:
		w.forced.add(1064) // if there is no buffer, one is made
		if b, err := w.fixed.GetContext(ctx); !w.fails(err) {
			w.fixed.Put(w.hold(r, b))
		}
		w.forced.remove(1064)
	default:
		b := w.buffers.Get()
		src := text(r, n)
		m, err := b.ReadFrom(&piecewise{src, r})
		if w.fails(err); err == nil && int(m) != len(src) || !bytes.Equal(b.Bytes(), src[:m]) {
			w.t.Errorf("a Buffer has %d bytes of %d", b.Len(), len(src))
		}
		w.buffers.Put(b)
	}
}

// reserve is a request that waits at the door, and then draws from its reservation.
func (w *tenancy) reserve(r *rand.Rand, ctx context.Context, n int64) {
	limit := [3]*basin.Limit{w.process, w.tenants[0], w.tenants[1]}[r.IntN(3)]
	of := map[*basin.Limit][]int{w.process: {0, 1, 2, 3}, w.tenants[0]: {0, 3}, w.tenants[1]: {1, 2, 3}}[limit]
	res, err := limit.Acquire(ctx, n)
	if w.fails(err) {
		return
	}
	drop := r.IntN(16) == 0
	if drop {
		w.dropped.Add(1)
	} else {
		defer res.Release()
		if r.IntN(4) == 0 {
			defer res.Release() // twice
		}
	}
	if _, err := limit.Acquire(res.Context(ctx), processMax/2); err == nil {
		w.dropped.Add(1) // without a wait
	} else if !errors.Is(err, basin.ErrLimit) && ctx.Err() == nil {
		w.t.Errorf("a holder waits: %v", err)
	}
	v := res.Pool(w.pools[of[r.IntN(len(of))]])
	for range 1 + r.IntN(3) {
		switch r.IntN(6) {
		case 0:
			if b, ok := v.TryGet(1 + r.IntN(int(n))); ok {
				w.end(r, v, w.hold(r, b))
			}
		case 1:
			src := text(r, int(n))
			if b, err := v.ReadAll(&piecewise{src, r}); !w.fails(err) {
				if !bytes.Equal(b, src) {
					w.t.Errorf("ReadAll: %d bytes of %d", len(b), len(src))
				}
				v.Put(b)
			}
		case 2:
			b := v.NewBuffer()
			if _, err := b.Write(text(r, int(n))); !w.fails(err) && !same(b.Bytes()) {
				w.t.Error("a Buffer has two users")
			}
			b.Free()
		case 3: // goes beyond the reservation, and the limit
			w.forced.add(2*n + 64)
			b := w.hold(r, v.Get(int(n)))
			if !drop && r.IntN(2) == 0 {
				res.Release() // before the Put
			}
			v.Put(b)
			w.forced.remove(2*n + 64)
		case 4:
			if b, err := v.GetContext(ctx, int(n)); !w.fails(err) {
				s := v.NewShared(b)
				s.Retain()
				s.Release()
				io.Copy(io.Discard, bytes.NewReader(s.Bytes()))
				s.Release()
			}
		default:
			if b, err := v.ReadAll(&piecewise{text(r, int(n)), r}); !w.fails(err) {
				v.Put(b)
			}
		}
	}
}

// end puts b, or leaks it, or fails before. A deferred Put is as good as any.
func (w *tenancy) end(r *rand.Rand, p *basin.BytePool, b []byte) {
	how := r.IntN(24)
	if basincheck.Now().Guard { // nobody notices that guarded memory is lost
		how = max(how, 4)
	}
	switch how {
	case 0:
		w.leaked.Add(1)
	case 1:
		defer p.Put(b)
		w.ends.Add(1)
		panic(errByIntention)
	case 2:
		defer p.Put(b)
		w.ends.Add(1)
		runtime.Goexit()
	case 3:
		w.leaked.Add(1)
		panic(errByIntention)
	case 4:
		p.Forget(b)
	case 5:
		p.Put(b[:0])
	default:
		p.Put(b)
	}
}

var errByIntention = errors.New("a panic by intention")

// sample asserts that each limit holds at this moment: used plus reserved is at most its maximum plus the bytes that
// may be beyond.
func (w *tenancy) sample() {
	for i, l := range []*basin.Limit{w.process, w.tenants[0], w.tenants[1]} {
		most := int64(processMax)
		if i > 0 {
			most = tenantMax
		}
		then := w.forced.mark()
		s := l.Stats()
		if taken := s.Bytes.InUse + s.Reserved; taken > most+w.forced.most(then) || s.Bytes.InUse < 0 || s.Reserved < 0 {
			w.t.Errorf("limit %d: %d in use and %d reserved, of %d and %d beyond", i, s.Bytes.InUse, s.Reserved, most, w.forced.most(then))
		}
	}
}

// TestStressLimits has tenants within a process. Their requests wait, are refused, go beyond, reserve, draw from
// reservations, leak, panic and end their goroutines, while the maxima change. No memory has two users, each limit
// holds at every sample, and in the end nothing is lost and nobody waits.
func TestStressLimits(t *testing.T) {
	pooltest.Misuses(t)
	w := newTenancy(t)
	rounds, users := 150, 48
	switch {
	case pooltest.Long() && !testenv.Race:
		rounds = 5000
	case testenv.Race || testing.Short():
		rounds = 40
	}
	seed := testenv.Uint64(t, "BASIN_TEST_SEED", 1)
	var stop atomic.Bool
	var disturbers sync.WaitGroup
	disturb := func(f func(r *rand.Rand)) {
		disturbers.Go(func() {
			for r := rand.New(rand.NewPCG(seed, 5)); !stop.Load(); time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond) {
				f(r)
			}
		})
	}
	disturb(func(*rand.Rand) { runtime.GC() })
	disturb(func(*rand.Rand) { w.sample() })
	disturb(func(r *rand.Rand) { w.pools[r.IntN(len(w.pools))].Trim() })
	disturb(func(r *rand.Rand) { // never above the maxima that sample knows
		w.tenants[r.IntN(2)].SetMax(tenantMax >> r.IntN(4))
		w.process.SetMax(processMax >> r.IntN(2))
	})
	crowd(users, func(r *rand.Rand) {
		for range rounds {
			if t.Failed() {
				return
			}
			var one sync.WaitGroup
			one.Add(1)
			go func() {
				defer one.Done()
				defer func() {
					if x := recover(); x != nil && x != errByIntention {
						panic(x)
					}
				}()
				w.request(r)
			}()
			one.Wait()
		}
	})
	stop.Store(true)
	disturbers.Wait()
	w.settle()
	t.Logf("%d served, %d refused, %d leaked, %d reservations dropped, %d panics and exits, %v", w.served.Load(), w.refused.Load(), w.leaked.Load(), w.dropped.Load(), w.ends.Load(), w.process.Stats())
}

// settle asserts that nothing is lost.
func (w *tenancy) settle() {
	limits := []*basin.Limit{w.process, w.tenants[0], w.tenants[1]}
	w.process.SetMax(processMax)
	for _, l := range w.tenants {
		l.SetMax(tenantMax)
	}
	reserved := func() (n int64) {
		for _, l := range limits {
			n += l.Stats().Reserved
		}
		return n
	}
	for i := 0; i < 4 || i < 40 && reserved() > 0; i++ { // one after the other: a reservation outlives its slices
		testenv.RunCleanups()
	}
	var lost, dropped int64
	for i, l := range limits {
		s := l.Stats()
		want := int64(0)
		if l == w.process {
			want = block
		}
		if s.Bytes.InUse != want || s.Reserved != 0 || s.Waiting != 0 {
			w.t.Errorf("limit %d at the end: %d in use, want %d; %d reserved, %d waiting", i, s.Bytes.InUse, want, s.Reserved, s.Waiting)
		}
		dropped += s.Lost.Items
	}
	for i, p := range w.pools {
		s := p.Stats()
		if s.Bytes.InUse != 0 || s.Waiting != 0 || s.Drops.Foreign+s.Drops.Double+s.Drops.Misaligned != 0 {
			w.t.Errorf("pool %d at the end: %v", i, s)
		}
		lost += s.Lost.Items
	}
	if lost != w.leaked.Load() || dropped != w.dropped.Load() {
		w.t.Errorf("%d slices and %d reservations lost, want %d and %d", lost, dropped, w.leaked.Load(), w.dropped.Load())
	}
	if w.t.Failed() {
		return
	}
	res, err := w.process.Acquire(w.t.Context(), processMax-block)
	if err != nil {
		w.t.Errorf("no room at the end: %v", err)
	}
	res.Release()
	runtime.KeepAlive(w)
}

// TestStressValuesUnderLimit: values that grow where no pool sees it come and go at once, so that nearly nothing is in
// use now and then. In the end nothing is. The inner limit has no room, so each request is held up between the two.
func TestStressValuesUnderLimit(t *testing.T) {
	process := new(basin.Limit)
	l := &basin.Limit{Max: 1, Within: process}
	std := &basin.StdBufferPool{Limit: l, MaxIdle: basin.KeepNone}
	values := &basin.Pool[*[]byte]{
		Limit: l, Make: func(n int) *[]byte { b := make([]byte, 0, n); return &b }, Size: func(b *[]byte) int { return cap(*b) },
		Used: func(b *[]byte) int { return len(*b) }, Reset: func(b *[]byte) *[]byte { *b = (*b)[:0]; return b },
	}
	crowd(4, func(r *rand.Rand) {
		for range stressSteps() / 2 {
			if r.IntN(2) == 0 {
				b := std.Get()
				b.Write(make([]byte, r.IntN(3000)))
				std.Put(b)
			} else {
				v := values.Get()
				*v = append(*v, make([]byte, r.IntN(3000))...)
				values.Put(v)
			}
		}
	})
	for _, l := range []*basin.Limit{l, process} {
		if s := l.Stats(); s.Bytes.InUse != 0 {
			t.Errorf("%d bytes are in use after everything was put back", s.Bytes.InUse)
		}
	}
}

// TestLimitLosses: slices that are lost leave their room to whom it is from, a limit or a reservation.
func TestLimitLosses(t *testing.T) {
	if basincheck.Now().Guard {
		t.Skip("nobody notices that guarded memory is lost")
	}
	pooltest.Misuses(t)
	process := new(basin.Limit)
	l := &basin.Limit{Max: 1 << 20, Within: process}
	p := &basin.BytePool{Limit: l, MaxSize: 8 << 10}
	r, err := l.Acquire(t.Context(), 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	lose := func(p *basin.BytePool) {
		for _, n := range []int{100, 5000, 10_000} { // the last one is larger than MaxSize
			p.Put(p.Get(n))
			p.Get(n)
			if _, ok := p.TryGet(n); !ok {
				t.Errorf("no room for %d bytes", n)
			}
		}
	}
	lose(p)
	lose(r.Pool(p))
	for range 4 {
		testenv.RunCleanups()
	}
	for _, l := range []*basin.Limit{l, process} {
		if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 64<<10 {
			t.Errorf("%d bytes in use and %d reserved, want 0 and %d", s.Bytes.InUse, s.Reserved, 64<<10)
		}
	}
	if s := p.Stats(); s.Lost.Items != 12 {
		t.Errorf("%d slices lost, want 12", s.Lost.Items)
	}
	r.Release()
	if s := process.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 {
		t.Errorf("%d bytes in use and %d reserved at the end", s.Bytes.InUse, s.Reserved)
	}
	runtime.KeepAlive(p)
}

// TestViewIsOfItsClass: a request of a view is never served with an idle slice of a larger class, which would take more
// room than it is charged for.
func TestViewIsOfItsClass(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	l := new(basin.Limit)
	p := &basin.BytePool{Limit: l}
	r, _ := l.Acquire(t.Context(), 0)
	v := r.Pool(p)
	for n := 64; n < 64<<10; n = n*9/8 + 1 {
		want := v.Get(n)
		larger := v.Get(cap(want) + 1)
		p.Put(larger)
		b := v.Get(n)
		if cap(b) != cap(want) || l.Stats().Bytes.InUse != int64(2*cap(b)) {
			t.Errorf("a request for %d bytes has a capacity of %d, want %d; %d bytes in use", n, cap(b), cap(want), l.Stats().Bytes.InUse)
		}
		p.Put(b)
		p.Put(want)
		p.Trim()
	}
}
