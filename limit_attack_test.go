//go:build go1.25

package basin_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/testenv"
)

// An impossible Get, recovered from, must not make the limit forget the memory of others.
func TestLimitAttackImpossibleGetForgetsAll(t *testing.T) {
	unchecked(t)
	sizes := []int64{math.MaxInt, math.MaxInt - 4096, 1 << 62, 1<<61 + 5, 1 << 60}
	if strconv.IntSize == 32 {
		sizes = sizes[:1] // the second is half of the address space
	}
	for _, size := range sizes {
		n := int(size)
		l := &basin.Limit{Max: 8 << 20}
		p := &basin.BytePool{Limit: l}
		held := p.Get(4 << 20)
		if recovered(func() { p.Get(n) }) == nil {
			t.Errorf("Get(%d) did not panic", n)
		}
		if got := l.Stats().Bytes.InUse; got != 4<<20 {
			t.Errorf("Get(%d): %d bytes in use, want %d", n, got, 4<<20)
		}
		if b, ok := p.TryGet(8 << 20); ok {
			t.Errorf("Get(%d): 12 MiB in use under 8 MiB", n)
			p.Put(b)
		}
		p.Put(held)
		if got := l.Stats().Bytes.InUse; got != 0 {
			t.Errorf("Get(%d): %d bytes in use at the end", n, got)
		}
		if _, ok := p.TryGet(1 << 20); !ok {
			t.Errorf("Get(%d): the limit is stuck", n)
		}
	}
}

// The same through a Buffer and a view.
func TestLimitAttackImpossibleGrow(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 8 << 20}
	p := &basin.BytePool{Limit: l}
	held := p.Get(4 << 20)
	b := p.NewBuffer()
	recovered(func() { b.Grow(math.MaxInt - 10) })
	if got := l.Stats().Bytes.InUse; got != 4<<20 {
		t.Errorf("%d bytes in use, want %d", got, 4<<20)
	}
	p.Put(held)
}

func TestLimitAttackViewHuge(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 8 << 20}
	p := &basin.BytePool{Limit: l}
	r, err := l.Acquire(context.Background(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Pool(p)
	b := v.Get(100)
	if x := recovered(func() {
		if _, ok := v.TryGet(math.MaxInt); ok {
			t.Error("ok")
		}
	}); x != nil {
		t.Errorf("TryGet of a view panics: %v", x)
	}
	if x := recovered(func() {
		data, err := v.ReadAllSize(strings.NewReader("x"), math.MaxInt64)
		if err != nil {
			t.Error(err)
		}
		v.Put(data)
	}); x != nil {
		t.Errorf("ReadAllSize of a view panics: %v", x)
	}
	v.Put(b)
	r.Release()
	if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
}

type panicky struct {
	context.Context
	errs   int
	done   int
	onErr  int
	onDone int
}

func (p *panicky) Err() error {
	p.errs++
	if p.errs == p.onErr {
		panic("Err")
	}
	return p.Context.Err()
}
func (p *panicky) Done() <-chan struct{} {
	p.done++
	if p.done == p.onDone {
		panic("Done")
	}
	return p.Context.Done()
}

func TestLimitAttackPanickyContextPool(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 1 << 20}
	p := &basin.BytePool{Limit: l}
	held := p.Get(1 << 20)
	recovered(func() { p.GetContext(&panicky{Context: context.Background(), onDone: 1}, 4096) })
	if w := p.Stats().Waiting; w != 0 {
		t.Errorf("%d wait in the pool for ever", w)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	recovered(func() { p.GetContext(&panicky{Context: ctx, onErr: 2}, 4096) })
	if w := p.Stats().Waiting; w != 0 {
		t.Errorf("%d wait in the pool for ever", w)
	}
	p.Put(held)
}

func TestLimitAttackPanickyContextNested(t *testing.T) {
	unchecked(t)
	outer := &basin.Limit{Max: 1 << 20}
	inner := &basin.Limit{Max: 1 << 20, Within: outer}
	r, err := outer.Acquire(context.Background(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	recovered(func() { inner.Acquire(&panicky{Context: context.Background(), onDone: 1}, 4096) })
	if got := inner.Stats().Bytes.InUse; got != 0 {
		t.Errorf("%d bytes in use of a request that panicked", got)
	}
	r.Release()
}

// A tally gives back all that it has taken.
func TestLimitAttackTallyRace(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{}
	var mu sync.Mutex
	next := 0
	p := &basin.Pool[[]byte]{Limit: l, New: func() []byte {
		mu.Lock()
		defer mu.Unlock()
		next++
		b := make([]byte, 64+(next%7)*(next%7)*40000)
		return b
	}, Size: func(b []byte) int { return cap(b) }}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20000 {
				p.Put(p.Get())
			}
		})
	}
	wg.Wait()
	if s, in := l.Stats(), p.Stats().Bytes.InUse; s.Bytes.InUse != in || in != 0 {
		t.Errorf("limit has %d in use, pool %d, want 0", s.Bytes.InUse, in)
	}
}

func TestLimitAttackStdChecked(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{}
	p := &basin.StdBufferPool{Limit: l, InitialSize: 4096}
	p.Put(p.Get())
	basincheck.Set(basincheck.Settings{Level: basincheck.Full})
	basincheck.Set(basincheck.Settings{})
	for range 3 {
		p.Put(p.Get())
	}
	b := p.Get()
	if l.Stats().Bytes.InUse == 0 {
		t.Error("not counted")
	}
	p.Put(b)
}

func TestLimitAttackRefusedOuter(t *testing.T) {
	unchecked(t)
	outer := &basin.Limit{Name: "outer", Max: 1 << 20}
	inner := &basin.Limit{Name: "inner", Max: 10 << 20, Within: outer}
	p := &basin.BytePool{Limit: outer}
	q := &basin.BytePool{Limit: inner}
	b := p.Get(1 << 20)
	if _, ok := q.TryGet(4096); ok {
		t.Fatal("ok")
	}
	_, err := q.ReadAll(onlyR{strings.NewReader("x")})
	t.Log(err)
	if outer.Stats().Refused == 0 {
		t.Error("the limit without room has refused nothing")
	}
	own := &basin.BytePool{Limit: outer, MaxInUse: 10 << 20}
	if _, ok := own.TryGet(4096); ok {
		t.Fatal("ok")
	}
	t.Log(outer.Stats().Refused, own.Stats().Refused)
	p.Put(b)
}

type onlyR struct {
	r interface{ Read([]byte) (int, error) }
}

func (o onlyR) Read(b []byte) (int, error) { return o.r.Read(b) }

func TestLimitAttackFreshSetDefault(t *testing.T) {
	unchecked(t)
	var b basin.Buffer
	b.WriteString("hello")
	l := &basin.Limit{}
	p := &basin.BytePool{Limit: l}
	basin.SetDefault(p)
	defer basin.SetDefault(nil)
	b.Free()
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Items.InUse != 0 {
		t.Errorf("in use %+v %+v", s.Bytes, s.Items)
	}
}

func TestLimitAttackSlide(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 1024}
	p := &basin.BytePool{Limit: l}
	b := p.NewBuffer()
	b.Grow(1024)
	b.Write(make([]byte, 1024))
	b.Next(1014)
	if _, err := b.Write(make([]byte, 600)); err != nil {
		t.Errorf("610 bytes do not fit into a Buffer of %d: %v", b.Cap(), err)
	}
	b.Free()
}

func TestLimitAttackValidateWithin(t *testing.T) {
	unchecked(t)
	if err := basin.Validate(&basin.Limit{Within: &basin.Limit{Max: -1}}); err == nil {
		t.Error("Validate finds nothing, and the first use panics")
	}
	if err := basin.Validate(&basin.BytePool{Limit: &basin.Limit{Within: &basin.Limit{Max: -1}}}); err == nil {
		t.Error("Validate finds nothing, and the first use panics")
	}
}

func TestLimitAttackBelief(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 1 << 30}
	p := &basin.BytePool{Limit: l}
	r, _ := l.Acquire(context.Background(), 4096)
	defer r.Release()
	v := r.Pool(p)
	peak := int64(0)
	data, err := v.ReadAllSize(readerFunc(func(b []byte) (int, error) {
		peak = max(peak, l.Stats().Bytes.InUse)
		return copy(b, "x"), io.EOF
	}), 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	v.Put(data)
	if peak > 1<<20 {
		t.Errorf("a reservation of 4 KiB: %d bytes in use for a reader that claimed 512 MiB and had one byte", peak)
	}
	none := &basin.Limit{}
	q := &basin.BytePool{Limit: none}
	r2, _ := none.Acquire(context.Background(), 4096)
	defer r2.Release()
	if x := recovered(func() {
		data, _ := r2.Pool(q).ReadAllSize(strings.NewReader("x"), 1<<55)
		q.Put(data)
	}); x != nil {
		t.Errorf("panic: %v", x)
	}
	if s := none.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d", s.Bytes.InUse)
	}
}

// useUntilCredits uses p for longer than a new limit has no credits (package quota).
func useUntilCredits(p *basin.BytePool) {
	for end := time.Now().Add(5 * time.Millisecond); time.Now().Before(end); {
		p.Put(p.Get(4096))
	}
}

// SetMax below the memory in use: then nobody gets any until enough of it is back.
func TestLimitAttackSetMaxAgainstCredits(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 64 << 20}
	p := &basin.BytePool{Limit: l}
	held := p.Get(8 << 20)
	useUntilCredits(p)
	for range 20000 {
		p.Put(p.Get(4096))
	}
	l.SetMax(1 << 20)
	n := 0
	for range 20 {
		if _, ok := p.TryGet(4096); ok {
			n++
		}
	}
	if n > 0 {
		s := l.Stats().Bytes
		t.Errorf("%d of 20 got memory with %d in use under %d", n, s.InUse, s.MaxInUse)
	}
	p.Put(held)
}

// Values beyond the limit: others are refused.
func TestLimitAttackForceAgainstCredits(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 64 << 20}
	p := &basin.BytePool{Limit: l}
	std := &basin.StdBufferPool{Limit: l, MaxSize: 256 << 20, InitialSize: 100 << 20}
	useUntilCredits(p)
	for range 20000 {
		p.Put(p.Get(4096))
	}
	b := std.Get()
	if _, ok := p.TryGet(4096); ok {
		s := l.Stats().Bytes
		t.Errorf("got memory with %d in use under %d", s.InUse, s.MaxInUse)
	}
	std.Put(b)
}

// Nothing goes beyond, but credits count.
func TestLimitAttackFalseBeyond(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 64 << 20}
	p := &basin.BytePool{Limit: l}
	std := &basin.StdBufferPool{Limit: l, MaxSize: 256 << 20, InitialSize: 64 << 20}
	useUntilCredits(p)
	var bs [][]byte
	for range 20 {
		bs = append(bs, p.Get(4096))
	}
	for _, b := range bs {
		p.Put(b)
	}
	b := std.Get()
	if s := l.Stats(); s.Bytes.InUse <= s.Bytes.MaxInUse && (s.Refused > 0 || s.Beyond > 0) {
		t.Errorf("beyond %d, in use %d of %d", s.Beyond, s.Bytes.InUse, s.Bytes.MaxInUse)
	}
	std.Put(b)
}

// A storm of everything; the accounts are exact at the end.
func TestLimitAttackStorm(t *testing.T) {
	unchecked(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(6))
	root := &basin.Limit{Name: "root", Max: 32 << 20}
	ten := &basin.Limit{Name: "tenant", Max: 16 << 20, Within: root}
	a := &basin.BytePool{Name: "a", Limit: root}
	b := &basin.BytePool{Name: "b", Limit: ten, MaxInUse: 12 << 20, Zero: true}
	c := &basin.BytePool{Name: "c", Limit: ten, MaxSize: 64 << 10, Adopts: true}
	pools := []*basin.BytePool{a, b, c}
	limits := []*basin.Limit{root, ten}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
			switch i % 8 {
			case 0:
				root.SetMax(int64(8+rand.IntN(32)) << 20)
			case 1:
				ten.SetMax(int64(4+rand.IntN(16)) << 20)
			case 2:
				runtime.GOMAXPROCS(1 + rand.IntN(8))
			case 3:
				runtime.GC()
			case 4:
				basincheck.Set(basincheck.Settings{Level: []basincheck.Level{basincheck.Sampled, basincheck.Full}[rand.IntN(2)], Handler: func(*basincheck.Report) {}})
			case 6:
				basincheck.Set(basincheck.Settings{})
			}
		}
	})
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	var work sync.WaitGroup
	for range 24 {
		work.Go(func() {
			for range rounds {
				p := pools[rand.IntN(3)]
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(3000))*time.Microsecond)
				var r *basin.Reservation
				q := p
				if rand.IntN(2) == 0 {
					l := limits[rand.IntN(2)]
					var err error
					if r, err = l.Acquire(ctx, int64(rand.IntN(4<<20))); err == nil {
						q = r.Pool(p)
					}
				}
				n := rand.IntN(200 << 10)
				switch rand.IntN(8) {
				case 0:
					if x, err := q.GetContext(ctx, n); err == nil {
						if rand.IntN(2) == 0 {
							r.Release()
						}
						q.Put(x)
					}
				case 1:
					if x, ok := q.TryGet(n); ok {
						p.Put(x)
					}
				case 2:
					q.Put(q.Get(n))
				case 3:
					x, err := q.ReadAll(io.LimitReader(zeros{}, int64(n)))
					if err == nil {
						if rand.IntN(4) == 0 {
							q.Forget(x)
						} else {
							q.Put(x)
						}
					} else if !errors.Is(err, basin.ErrLimit) {
						t.Error(err)
					}
				case 4:
					w := q.NewBuffer()
					for range 10 {
						if _, err := w.Write(make([]byte, n/10+1)); err != nil && !errors.Is(err, basin.ErrLimit) {
							t.Error(err)
						}
					}
					switch rand.IntN(3) {
					case 0:
						q.Put(w.Detach())
					case 1:
						s := q.NewShared(w.Detach())
						r.Release()
						s.Release()
					default:
						w.Free()
					}
				case 5:
					x := q.Append(nil, make([]byte, n/2+1)...)
					x = q.Append(x, make([]byte, n/2+1)...)
					q.Put(x)
				case 6:
					if data, err := q.ReadAll(onlyR{io.LimitReader(zeros{}, int64(n))}); err == nil {
						q.Put(data)
					}
				case 7:
					q.Get(n) // lost
				}
				r.Release()
				cancel()
			}
		})
	}
	work.Wait()
	close(stop)
	wg.Wait()
	basincheck.Set(basincheck.Settings{})
	root.SetMax(32 << 20)
	for range 100 {
		testenv.RunCleanups()
		// Go loses cleanups when GOMAXPROCS falls. Whoever waits for room finds the memory.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if r, err := root.Acquire(ctx, 32<<20); err == nil {
			r.Release()
		}
		cancel()
		if root.Stats().Bytes.InUse == 0 && ten.Stats().Bytes.InUse == 0 && b.Stats().Bytes.InUse == 0 {
			break
		}
	}
	for _, l := range limits {
		if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 || s.Waiting != 0 {
			t.Errorf("%s: %+v reserved %d waiting %d", l.Name, s.Bytes, s.Reserved, s.Waiting)
		}
	}
	for _, p := range pools {
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Items.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%s: %+v items %+v outside %+v lost %+v", p.Name, s.Bytes, s.Items, s.OutsideInUse, s.Lost)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return min(len(b), 5000), nil }

// Buffers without room: contents intact, accounts exact.
func TestLimitAttackBuffersFull(t *testing.T) {
	unchecked(t)
	for _, most := range []int64{64, 1000, 5000, 70_000, 300_000} {
		l := &basin.Limit{Max: most}
		p := &basin.BytePool{Limit: l}
		var want bytes.Buffer
		b := p.NewBuffer()
		rng := rand.New(rand.NewPCG(1, uint64(most)))
		refused := 0
		steps := 20_000
		if testing.Short() {
			steps = 4000
		}
		for range steps {
			n := rng.IntN(1 + rng.IntN(1+int(most)))
			data := bytes.Repeat([]byte{byte(rng.IntN(256))}, n)
			switch rng.IntN(8) {
			case 0:
				if _, err := b.Write(data); err == nil {
					want.Write(data)
				} else {
					refused++
				}
			case 1:
				if n, err := b.WriteString(string(data)); err == nil {
					want.Write(data)
				} else if n != 0 {
					t.Fatal(n)
				}
			case 2:
				if err := b.WriteByte(7); err == nil {
					want.WriteByte(7)
				}
			case 3:
				r := rune(rng.IntN(0x11000))
				if n, err := b.WriteRune(r); err == nil {
					want.WriteRune(r)
				} else if n != 0 {
					t.Fatal(n)
				}
			case 4:
				m, err := b.ReadFrom(onlyR{bytes.NewReader(data)})
				if err == nil && int(m) != n {
					t.Fatal(m, n)
				}
				want.Write(data[:m])
			case 5:
				if m, err := fmt.Fprintf(b, "%d%s", n, "xyz"); err == nil {
					fmt.Fprintf(&want, "%d%s", n, "xyz")
				} else if m != 0 {
					t.Fatal(m)
				}
			case 6:
				m := rng.IntN(1 + 2*b.Len())
				x := bytes.Clone(b.Next(m))
				if !bytes.Equal(x, want.Next(m)) {
					t.Fatal("Next differs")
				}
			case 7:
				if rng.IntN(10) == 0 {
					b.Reset()
					want.Reset()
				}
				if rng.IntN(10) == 0 {
					x := b.Detach()
					if !bytes.Equal(x, want.Bytes()) {
						t.Fatal("Detach differs")
					}
					p.Put(x)
					want.Reset()
				}
			}
			if !bytes.Equal(b.Bytes(), want.Bytes()) {
				t.Fatalf("contents differ")
			}
			if s := l.Stats(); s.Bytes.InUse > most && s.Beyond == 0 {
				t.Fatalf("in use %d of %d", s.Bytes.InUse, most)
			}
		}
		if refused == 0 {
			t.Error("nothing refused")
		}
		b.Free()
		if s := l.Stats(); s.Bytes.InUse != 0 {
			t.Errorf("%d in use", s.Bytes.InUse)
		}
	}
	// encoders
	l := &basin.Limit{Max: 4096}
	p := &basin.BytePool{Limit: l}
	b := p.NewBuffer()
	if err := json.NewEncoder(b).Encode(strings.Repeat("x", 10000)); !errors.Is(err, basin.ErrLimit) {
		t.Error(err)
	}
	z := gzip.NewWriter(b)
	var err error
	for range 1000 {
		x := make([]byte, 4096)
		for i := range x {
			x[i] = byte(rand.Uint32())
		}
		if _, err = z.Write(x); err != nil {
			break
		}
	}
	if !errors.Is(err, basin.ErrLimit) {
		t.Error(err)
	}
	b.Free()
	if s := l.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d in use", s.Bytes.InUse)
	}
}

// The table of docs/limits.md says how much to reserve for n bytes.
func TestLimitAttackReserveTable(t *testing.T) {
	unchecked(t)
	for _, n := range []int{4096, 4097, 5000, 10000, 20481, 32769, 65537, 100000, 131073, 1<<20 - 511, 1<<20 + 1, 3 << 20, 4<<20 - 100, 4<<20 + 1, 5<<20 + 3} {
		run := func(way string, most int64, f func(p *basin.BytePool) error) {
			l := &basin.Limit{Max: most}
			p := &basin.BytePool{Limit: l}
			r, err := l.Acquire(context.Background(), most)
			if err != nil {
				t.Fatal(err)
			}
			if err := f(r.Pool(p)); err != nil {
				t.Errorf("%s of %d bytes with %d reserved, and no more room: %v", way, n, most, err)
			}
			r.Release()
		}
		N := int64(n)
		run("TryGet", N+N/4, func(p *basin.BytePool) error {
			if _, ok := p.TryGet(n); !ok {
				return errors.New("refused")
			}
			return nil
		})
		run("ReadAllSize", N+N/4+512, func(p *basin.BytePool) error {
			_, err := p.ReadAllSize(io.LimitReader(zeros{}, N), N)
			return err
		})
		run("Grow", (N+512)*5/4, func(p *basin.BytePool) error {
			b := p.NewBuffer()
			b.Grow(n + bytes.MinRead)
			if p.Limit.Stats().Beyond > 0 {
				return errors.New("beyond")
			}
			_, err := b.ReadFrom(io.LimitReader(zeros{}, N))
			return err
		})
		run("Buffer", 3*N, func(p *basin.BytePool) error {
			_, err := p.NewBuffer().ReadFrom(io.LimitReader(zeros{}, N))
			return err
		})
		run("ReadAll", 4*N, func(p *basin.BytePool) error {
			_, err := p.ReadAll(io.LimitReader(zeros{}, N))
			return err
		})
	}
}

// Two first uses at once are no data race.
func TestLimitAttackFirstUseRace(t *testing.T) {
	unchecked(t)
	for range 2000 {
		l := &basin.Limit{Max: 1 << 20}
		p := &basin.BytePool{Limit: l}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { p.Put(p.Get(100)) })
		}
		wg.Wait()
	}
}

// A nil Reservation reserves nothing: whoever has one may wait.
func TestLimitAttackNilReservationContext(t *testing.T) {
	unchecked(t)
	synctest.Test(t, func(t *testing.T) {
		l := &basin.Limit{Max: 1 << 20}
		var none *basin.Reservation
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

// Another pool's tenth: a chain of ten.
func TestLimitAttackChain(t *testing.T) {
	unchecked(t)
	var ls []*basin.Limit
	var within *basin.Limit
	for i := range 10 {
		within = &basin.Limit{Max: int64(20-i) << 20, Within: within}
		ls = append(ls, within)
	}
	p := &basin.BytePool{Limit: within}
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
func TestLimitAttackFollow(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Share: 0.5}
	l.SetMax(1000)
	for range 5 {
		runtime.GC()
	}
	if got := l.Stats().Bytes.MaxInUse; got != 1000 {
		t.Error(got)
	}
}

// Samples: used and reserved never exceed Max where nothing goes beyond, and counters never go back.
func TestLimitAttackSamples(t *testing.T) {
	unchecked(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	l := &basin.Limit{Max: 4 << 20}
	p := &basin.BytePool{Limit: l}
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
	var last basin.Stats
	bad := 0
	span := 3 * time.Second
	if testing.Short() {
		span /= 10
	}
	for end := time.Now().Add(span); time.Now().Before(end); {
		s := l.Stats()
		if s.Bytes.InUse+s.Reserved > s.Bytes.MaxInUse || s.Bytes.InUse < 0 || s.Reserved < 0 {
			if bad++; bad < 5 {
				t.Errorf("used %d reserved %d of %d", s.Bytes.InUse, s.Reserved, s.Bytes.MaxInUse)
			}
		}
		if s.Waited < last.Waited || s.Refused < last.Refused || s.PeakInUse.Bytes < last.PeakInUse.Bytes {
			t.Errorf("back: %v, then %v", last, s)
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
func TestLimitAttackLyingSize(t *testing.T) {
	unchecked(t)
	for _, n := range []int{math.MaxInt, math.MinInt, -1} {
		l := &basin.Limit{Max: 1 << 20}
		b := &basin.BytePool{Limit: l}
		held := b.Get(1 << 19)
		p := &basin.Pool[*int]{Limit: l, New: func() *int { return new(int) }, Size: func(*int) int { return n }}
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

// A view tells checks the same as its pool: one that forgets gets no guarded memory.
func TestLimitAttackForgetThroughView(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{}
	p := &basin.BytePool{Name: "forgets", Limit: l}
	r, _ := l.Acquire(t.Context(), 1<<20)
	v := r.Pool(p)
	v.Forget(v.Get(100))
	r.Release()
	beginGuarded(t, guardedFull)
	outstanding := guard.Count()
	b := p.Get(100)
	if guard.Count() != outstanding {
		t.Error("the pool does not know that its users forget")
	}
	p.Put(b)
}

// Checks come and go while reservations have slices.
func TestLimitAttackChecksWithViews(t *testing.T) {
	unchecked(t)
	defer basincheck.Set(basincheck.Settings{})
	var found []string
	handler := func(r *basincheck.Report) { found = append(found, r.Error()) }
	set := []basincheck.Settings{{}, {Level: basincheck.Full, Handler: handler}, {Level: basincheck.Full, Guard: true, Handler: handler}, {Level: basincheck.Sampled, Every: 1, Handler: handler}, {Level: basincheck.Sampled, Every: 1, Guard: true, Handler: handler}}
	for i, first := range set {
		for j, second := range set {
			basincheck.Set(first)
			l := &basin.Limit{Max: 64 << 20}
			p := &basin.BytePool{Name: "p", Limit: l, MaxSize: 1 << 20}
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

// The contents that a Buffer has room for are no reason to refuse a rune.
func TestLimitAttackRuneInRoom(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 64}
	p := &basin.BytePool{Limit: l}
	b := p.NewBuffer()
	b.Write(make([]byte, 62))
	if _, err := b.WriteRune('é'); err != nil {
		t.Errorf("two bytes of room, and a rune of two bytes: %v", err)
	}
	b.Free()
}

// Handles under a limit have no storage, those from before SetDefault included.
func TestLimitAttackHandlesFromBefore(t *testing.T) {
	unchecked(t)
	defer basin.SetDefault(nil)
	q := basin.BufferPool{InitialSize: 64}
	a := q.Get()
	l := &basin.Limit{}
	basin.SetDefault(&basin.BytePool{Limit: l})
	q.Put(a)
	b := q.Get()
	if b.Cap() > 0 {
		t.Errorf("a handle with %d bytes that the limit does not count", b.Cap())
	}
	b.Write(bytes.Repeat([]byte("x"), 64))
	if l.Stats().Bytes.InUse == 0 {
		t.Error("not counted")
	}
	q.Put(b)
}

// The maximum cannot be changed in silence.
func TestLimitAttackMaxChanged(t *testing.T) {
	unchecked(t)
	l := &basin.Limit{Max: 1 << 20}
	p := &basin.BytePool{Limit: l}
	p.Put(p.Get(100))
	l.Max = 1 << 10
	if recovered(func() { p.Get(1 << 15) }) == nil {
		t.Error("a Limit whose Max was changed works on with the old one, and says nothing")
	}
}

// unchecked skips a test where checks are on: these attacks count, and do much.
func unchecked(t *testing.T) {
	if check.Current.Load() != nil {
		t.Skip("for pools that are not checked")
	}
}
