//go:build go1.25

package stress_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
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

// TestSwitchingHandovers is TestSwitching for items that change hands and shape. Several readers share a
// message, Buffers grow by ReadFrom and give their arrays away, and slices of make grow into a pool. Items
// stay out for many switches, until another goroutine puts them. Default pools have other sizes. Statistics
// are read all the time, and each reading must be possible.
func TestSwitchingHandovers(t *testing.T) {
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
	seed := testenv.Uint64(t, "BASIN_TEST_SEED", 1)
	w := newHandovers(t)
	var stop atomic.Bool
	var users, disturbers sync.WaitGroup
	for i := range 2 {
		for _, use := range w.uses {
			users.Go(func() {
				for r := rand.New(rand.NewPCG(seed, uint64(i))); !stop.Load() && !t.Failed(); {
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
			for r := rand.New(rand.NewPCG(seed, 2)); !stop.Load(); time.Sleep(time.Duration(r.IntN(400)) * time.Microsecond) {
				f(r)
			}
		})
	}
	disturb(func(*rand.Rand) { runtime.GC() })
	disturb(func(*rand.Rand) { basincheck.Verify() })
	disturb(func(r *rand.Rand) { runtime.GOMAXPROCS(1 + r.IntN(6)) })
	disturb(func(r *rand.Rand) { basin.SetDefault(w.defaults[r.IntN(len(w.defaults))]) })
	disturb(func(r *rand.Rand) { w.trims[r.IntN(len(w.trims))]() })
	disturb(func(*rand.Rand) { w.sample(t) })
	r := rand.New(rand.NewPCG(seed, 3))
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
	w.end()
	disturbers.Wait()
	basincheck.Verify()
	for range 3 { // leaks and lost memory would be found now
		pooltest.Collect()
	}
	basincheck.Set(basincheck.Settings{})
	for _, s := range w.sample(t) {
		if s.Lost != (basin.Amount{}) || s.Misuse != (basincheck.Counts{}) {
			t.Errorf("%s: lost %v, misuse %v", s.Name, s.Lost, s.Misuse)
		}
		if !w.exact[s.Name] {
			continue
		}
		items, bytes := pooltest.Known(t, s, s.Items, s.Bytes)
		gets := s.Gets
		if s.Kind == "BytePool" { // whose Puts are those of slices that the pool may keep
			gets -= s.Outside
		}
		if gets != s.Puts || items.InUse != 0 || bytes.InUse != 0 || s.Drops.Foreign != 0 || s.Drops.Misaligned != 0 {
			t.Errorf("%s: %d Gets, %d Puts, %d in use, %d bytes after everything was put back; drops %+v", s.Name, s.Gets, s.Puts, items.InUse, bytes.InUse, s.Drops)
		}
	}
	runtime.KeepAlive(w)
}

type handovers struct {
	name     string
	exact    map[string]bool
	defaults []*basin.BytePool
	uses     []func(*rand.Rand)
	trims    []func()
	ends     []func()
	all      []any
}

func (w *handovers) pool(p *basin.BytePool, exact bool) *basin.BytePool {
	p.Name = w.name + p.Name
	w.exact[p.Name] = exact
	w.trims = append(w.trims, p.Trim)
	w.all = append(w.all, p)
	return p
}

func (w *handovers) end() {
	for _, f := range w.ends {
		f()
	}
}

// sample reads the statistics of all pools, and asserts their invariants.
func (w *handovers) sample(t *testing.T) (all []basin.Stats) {
	for _, s := range basinexport.Append(nil) {
		if !strings.HasPrefix(s.Name, w.name) {
			continue
		}
		if w.exact[s.Name] || s.Kind == "FixedPool" {
			pooltest.CheckStats(t, s, true)
		}
		if s.Bytes.MaxInUse > 0 && s.Beyond == 0 && s.PeakInUse.Bytes > s.Bytes.MaxInUse {
			t.Errorf("%s: at most %d bytes were in use, and no request went beyond", s.Name, s.PeakInUse.Bytes)
		}
		all = append(all, s)
	}
	if u := basincheck.Stats(); u.MaxBytes > 0 && u.Bytes > u.MaxBytes {
		t.Errorf("checks take %d bytes of %d", u.Bytes, u.MaxBytes)
	}
	return all
}

// Each owner writes a mark of its own into the whole array.
var marks atomic.Uint32

func fill(b []byte) byte {
	m := byte(marks.Add(1))
	for i := range b {
		b[i] = m
	}
	return m
}

func intact(t *testing.T, who string, b []byte, m byte) {
	if bytes.Count(b, []byte{m}) != len(b) {
		t.Errorf("%s: %d bytes have two owners", who, len(b))
	}
}

// piecewise reads in pieces, and keeps io.Copy from its shortcuts.
type piecewise struct {
	data []byte
	r    *rand.Rand
}

func (p *piecewise) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:1+p.r.IntN(len(p.data))])
	p.data = p.data[n:]
	if p.r.IntN(8) == 0 {
		runtime.Gosched()
	}
	return n, nil
}

func text(r *rand.Rand, most int) []byte {
	return bytes.Repeat([]byte{byte(1 + r.IntN(250))}, 1+r.IntN(most))
}

func same(b []byte) bool { return len(b) == 0 || bytes.Count(b, b[:1]) == len(b) }

func newHandovers(t *testing.T) *handovers {
	w := &handovers{name: fmt.Sprintf("%s %p ", t.Name(), t), exact: map[string]bool{}}
	use := func(f func(r *rand.Rand)) { w.uses = append(w.uses, f) }

	// Slices stay out for long, in a vault, and are put by others.
	for _, p := range []*basin.BytePool{
		{Name: "vault"},
		{Name: "vault, zero", Zero: true},
		{Name: "vault, ceiling", MaxInUse: 96 << 10},
		{Name: "vault, ceiling, keeps little", MaxInUse: 96 << 10, MaxIdle: 16 << 10, ZeroNew: true},
	} {
		w.pool(p, true)
		type item struct {
			b []byte
			m byte
		}
		vault := make(chan item, 30)
		var out atomic.Int64
		put := func(x item, r *rand.Rand) {
			intact(t, p.Name, x.b[:cap(x.b)], x.m)
			out.Add(-int64(cap(x.b)))
			switch {
			case r != nil && r.IntN(40) == 0:
				p.Forget(x.b)
			default:
				p.Put(x.b)
			}
		}
		use(func(r *rand.Rand) {
			n := 1 + r.IntN(2500)
			b, ok := p.TryGet(n)
			if ok && p.Zero && !allZeroes(b[:cap(b)]) {
				t.Errorf("%s: not zero", p.Name)
			}
			if ok {
				if n := out.Add(int64(cap(b))); p.MaxInUse > 0 && n > p.MaxInUse {
					t.Errorf("%s: %d bytes are out", p.Name, n)
				}
				x := item{b, fill(b[:cap(b)])}
				select {
				case vault <- x:
					return
				default:
					put(x, r)
				}
			}
			for range r.IntN(4) {
				select {
				case x := <-vault:
					put(x, r)
				default:
				}
			}
		})
		w.ends = append(w.ends, func() {
			for len(vault) > 0 {
				put(<-vault, nil)
			}
		})
	}

	// Requests wait at a ceiling, and slices grow there, beyond it too. ReadAll may be refused.
	tight := w.pool(&basin.BytePool{Name: "tight", MaxInUse: 12 << 10, MaxSize: 8 << 10}, true)
	tight.Put(tight.Get(int(tight.MaxInUse) + 1)) // so that statistics say from the start that requests go beyond
	use(func(r *rand.Rand) {
		var b []byte
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b, err := tight.GetContext(ctx, 1+r.IntN(6000))
		if err != nil {
			t.Error(err)
			return
		}
		m := fill(b)
		for range r.IntN(4) {
			n := r.IntN(3000)
			switch r.IntN(3) {
			case 0:
				b = tight.Append(b, bytes.Repeat([]byte{m}, n)...)
			case 1:
				b = tight.AppendString(b, strings.Repeat(string([]byte{m}), n))
			default:
				b = append(tight.Grow(b, n), bytes.Repeat([]byte{m}, n)...)
			}
		}
		intact(t, tight.Name, b, m)
		tight.Put(b)
	})
	use(func(r *rand.Rand) {
		src := text(r, 20000)
		switch r.IntN(3) {
		case 0:
			b, err := tight.ReadAll(&piecewise{src, r})
			if !errors.Is(err, basin.ErrLimit) && (err != nil || !bytes.Equal(b, src)) || err != nil && b != nil {
				t.Errorf("ReadAll: %d bytes, %v", len(b), err)
			}
			tight.Put(b)
		case 1:
			b, err := tight.ReadAllSize(&piecewise{src, r}, int64(r.IntN(20000)))
			if !errors.Is(err, basin.ErrLimit) && (err != nil || !bytes.Equal(b, src)) || err != nil && b != nil {
				t.Errorf("ReadAllSize: %d bytes, %v", len(b), err)
			}
			tight.Put(b)
		default:
			b := tight.GetZeroed(1 + r.IntN(5000))
			if !allZeroes(b) {
				t.Error("not zeroed")
			}
			fill(b[:cap(b)])
			tight.Put(b)
		}
	})

	// Slices of make grow into a pool, and are adopted.
	mixed := w.pool(&basin.BytePool{Name: "mixed"}, false)
	adopting := w.pool(&basin.BytePool{Name: "adopting", Adopts: true}, false)
	use(func(r *rand.Rand) {
		for _, p := range []*basin.BytePool{mixed, adopting, basin.Default()} {
			b := bytes.Repeat([]byte{7}, 1+r.IntN(300))
			b = p.Append(b, bytes.Repeat([]byte{7}, cap(b)-len(b)+1+r.IntN(2000))...)
			b = p.Append(b, bytes.Repeat([]byte{7}, r.IntN(4000))...)
			intact(t, "append", b, 7)
			p.Put(b)
		}
		b := make([]byte, 100+r.IntN(5000))
		m := fill(b)
		runtime.Gosched()
		intact(t, "adopt", b, m)
		if r.IntN(2) == 0 {
			mixed.Adopt(b)
		} else {
			adopting.Put(b[len(b)/3:])
		}
	})
	use(func(r *rand.Rand) { // a forgotten slice with one user, who gives it away
		b := mixed.Get(1 + r.IntN(3000))
		m := fill(b)
		mixed.Forget(b)
		runtime.Gosched()
		intact(t, "forgotten", b, m)
	})

	// Buffers.
	grown := w.pool(&basin.BytePool{Name: "grown"}, true)
	ceiling := w.pool(&basin.BytePool{Name: "grown, ceiling", MaxInUse: 40 << 10}, true)
	for _, bp := range []*basin.BufferPool{
		{Name: "handles", Bytes: grown},
		{Name: "handles, ceiling", Bytes: ceiling},
		{Name: "handles, initial", Bytes: grown, InitialSize: 300},
		{Name: "handles, default"},
	} {
		bp.Name = w.name + bp.Name
		w.exact[bp.Name] = true
		w.all = append(w.all, bp)
		back := make(chan *basin.Buffer, 10)
		use(func(r *rand.Rand) {
			b := bp.Get()
			if b.Len() != 0 {
				t.Errorf("%s: %d bytes", bp.Name, b.Len())
			}
			src := text(r, 6000)
			n, err := b.ReadFrom(&piecewise{src, r})
			if bp.Bytes == ceiling && errors.Is(err, basin.ErrLimit) {
				src = src[:n]
			} else if int(n) != len(src) || err != nil {
				t.Error(n, err)
			}
			if !bytes.Equal(b.Bytes(), src) {
				t.Errorf("%s: two owners", bp.Name)
			}
			switch r.IntN(6) {
			case 0:
				data := b.Detach()
				if !bytes.Equal(data, src) {
					t.Errorf("%s: two owners", bp.Name)
				}
				if bp.Bytes != nil {
					bp.Bytes.Put(data)
				} else {
					basin.Put(data)
				}
			case 1:
				data := b.Detach()
				if bp.Bytes != nil {
					readers(t, r, bp.Bytes.NewShared(data), src)
				} else {
					readers(t, r, basin.Default().NewShared(data), src)
				}
			case 2:
				b.Free()
				b.Write(src)
			case 3:
				select {
				case back <- b:
					return
				default:
				}
			}
			bp.Put(b)
			select {
			case b := <-back:
				if !same(b.Bytes()) {
					t.Errorf("%s: two owners", bp.Name)
				}
				bp.Put(b)
			default:
			}
		})
		w.ends = append(w.ends, func() {
			for len(back) > 0 {
				bp.Put(<-back)
			}
		})
	}
	use(func(r *rand.Rand) { // Buffers without a pool; some are left to the collector
		var b *basin.Buffer
		switch r.IntN(4) {
		case 0:
			b = basin.NewBuffer(make([]byte, 0, r.IntN(100)))
		case 1:
			b = basin.NewSmallBuffer()
		case 2:
			b = basin.NewBuffer(basin.Get(r.IntN(1000))[:0])
		default:
			b = new(basin.Buffer)
		}
		src := text(r, 9000)
		b.ReadFrom(&piecewise{src, r})
		if !bytes.Equal(b.Bytes(), src) {
			t.Error("Buffer: two owners")
		}
		b.Next(r.IntN(b.Len()))
		b.ReadFrom(&piecewise{src[:1], r})
		if !same(b.Bytes()) {
			t.Error("Buffer: two owners")
		}
		switch r.IntN(4) {
		case 0:
		case 1:
			b.Detach()
		case 2:
			readers(t, r, basin.Default().NewShared(b.Detach()), nil)
		default:
			b.Free()
		}
	})
	use(func(r *rand.Rand) {
		src := text(r, 3000)
		readers(t, r, basin.Default().NewShared(basin.Append(nil, src...)), src)
	})
	use(func(r *rand.Rand) {
		src := text(r, 3000)
		var in basinio.Reader
		in.Reset(&piecewise{src, r})
		b, err := basin.ReadAll(&in)
		in.Reset(nil)
		if err != nil || !bytes.Equal(b, src) {
			t.Errorf("ReadAll: %d bytes, %v", len(b), err)
		}
		var to bytes.Buffer
		basinio.Copy(struct{ io.Writer }{&to}, &piecewise{b, r})
		if !bytes.Equal(to.Bytes(), src) {
			t.Error("Copy: two owners")
		}
		basin.Put(b)
	})
	for _, std := range []*basin.StdBufferPool{{Name: "std"}, {Name: "std, initial", InitialSize: 500}} {
		std.Name = w.name + std.Name
		w.exact[std.Name] = true
		w.all = append(w.all, std)
		use(func(r *rand.Rand) {
			b := std.Get()
			src := text(r, 5000)
			b.ReadFrom(&piecewise{src, r})
			if !bytes.Equal(b.Bytes(), src) {
				t.Errorf("%s: two owners", std.Name)
			}
			b.Next(r.IntN(len(src)))
			std.Put(b)
		})
	}

	// FixedPools with more users than buffers.
	for _, zero := range []bool{false, true} {
		p := &basin.FixedPool{Name: w.name + fmt.Sprint("fixed ", zero), Count: 3, Size: 200, Zero: zero}
		w.all = append(w.all, p)
		back := make(chan []byte, 2)
		use(func(r *rand.Rand) {
			var b []byte
			switch r.IntN(3) {
			case 0:
				b = p.Get()
			case 1:
				b, _ = p.TryGet()
			default:
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(2000))*time.Microsecond)
				b, _ = p.GetContext(ctx)
				cancel()
			}
			if b == nil {
				return
			}
			if zero && !allZeroes(b) {
				t.Errorf("%s: not zero", p.Name)
			}
			m := fill(b)
			runtime.Gosched()
			intact(t, p.Name, b, m)
			if r.IntN(4) == 0 {
				select {
				case back <- b:
					return
				default:
				}
			}
			p.Put(b[:r.IntN(len(b))])
			select {
			case b := <-back:
				if !same(b) {
					t.Errorf("%s: two owners", p.Name)
				}
				p.Put(b)
			default:
			}
		})
		w.ends = append(w.ends, func() {
			for len(back) > 0 {
				p.Put(<-back)
			}
			if s := p.Stats(); s.Items.InUse != 0 || s.Drops.Foreign+s.Drops.Double+s.Drops.Misaligned != 0 || s.Drops.Extra != s.Misses {
				t.Errorf("%s: %+v", p.Name, s)
			}
		})
	}

	// Values with a Size that grow, and a Drop that sees each value at most once.
	sized := &basin.Pool[*piece]{
		Name: w.name + "sized", MaxIdle: 64 << 10,
		Make:  func(n int) *piece { return &piece{b: make([]byte, 0, n)} },
		Size:  func(p *piece) int { return cap(p.b) },
		Used:  func(p *piece) int { return len(p.b) },
		Reset: func(p *piece) *piece { p.b = p.b[:0]; return p },
		Drop: func(p *piece) {
			if !p.dropped.CompareAndSwap(false, true) {
				t.Error("a value is dropped twice")
			}
		},
	}
	last := &basin.Pool[*piece]{
		Name: w.name + "last", MaxItems: 5, New: func() *piece { return new(piece) },
		Reset: func(p *piece) *piece {
			if len(p.b)%7 == 0 { // another takes its place
				return new(piece)
			}
			return p
		},
	}
	arrays := &basin.Pool[[]byte]{
		Name: w.name + "arrays", MaxIdle: 64 << 10, New: func() []byte { return make([]byte, 0, 64) },
		Size: func(b []byte) int { return cap(b) }, Reset: func(b []byte) []byte { return b[:0] },
	}
	w.exact[sized.Name], w.exact[last.Name], w.exact[arrays.Name] = true, true, true
	w.trims = append(w.trims, sized.Trim, last.Trim, arrays.Trim)
	w.all = append(w.all, sized, last, arrays)
	use(func(r *rand.Rand) {
		for _, p := range []*basin.Pool[*piece]{sized, last} {
			x := p.Get()
			if x.out.Swap(true) || x.dropped.Load() {
				t.Errorf("%s: a value has two owners, or was dropped", p.Name)
			}
			x.b = append(x.b[:0], text(r, 3000)...)
			runtime.Gosched()
			if !same(x.b) {
				t.Errorf("%s: two owners", p.Name)
			}
			x.out.Store(false)
			p.Put(x)
		}
		b := append(arrays.Get(), text(r, 2000)...)
		runtime.Gosched()
		if !same(b) {
			t.Error("arrays: two owners")
		}
		arrays.Put(b)
	})

	w.defaults = []*basin.BytePool{
		nil,
		w.pool(&basin.BytePool{Name: "default, pages", MinSize: 4096}, false),
		w.pool(&basin.BytePool{Name: "default, small", MaxSize: 1024}, false),
		w.pool(&basin.BytePool{Name: "default, clears", Zero: true, MaxIdle: 1 << 20}, false),
	}
	use(func(r *rand.Rand) {
		b := basin.Get(8 + r.IntN(6000))
		stamp := uint64(marks.Add(1))
		binary.NativeEndian.PutUint64(b, stamp)
		b = basin.Append(b, text(r, 3000)...)
		runtime.Gosched()
		if binary.NativeEndian.Uint64(b) != stamp {
			t.Error("default pool: two owners")
		}
		basin.Put(b)
		h := basin.GetBuffer()
		h.ReadFrom(&piecewise{text(r, 3000), r})
		if !same(h.Bytes()) {
			t.Error("GetBuffer: two owners")
		}
		basin.PutBuffer(h)
	})
	return w
}

type piece struct {
	b            []byte
	out, dropped atomic.Bool
}

// readers has some goroutines read s, whose contents are want, and releases it.
func readers(t *testing.T, r *rand.Rand, s *basin.Shared, want []byte) {
	var wg sync.WaitGroup
	for range r.IntN(4) {
		kind := r.IntN(2)
		s.Retain()
		wg.Go(func() {
			if kind == 0 {
				runtime.Gosched()
			}
			if b := s.Bytes(); !same(b) || want != nil && !bytes.Equal(b, want) {
				t.Error("Shared: two owners")
			}
			s.Release()
		})
	}
	if r.IntN(2) == 0 {
		wg.Wait()
	}
	s.Release()
	wg.Wait()
}
