//go:build go1.25

package stress_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestSwitching switches checks between all levels and settings, while correct users work with pools
// of all kinds. Recordings begin and end meanwhile, the default pool is exchanged, and items die and move
// as often as possible. Nothing may be reported, lost or taken for foreign, no item may have two
// owners, no ceiling may be passed, and all accounts must be exact at the end. The default run is
// short, and with BASIN_TEST_LONG=1 it switches 10,000 times.
func TestSwitching(t *testing.T) {
	pooltest.Alone(t)
	defer basincheck.Set(basincheck.Now())
	defer basin.SetDefault(nil)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	many := 400
	switch {
	case pooltest.Long():
		many = 10_000
	case testenv.Race || testing.Short():
		many = 100
	}
	many = testenv.Int(t, "BASIN_TEST_SWITCHES", many)
	w := newSwitchWorld(t)
	var stop atomic.Bool
	var users, disturbers sync.WaitGroup
	for i := range 3 {
		for _, use := range w.uses {
			users.Go(func() {
				r := rand.New(rand.NewPCG(uint64(i), 7))
				for !stop.Load() && !t.Failed() {
					use(r)
					if r.IntN(16) == 0 {
						runtime.Gosched()
					}
				}
			})
		}
	}
	disturb := func(f func(r *rand.Rand)) {
		disturbers.Go(func() {
			r := rand.New(rand.NewPCG(1, 2))
			for !stop.Load() {
				f(r)
				time.Sleep(time.Duration(r.IntN(400)) * time.Microsecond)
			}
		})
	}
	disturb(func(*rand.Rand) { runtime.GC() })
	disturb(func(*rand.Rand) { basincheck.Verify() })
	disturb(func(*rand.Rand) { basincheck.Sites() })
	disturb(func(r *rand.Rand) { runtime.GOMAXPROCS(1 + r.IntN(6)) })
	disturb(func(r *rand.Rand) { basin.SetDefault(w.defaults[r.IntN(len(w.defaults))]) })
	r := rand.New(rand.NewPCG(testenv.Uint64(t, "BASIN_TEST_SEED", 1), 3))
	for i := 0; i < many && !t.Failed(); i++ {
		s := basincheck.Settings{
			Level: basincheck.Level(r.IntN(3)),
			Every: []int{1, 2, 16, 256}[r.IntN(4)],
			Guard: r.IntN(3) == 0,
		}
		s.Handler = func(m *basincheck.Report) { t.Errorf("after %d switches: %v", i, m) }
		basincheck.Set(s)
		time.Sleep(time.Duration(r.IntN(400)) * time.Microsecond)
	}
	stop.Store(true)
	users.Wait()
	disturbers.Wait()
	basincheck.Verify()
	for range 3 { // leaks and lost memory would be found now
		pooltest.Collect()
	}
	basincheck.Set(basincheck.Settings{})
	w.settle(t)
}

// A switchWorld has pools of all kinds, and uses of them. A use takes an item or some, and puts all of
// them back.
type switchWorld struct {
	name     string
	exact    []any // pools with exact accounts; the default pools receive each other's slices
	defaults []*basin.BytePool
	uses     []func(r *rand.Rand)
}

func newSwitchWorld(t *testing.T) *switchWorld {
	w := &switchWorld{name: fmt.Sprintf("%s %p ", t.Name(), t)}
	for i, p := range []*basin.BytePool{
		{Name: "plain"},
		{Name: "keeps nothing", MaxIdle: basin.KeepNone},
		{Name: "zero", Zero: true},
		{Name: "ceiling", MaxInUse: 24 << 10},
		{Name: "ceiling, keeps nothing", MaxInUse: 24 << 10, MaxIdle: basin.KeepNone},
		{Name: "ceiling, zero", MaxInUse: 24 << 10, MaxSize: 4 << 10, Zero: true},
	} {
		p.Name = w.name + p.Name
		w.exact = append(w.exact, p)
		w.uses = append(w.uses, bytesUse(t, p, i%2 == 0))
	}
	for _, zero := range []bool{false, true} {
		p := &basin.FixedPool{Name: w.name + fmt.Sprint("fixed ", zero), Count: 5, Size: 96, Zero: zero}
		w.exact = append(w.exact, p)
		w.uses = append(w.uses, fixedUse(t, p))
	}
	buffers := &basin.BufferPool{Name: w.name + "buffers", Bytes: &basin.BytePool{Name: w.name + "grown"}}
	std := &basin.StdBufferPool{Name: w.name + "std"}
	pointers := &basin.Pool[*pair]{Name: w.name + "pointers", New: func() *pair { return new(pair) }}
	tiny := &basin.Pool[*int32]{Name: w.name + "tiny", New: func() *int32 { return new(int32) }}
	slices := &basin.Pool[[]pair]{Name: w.name + "slices", New: func() []pair { return make([]pair, 4) }}
	learning := pooltest.LearningPool()
	learning.Name = w.name + "learning"
	w.exact = append(w.exact, buffers, buffers.Bytes, std, pointers, tiny, slices, learning)
	w.uses = append(w.uses,
		bufferUse(t, buffers.Get, buffers.Put),
		bufferUse(t, std.Get, std.Put),
		valueUse(t, pointers, func(x *pair) *int { return &x[0] }),
		valueUse(t, tiny, func(x *int32) *int32 { return x }),
		valueUse(t, slices, func(x []pair) *int { return &x[3][1] }),
		valueUse(t, learning, func(x *[]byte) *byte {
			*x = append(*x, make([]byte, 100)...)
			return &(*x)[len(*x)-100]
		}),
	)
	w.defaults = []*basin.BytePool{nil, {Name: w.name + "default"}, {Name: w.name + "clearing", Zero: true}, {Name: w.name + "limited", MaxIdle: 1 << 20}}
	w.uses = append(w.uses, defaultsUse(t), bufferUse(t, basin.GetBuffer, basin.PutBuffer))
	return w
}

// bytesUse uses slices of p, of up to six sizes at a time. It writes a stamp into the whole array.
func bytesUse(t *testing.T, p *basin.BytePool, waits bool) func(*rand.Rand) {
	var stamps, out atomic.Int64
	return func(r *rand.Rand) {
		stamp := byte(stamps.Add(1))
		var held [][]byte
		for range 1 + r.IntN(3) {
			var b []byte
			switch n := 1 + r.IntN(3000); {
			case p.MaxInUse == 0 && r.IntN(4) == 0:
				b = p.Append(p.Get(n)[:0], make([]byte, n)...)
			case p.MaxInUse > 0 && waits && len(held) == 0:
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				var err error
				if b, err = p.GetContext(ctx, n); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
				cancel()
			default:
				b, _ = p.TryGet(n)
			}
			if b == nil {
				continue
			}
			if n := out.Add(int64(cap(b))); p.MaxInUse > 0 && n > p.MaxInUse {
				t.Errorf("%s: %d bytes are out", p.Name, n)
			}
			b = b[:cap(b)]
			for i := range b {
				b[i] = stamp
			}
			held = append(held, b)
		}
		runtime.Gosched()
		for _, b := range held {
			if bytes.Count(b, []byte{stamp}) != len(b) {
				t.Errorf("%s: a slice of %d bytes has two owners, or was cleared early", p.Name, len(b))
			}
			out.Add(-int64(cap(b)))
			if r.IntN(50) == 0 {
				p.Forget(b)
			} else {
				p.Put(b[:r.IntN(len(b))])
			}
		}
	}
}

func fixedUse(t *testing.T, p *basin.FixedPool) func(*rand.Rand) {
	var stamps atomic.Int64
	return func(r *rand.Rand) {
		b, ok := p.TryGet()
		if !ok {
			return
		}
		if p.Zero && !allZeroes(b) {
			t.Errorf("%s: a buffer is not zero", p.Name)
		}
		stamp := byte(stamps.Add(1))
		for i := range b {
			b[i] = stamp
		}
		if r.IntN(4) == 0 {
			runtime.Gosched()
		}
		if bytes.Count(b, []byte{stamp}) != len(b) {
			t.Errorf("%s: a buffer has two owners", p.Name)
		}
		p.Put(b)
	}
}

func bufferUse[B interface {
	io.Writer
	Bytes() []byte
	Len() int
}](t *testing.T, get func() B, put func(B)) func(*rand.Rand) {
	var stamps atomic.Int64
	return func(r *rand.Rand) {
		b := get()
		if b.Len() != 0 {
			t.Errorf("a %T has %d bytes", b, b.Len())
		}
		piece := bytes.Repeat([]byte{byte(stamps.Add(1))}, 1+r.IntN(600))
		for range 1 + r.IntN(4) {
			b.Write(piece)
		}
		runtime.Gosched()
		if n := bytes.Count(b.Bytes(), piece[:1]); n != b.Len() {
			t.Errorf("a %T has two owners", b)
		}
		put(b)
	}
}

func valueUse[T any, N int | int32 | byte](t *testing.T, p *basin.Pool[T], at func(T) *N) func(*rand.Rand) {
	var stamps atomic.Int32
	return func(r *rand.Rand) {
		x, y := p.Get(), p.Get()
		stamp := N(stamps.Add(2))
		a, b := at(x), at(y)
		*a, *b = stamp, stamp+1
		if r.IntN(4) == 0 {
			runtime.Gosched()
		}
		if *a != stamp || *b != stamp+1 {
			t.Errorf("%s: a value has two owners", p.Name)
		}
		p.Put(x)
		p.Put(y)
	}
}

// defaultsUse uses the functions of the package.
func defaultsUse(t *testing.T) func(*rand.Rand) {
	var stamps atomic.Uint64
	return func(r *rand.Rand) {
		stamp := stamps.Add(1)
		b := basin.Get(8 + r.IntN(5000))
		binary.NativeEndian.PutUint64(b, stamp)
		s := basin.Default().NewShared(basin.Append(nil, b[:8]...))
		s.Retain()
		var all basin.Buffer
		if _, err := io.Copy(&all, bytes.NewReader(s.Bytes())); err != nil {
			t.Error(err)
		}
		writer := basinio.NewWriter(&all)
		writer.WriteString("x")
		writer.Flush()
		s.Release()
		c, err := basin.ReadAll(bytes.NewReader(all.Bytes()))
		if err != nil || len(c) != 9 || binary.NativeEndian.Uint64(c) != stamp || binary.NativeEndian.Uint64(s.Bytes()) != stamp {
			t.Errorf("default pool: memory has two owners, or %v", err)
		}
		basin.Put(c)
		all.Free()
		s.Release()
		if binary.NativeEndian.Uint64(b) != stamp {
			t.Error("default pool: a slice has two owners")
		}
		basin.Put(b)
	}
}

// settle asserts that all accounts are exact, after everything was put back.
func (w *switchWorld) settle(t *testing.T) {
	n := 0
	for _, s := range basinexport.Append(nil) {
		if !strings.HasPrefix(s.Name, w.name) {
			continue
		}
		if s.Lost != (basin.Amount{}) || s.Drops.Foreign != 0 || s.Drops.Misaligned != 0 || s.Misuse != (basincheck.Counts{}) {
			t.Errorf("%s: lost %v, drops %+v, misuse %v", s.Name, s.Lost, s.Drops, s.Misuse)
		}
		if strings.HasSuffix(s.Name, "default") || strings.HasSuffix(s.Name, "clearing") || strings.HasSuffix(s.Name, "limited") {
			continue
		}
		n++
		pooltest.CheckStats(t, s, true)
		if items, bytes := pooltest.Known(t, s, s.Items, s.Bytes); s.Gets != s.Puts || items.InUse != 0 || bytes.InUse != 0 {
			t.Errorf("%s: %d Gets, %d Puts, %d in use, %d bytes after everything was put back", s.Name, s.Gets, s.Puts, items.InUse, bytes.InUse)
		}
		if s.Bytes.MaxInUse > 0 && s.PeakInUse.Bytes > s.Bytes.MaxInUse {
			t.Errorf("%s: at most %d bytes were in use", s.Name, s.PeakInUse.Bytes)
		}
	}
	if n != len(w.exact) {
		t.Errorf("the statistics of %d pools, want %d", n, len(w.exact))
	}
	runtime.KeepAlive(w)
}
