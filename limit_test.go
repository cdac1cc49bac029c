//go:build go1.25

package basin_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
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

// TestLimitFields: the first use of a Limit, or of a pool under it, panics with the name of a bad field.
func TestLimitFields(t *testing.T) {
	circle := &basin.Limit{Name: "a", Within: &basin.Limit{Name: "b"}}
	circle.Within.Within = circle
	self := &basin.Limit{}
	self.Within = self
	for _, tt := range []struct {
		limit *basin.Limit
		want  []string
	}{
		{&basin.Limit{Max: -1}, []string{"Limit.Max", "-1"}},
		{&basin.Limit{Max: math.MaxInt64}, []string{"Limit.Max", "at most"}},
		{&basin.Limit{Share: -0.1}, []string{"Limit.Share", "-0.1"}},
		{&basin.Limit{Share: 1.5}, []string{"Limit.Share", "1.5"}},
		{&basin.Limit{Share: math.NaN()}, []string{"Limit.Share", "NaN"}},
		{circle, []string{"Limit.Within", "circle"}},
		{&basin.Limit{Within: circle}, []string{"Limit.Within", "circle"}},
		{self, []string{"Limit.Within", "circle"}},
	} {
		for _, use := range []func(){
			func() { tt.limit.Acquire(t.Context(), 1) },
			func() { tt.limit.SetMax(1) },
			func() { tt.limit.Stats() },
			func() { (&basin.BytePool{Limit: tt.limit}).Get(1) },
			func() { (&basin.StdBufferPool{Limit: tt.limit}).Get() },
			func() { (&basin.FixedPool{Limit: tt.limit, Count: 1, Size: 1}).Get() },
			func() {
				(&basin.Pool[[]byte]{Limit: tt.limit, Size: func(b []byte) int { return cap(b) }}).Get()
			},
		} {
			mustPanic(t, use, tt.want...)
		}
		if err := basin.Validate(tt.limit); err == nil || !strings.Contains(err.Error(), tt.want[0]) {
			t.Errorf("Validate: %v, want %v", err, tt.want)
		}
	}
	mustPanic(t, func() { new(basin.Limit).SetMax(-1) }, "SetMax", "-1")
	mustPanic(t, func() { new(basin.Limit).Acquire(nil, 1) }, "Acquire", "nil") //lint:ignore SA1012 this is the test
	mustPanic(t, func() { (&basin.Pool[int]{Limit: new(basin.Limit)}).Get() }, "Pool.Limit", "Size")
}

// TestLimitChanged: a pool whose limits a program changes after the first use says so.
func TestLimitChanged(t *testing.T) {
	for _, first := range []int64{0, 4096} {
		for _, change := range []struct {
			field string
			set   func(*basin.BytePool)
		}{
			{"MaxInUse", func(p *basin.BytePool) { p.MaxInUse = 1 << 20 }},
			{"Limit", func(p *basin.BytePool) { p.Limit = new(basin.Limit) }},
		} {
			p := &basin.BytePool{Name: "changed", MaxInUse: first}
			p.Put(p.Get(100))
			change.set(p)
			for _, use := range []func(){
				func() { p.Get(1 << 20) },
				func() { p.GetContext(t.Context(), 2000) }, // of classes without an idle slice
				func() { p.TryGet(3000) },
				func() { p.Stats() },
			} {
				mustPanic(t, use, change.field, `"changed"`, "first use")
			}
		}
	}
}

// TestLimitShared: pools of all kinds under one Limit count towards it.
func TestLimitShared(t *testing.T) {
	pooltest.Misuses(t)
	l := &basin.Limit{Name: t.Name(), Max: 100_000}
	p := &basin.BytePool{Limit: l, MaxSize: 8192}
	q := &basin.BytePool{Limit: l, MaxInUse: 10_000}
	buffers := &basin.BufferPool{Bytes: p}
	std := &basin.StdBufferPool{Limit: l, InitialSize: 2048}
	values := &basin.Pool[[]byte]{
		Limit: l, Size: func(b []byte) int { return cap(b) }, New: func() []byte { return make([]byte, 0, 4096) },
	}
	fixed := &basin.FixedPool{Limit: l, Count: 3, Size: 1000}
	inUse := func(after string, want int) {
		t.Helper()
		if s := l.Stats(); s.Bytes.InUse != int64(want) || s.Bytes.MaxInUse != 100_000 || s.Kind != "Limit" || s.Name != t.Name() {
			t.Errorf("after %s: %d bytes in use, want %d: %v", after, s.Bytes.InUse, want, s)
		}
	}
	a := p.Get(5000)
	inUse("Get", cap(a))
	b := p.Get(20_000)
	inUse("Get above MaxSize", cap(a)+cap(b))
	c := q.Get(3000)
	sum := cap(a) + cap(b) + cap(c)
	inUse("Get from another pool", sum)
	w := buffers.Get()
	inUse("a Buffer without contents", sum)
	w.WriteString(strings.Repeat("x", 3000))
	sum += w.Cap()
	inUse("a Buffer", sum)
	d := std.Get()
	inUse("a bytes.Buffer", sum+2048)
	e := values.Get()
	inUse("a value", sum+2048+4096)
	f := fixed.Get()
	inUse("a fixed buffer", sum+2048+4096+3000)
	if _, ok := p.TryGet(70_000); ok {
		t.Error("went beyond the limit")
	}
	if _, ok := q.TryGet(8000); ok {
		t.Error("went beyond MaxInUse")
	}
	p.Put(a)
	p.Put(b)
	q.Put(c)
	buffers.Put(w)
	std.Put(d)
	values.Put(e)
	fixed.Put(f)
	inUse("all is put", 3000)
	var extras [][]byte
	for range 5 {
		extras = append(extras, fixed.Get())
	}
	inUse("two extra buffers", 5000)
	for _, b := range extras {
		fixed.Put(b)
	}
	inUse("the end", 3000)
	if s := p.Stats(); s.Refused != 1 || s.Bytes.InUse != 0 || s.Lost.Items != 0 {
		t.Errorf("%v", s)
	}
	if s := q.Stats(); s.Refused != 1 || s.Bytes.InUse != 0 {
		t.Errorf("%v", s)
	}
}

// TestLimitNested: memory under an inner limit counts towards the outer one, which serves all.
func TestLimitNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		process := &basin.Limit{Max: 10 << 10}
		a := &basin.BytePool{Limit: &basin.Limit{Max: 8 << 10, Within: process}}
		b := &basin.BytePool{Limit: &basin.Limit{Max: 8 << 10, Within: process}}
		held := a.Get(8 << 10)
		if _, ok := b.TryGet(4 << 10); ok {
			t.Error("went beyond the outer limit")
		}
		if s := b.Limit.Stats(); s.Bytes.InUse != 0 {
			t.Errorf("a refused request counts: %v", s)
		}
		served := make(chan []byte)
		go func() { served <- waitFor(t, b, 4<<10) }()
		synctest.Wait()
		if s := process.Stats(); s.Waiting != 1 || b.Stats().Waiting != 1 || a.Stats().Waiting != 0 {
			t.Errorf("%v", s)
		}
		a.Put(held)
		b.Put(<-served)
		for _, l := range []*basin.Limit{process, a.Limit, b.Limit} {
			if s := l.Stats(); s.Bytes.InUse != 0 || s.Waiting != 0 {
				t.Errorf("%v", s)
			}
		}
		if s := b.Stats(); s.Waited != 1 || s.Refused != 1 {
			t.Errorf("%v", s)
		}
	})
}

// TestLimitSetMax changes the maximum of a Limit in use.
func TestLimitSetMax(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &basin.Limit{Max: 8192}
		p := &basin.BytePool{Limit: l}
		held := p.Get(8192)
		var served, refused atomic.Int64
		for i := range 2000 {
			go func() {
				b, err := p.GetContext(t.Context(), 64+i%2*4000)
				switch {
				case errors.Is(err, basin.ErrLimit):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				default:
					served.Add(1)
					p.Put(b)
				}
			}()
		}
		synctest.Wait()
		l.SetMax(1024)
		synctest.Wait()
		if refused.Load() != 1000 || served.Load() != 0 {
			t.Errorf("%d refused and %d served, want 1000 and 0", refused.Load(), served.Load())
		}
		if s := l.Stats(); s.Bytes.MaxInUse != 1024 || s.Bytes.InUse != 8192 || s.Waiting != 1000 {
			t.Errorf("%v", s)
		}
		l.SetMax(0) // none
		synctest.Wait()
		if served.Load() != 1000 {
			t.Errorf("%d served, want 1000", served.Load())
		}
		p.Put(held)
		if s := l.Stats(); s.Bytes.InUse != 0 || s.Bytes.MaxInUse != 0 {
			t.Errorf("%v", s)
		}
	})
}

// TestLimitShare: a share of the memory limit follows it.
func TestLimitShare(t *testing.T) {
	before := debug.SetMemoryLimit(1 << 40)
	defer debug.SetMemoryLimit(before)
	l := &basin.Limit{Share: 0.25}
	p := &basin.BytePool{Limit: l}
	p.Put(p.Get(100))
	if s := l.Stats(); s.Bytes.MaxInUse != 1<<38 {
		t.Errorf("%d, want %d", s.Bytes.MaxInUse, int64(1)<<38)
	}
	debug.SetMemoryLimit(1 << 42)
	testenv.CollectUntil(func() bool { _, ok := p.TryGet(1); return ok && l.Stats().Bytes.MaxInUse == 1<<40 })
	l.SetMax(5)
	debug.SetMemoryLimit(1 << 43)
	runtime.GC()
	if s := l.Stats(); s.Bytes.MaxInUse != 5 {
		t.Errorf("SetMax does not hold: %d", s.Bytes.MaxInUse)
	}
	both := &basin.Limit{Share: 0.5, Max: 1000}
	if s := both.Stats(); s.Bytes.MaxInUse != 1000 {
		t.Errorf("of Max and Share, the lesser: %d", s.Bytes.MaxInUse)
	}
}

// TestAcquire reserves all amounts with all contexts.
func TestAcquire(t *testing.T) {
	l := &basin.Limit{Name: "door", Max: 1000}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		n    int64
		ctx  context.Context
		want error
		says string
	}{
		{-1, t.Context(), nil, "-1"},
		{math.MinInt64, t.Context(), nil, "Acquire"},
		{1001, t.Context(), basin.ErrLimit, "door"},
		{math.MaxInt64, t.Context(), basin.ErrLimit, "1000"},
		{1, done, context.Canceled, ""},
	} {
		r, err := l.Acquire(tt.ctx, tt.n)
		if r != nil || err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("Acquire(%d) = %v, %v", tt.n, r, err)
		}
		r.Release() // nil
	}
	zero, err := l.Acquire(t.Context(), 0)
	all, err2 := l.Acquire(t.Context(), 1000)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if s := l.Stats(); s.Reserved != 1000 || s.Bytes.InUse != 0 {
		t.Errorf("%v", s)
	}
	// Whoever has a reservation does not wait.
	if r, err := l.Acquire(all.Context(t.Context()), 1); r != nil || !errors.Is(err, basin.ErrLimit) {
		t.Errorf("Acquire inside a reservation: %v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if r, err := l.Acquire(ctx, 1); r != nil || err != context.DeadlineExceeded {
		t.Errorf("Acquire without room: %v", err)
	}
	all.Release()
	all.Release()
	inside, err := l.Acquire(all.Context(t.Context()), 1)
	if err != nil {
		t.Error(err)
	}
	inside.Release()
	zero.Release()
	if s := l.Stats(); s.Reserved != 0 || s.Bytes.InUse != 0 || s.Lost.Items != 0 {
		t.Errorf("%v", s)
	}
	for range 3 {
		l.Acquire(t.Context(), 1000) // and drop it
		testenv.CollectUntil(func() bool { return l.Stats().Reserved == 0 })
	}
	if s := l.Stats(); s.Lost != (basin.Amount{Items: 3, Bytes: 3000}) {
		t.Errorf("lost %v", s.Lost)
	}
}

// TestReservation draws more and less than is reserved.
func TestReservation(t *testing.T) {
	pooltest.Misuses(t)
	l := &basin.Limit{Max: 100 << 10}
	p := &basin.BytePool{Name: "lender", Limit: l, MaxSize: 32 << 10}
	figures := func(after string, inUse, reserved int64) {
		t.Helper()
		if s := l.Stats(); s.Bytes.InUse != inUse || s.Reserved != reserved {
			t.Errorf("after %s: %d in use, %d reserved, want %d and %d", after, s.Bytes.InUse, s.Reserved, inUse, reserved)
		}
	}
	r, err := l.Acquire(t.Context(), 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Pool(p)
	if r.Pool(p) != v || r.Pool(v) != v {
		t.Error("there are two views of one pool")
	}
	other, _ := l.Acquire(t.Context(), 36<<10) // no room is left
	figures("Acquire", 0, 100<<10)
	a, ok := v.TryGet(32 << 10)
	b, err := v.GetContext(t.Context(), 32<<10)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	figures("two draws", 64<<10, 36<<10)
	if _, ok := v.TryGet(1); ok {
		t.Error("the reservation is exhausted, and there is no room")
	}
	if _, err := v.GetContext(t.Context(), 1); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("a view waits: %v", err)
	}
	if _, err := v.ReadAll(strings.NewReader("x")); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("ReadAll of a view: %v", err)
	}
	other.Release()
	figures("Release of another", 64<<10, 0)
	c, ok := v.TryGet(20 << 10)
	if !ok {
		t.Error("there is room beyond the reservation")
	}
	figures("a draw beyond", 84<<10, 0)
	p.Put(a) // into the pool itself
	figures("Put into the pool", 52<<10, 12<<10)
	r.Release()
	figures("Release", 52<<10, 0)
	v.Put(b)
	v.Put(c)
	figures("all is put", 0, 0)
	if s := p.Stats(); s.Gets != 3 || s.Bytes.InUse != 0 || v.Stats().Gets != 3 || v.Stats().ID != s.ID {
		t.Errorf("%v", s)
	}
	d := v.Get(40 << 10) // above MaxSize, and after the end
	figures("Get after Release", int64(cap(d)), 0)
	v.Put(d)
	figures("the end", 0, 0)
}

// TestReservationElsewhere asks a reservation for views of pools under other limits.
func TestReservationElsewhere(t *testing.T) {
	process := &basin.Limit{Max: 100_000}
	tenant := &basin.Limit{Max: 50_000, Within: process}
	r, err := tenant.Acquire(t.Context(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for _, p := range []*basin.BytePool{{Name: "foreign"}, {Name: "foreign", MaxInUse: 1000}, {Name: "foreign", Limit: new(basin.Limit)}} {
		mustPanic(t, func() { r.Pool(p) }, `"foreign"`, "Limit")
	}
	inner := &basin.Limit{Max: 20_000, Within: tenant}
	for _, p := range []*basin.BytePool{{Limit: process}, {Limit: tenant}, {Limit: inner}, {Limit: inner, MaxInUse: 5000}, {Limit: tenant, MaxInUse: 5000}} {
		v := r.Pool(p)
		b, ok := v.TryGet(4096)
		if s := process.Stats(); !ok || s.Bytes.InUse != 4096 || s.Reserved != 10_000-4096 || tenant.Stats().Bytes.InUse != 4096 {
			t.Errorf("%v", s)
		}
		if p.MaxInUse > 0 {
			if _, ok := v.TryGet(4096); ok {
				t.Error("the MaxInUse of the pool does not hold")
			}
		}
		want := int64(0)
		if p.Limit == inner {
			want = 4096
		}
		if s := inner.Stats(); s.Bytes.InUse != want {
			t.Errorf("the inner limit: %v", s)
		}
		p.Put(b)
		if s := process.Stats(); s.Bytes.InUse != 0 || s.Reserved != 10_000 || inner.Stats().Bytes.InUse != 0 {
			t.Errorf("%v", s)
		}
	}
	var none *basin.Reservation
	p := new(basin.BytePool)
	if none.Pool(p) != p || none.Pool(nil) != basin.Default() || new(basin.Reservation).Pool(p) != p {
		t.Error("a reservation of nothing has views")
	}
	if basin.ReservationOf(t.Context()) != nil || basin.ReservationOf(r.Context(t.Context())) != r {
		t.Error("ReservationOf finds another one")
	}
}

// TestReservationInContext: GetContext draws from the reservation of its context, and does not wait.
func TestReservationInContext(t *testing.T) {
	l := &basin.Limit{Max: 8192}
	p := &basin.BytePool{Limit: l}
	r, _ := l.Acquire(t.Context(), 8192)
	ctx := r.Context(t.Context())
	b, err := p.GetContext(ctx, 8192)
	if s := l.Stats(); err != nil || s.Bytes.InUse != 8192 || s.Reserved != 0 {
		t.Errorf("%v, %v", err, s)
	}
	if _, err := p.GetContext(ctx, 1); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("waits with a reservation: %v", err)
	}
	other := &basin.BytePool{MaxInUse: 64}
	c, err := other.GetContext(ctx, 64)
	if err != nil || other.Stats().Bytes.InUse != 64 {
		t.Error(err)
	}
	if _, err := other.GetContext(ctx, 64); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("waits with a reservation: %v", err)
	}
	other.Put(c)
	p.Put(b)
	r.Release()
}

// TestReservationUsers gives a view to all that take a BytePool.
func TestReservationUsers(t *testing.T) {
	pooltest.Misuses(t)
	l := &basin.Limit{Max: 1 << 20}
	p := &basin.BytePool{Limit: l, Zero: true}
	r, _ := l.Acquire(t.Context(), 256<<10)
	v := r.Pool(p)
	text := strings.Repeat("text", 5000)
	w := v.NewBuffer()
	w.WriteString(text)
	data, err := v.ReadAll(w)
	if err != nil || string(data) != text {
		t.Error(len(data), err)
	}
	w.Free()
	w.WriteString(text)
	v.NewShared(w.Detach()).Release()
	v.NewShared(v.Append(nil, data...)).Release()
	data = v.Append(data, data...)
	data = v.AppendString(data, text)
	data = v.Grow(data, 50_000)
	if string(data) != text+text+text {
		t.Error("Append differs")
	}
	v.Put(data)
	sized := v.Sized(1000)
	sized.Put(sized.Get())
	v.Forget(v.Get(100))
	v.Put(v.GetZeroed(100))
	v.Put(v.Get(10)[:0])
	if st := l.Stats(); st.Bytes.InUse != 0 || st.Reserved != 256<<10 || st.Beyond != 0 {
		t.Errorf("%v", st)
	}
	v.Get(5000) // lost
	testenv.CollectUntil(func() bool { return p.Stats().Lost.Items == 1 })
	testenv.CollectUntil(func() bool { return l.Stats().Reserved == 256<<10 })
	v.Trim()
	if st := v.Stats(); st.Items.Idle != 0 {
		t.Errorf("%v", st)
	}
	r.Release()
	if st := l.Stats(); st.Bytes.InUse != 0 || st.Reserved != 0 {
		t.Errorf("%v", st)
	}
}

// TestLimitOfDeadPool: memory of a pool that is garbage leaves the Limit when it is garbage, too.
func TestLimitOfDeadPool(t *testing.T) {
	l := &basin.Limit{Max: 1 << 20}
	held := func() [][]byte {
		p := &basin.BytePool{Limit: l, MaxSize: 4096}
		p.Put(p.Get(100))
		r, _ := l.Acquire(t.Context(), 1000)
		defer r.Release()
		(&basin.FixedPool{Limit: l, Count: 2, Size: 100}).Get()
		return [][]byte{p.Get(1000), p.Get(8192), r.Pool(p).Get(2048)}
	}()
	testenv.CollectUntil(func() bool { return l.Stats().Bytes.InUse == 1024+8192+2048 })
	runtime.KeepAlive(held)
	held = nil
	testenv.CollectUntil(func() bool { return l.Stats().Bytes.InUse == 0 })
}

// TestLimitUploads sends 200 requests at once through each bounded form. All are served if they wait at the door;
// otherwise each is served or refused by name. At no sample is more in use than the limit.
func TestLimitUploads(t *testing.T) {
	pooltest.Misuses(t)
	const size, limit = 200_000, 4 << 20
	body := bytes.Repeat([]byte("upload! "), size/8)
	ways := []struct {
		name string
		read func(p *basin.BytePool) error
	}{
		{"ReadAll", func(p *basin.BytePool) error {
			data, err := p.ReadAll(struct{ io.Reader }{bytes.NewReader(body)})
			if err == nil && !bytes.Equal(data, body) {
				t.Error("the data differ")
			}
			p.Put(data)
			return err
		}},
		{"ReadAllSize", func(p *basin.BytePool) error {
			data, err := p.ReadAllSize(struct{ io.Reader }{bytes.NewReader(body)}, size)
			if err == nil && !bytes.Equal(data, body) {
				t.Error("the data differ")
			}
			p.Put(data)
			return err
		}},
		{"Buffer", func(p *basin.BytePool) error {
			b := p.NewBuffer()
			defer b.Free()
			_, err := b.ReadFrom(bytes.NewReader(body))
			if err == nil && !bytes.Equal(b.Bytes(), body) {
				t.Error("the data differ")
			}
			return err
		}},
	}
	for _, way := range ways {
		for _, door := range []bool{false, true} {
			l := &basin.Limit{Max: limit}
			p := &basin.BytePool{Limit: l}
			var all, watcher sync.WaitGroup
			var served, refused atomic.Int64
			var done atomic.Bool
			watcher.Go(func() {
				for !done.Load() {
					if s := l.Stats(); s.Bytes.InUse+s.Reserved > limit || s.Bytes.InUse < 0 {
						t.Errorf("%s: %v", way.name, s)
						return
					}
				}
			})
			for range 200 {
				all.Go(func() {
					from := p
					if door {
						r, err := l.Acquire(t.Context(), 4*size)
						if err != nil {
							t.Error(err)
							return
						}
						defer r.Release()
						from = r.Pool(p)
					}
					switch err := way.read(from); {
					case err == nil:
						served.Add(1)
					case errors.Is(err, basin.ErrLimit):
						refused.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			all.Wait()
			done.Store(true)
			watcher.Wait()
			if served.Load()+refused.Load() != 200 || door && refused.Load() > 0 {
				t.Errorf("%s, waiting at the door %t: %d served, %d refused", way.name, door, served.Load(), refused.Load())
			}
			if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 || s.Beyond != 0 {
				t.Errorf("%s: %v", way.name, s)
			}
		}
	}
}

// TestLimitHostile does everything at once: sizes in hostile order, cancellations, leaks, panics, Goexit, SetMax
// while others wait. In the end, nothing is lost.
func TestLimitHostile(t *testing.T) {
	pooltest.Misuses(t)
	const limit = 1 << 20
	process := &basin.Limit{Max: 2 * limit}
	l := &basin.Limit{Max: limit, Within: process}
	p := &basin.BytePool{Limit: l, MaxSize: 64 << 10}
	q := &basin.BytePool{Limit: process, MaxInUse: limit / 2}
	var all, changer sync.WaitGroup
	var done atomic.Bool
	for g := range uint64(16) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 3))
			for range 400 {
				pool := [2]*basin.BytePool{p, q}[r.IntN(2)]
				n := 1 << r.IntN(18)
				ctx, cancel := context.WithCancel(context.Background())
				exited := make(chan struct{})
				go func() {
					defer close(exited)
					defer func() { recover() }()
					if r.IntN(2) == 0 {
						res, err := process.Acquire(ctx, int64(n))
						if err != nil {
							return
						}
						defer res.Release()
						pool = res.Pool(pool)
					}
					b, err := pool.GetContext(ctx, n)
					if err != nil {
						return
					}
					defer pool.Put(b)
					switch r.IntN(8) {
					case 0:
						panic("by intention")
					case 1:
						runtime.Goexit()
					case 2:
						pool.Get(n / 2) // leaks
					case 3:
						c := pool.Append(pool.Get(n), make([]byte, n)...)
						pool.Put(c)
					case 4:
						c, _ := pool.TryGet(n)
						pool.Forget(c)
					}
				}()
				if n%3 == 0 {
					cancel()
				}
				<-exited
				cancel()
			}
		})
	}
	changer.Go(func() {
		for i := int64(1); !done.Load(); i++ {
			l.SetMax(limit/4 + i%4*limit/4)
			runtime.Gosched()
		}
	})
	all.Wait()
	done.Store(true)
	changer.Wait()
	testenv.CollectUntil(func() bool {
		s := process.Stats()
		return s.Bytes.InUse == 0 && s.Reserved == 0 && l.Stats().Bytes.InUse == 0 && p.Stats().Bytes.InUse == 0 && q.Stats().Bytes.InUse == 0
	})
	if s := process.Stats(); s.Waiting != 0 {
		t.Errorf("%v", s)
	}
}
