//go:build go1.25

package basin_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func TestCheckFullFindsMisuse(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or outstanding slices may be found to have leaked
	type kind = basincheck.Kind
	for _, tt := range []struct {
		name   string
		do     func(p, other *basin.BytePool)
		want   []kind
		offset int
	}{
		{"get and put", func(p, _ *basin.BytePool) { p.Put(p.Get(100)) }, nil, 0},
		{"put of a shorter slice", func(p, _ *basin.BytePool) { p.Put(p.Get(100)[:3]) }, nil, 0},
		{"put of nil", func(p, _ *basin.BytePool) { p.Put(nil) }, nil, 0},
		{"put of an empty slice", func(p, _ *basin.BytePool) { p.Put([]byte{}) }, nil, 0},
		{"put of Get of nothing", func(p, _ *basin.BytePool) { p.Put(p.Get(0)) }, nil, 0},
		{"put of the end", func(p, _ *basin.BytePool) { b := p.Get(64); p.Put(b[64:]) }, nil, 0},
		{"larger than MaxSize", func(p, _ *basin.BytePool) { p.Put(p.Get(2 << 20)) }, nil, 0},
		{"larger than MaxSize, twice", func(p, _ *basin.BytePool) { b := p.Get(2 << 20); p.Put(b); p.Put(b) }, nil, 0},
		{"put twice", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b) }, []kind{basincheck.DoublePut}, 0},
		{"put twice, others in between", func(p, _ *basin.BytePool) {
			b, c := p.Get(100), p.Get(100)
			p.Put(b)
			p.Put(c)
			d := p.Get(100)
			p.Put(b)
			p.Put(d)
		}, []kind{basincheck.DoublePut}, 0},
		{"put again re-sliced", func(p, _ *basin.BytePool) { b := p.Get(128); p.Put(b); p.Put(b[:64:64]) }, []kind{basincheck.DoublePut}, 0},
		{"interior", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b[4:]) }, []kind{basincheck.InteriorPut}, 4},
		{"interior in the shape of a class", func(p, _ *basin.BytePool) { b := p.Get(4096); p.Put(b[2048:]) }, []kind{basincheck.InteriorPut}, 2048},
		{"re-sliced", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b[:100:100]) }, []kind{basincheck.ReslicedPut}, 100},
		{"re-sliced to the shape of a class", func(p, _ *basin.BytePool) { b := p.Get(4096); p.Put(b[:2048:2048]) }, []kind{basincheck.ReslicedPut}, 2048},
		{"foreign", func(p, _ *basin.BytePool) { p.Put(make([]byte, 100)) }, []kind{basincheck.ForeignPut}, 0},
		{"foreign in the shape of a class", func(p, _ *basin.BytePool) { p.Put(make([]byte, 4096)) }, []kind{basincheck.ForeignPut}, 0},
		{"another pool", func(p, other *basin.BytePool) { other.Put(p.Get(100)) }, []kind{basincheck.WrongPool}, 0},
		{"another pool, then its own", func(p, other *basin.BytePool) { b := p.Get(100); other.Put(b); p.Put(b) },
			[]kind{basincheck.WrongPool, basincheck.DoublePut}, 0},
		{"outgrown by Append", func(p, _ *basin.BytePool) {
			b := p.Get(64)
			p.Put(p.Append(b, 1))
			p.Put(b)
		}, []kind{basincheck.DoublePut}, 0},
		{"ReadAll", func(p, _ *basin.BytePool) {
			b, _ := p.ReadAll(strings.NewReader(strings.Repeat("basin ", 50_000)))
			p.Put(b)
		}, nil, 0},
		{"write after put", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); b[17] = 1; basincheck.Verify() }, []kind{basincheck.WriteAfterPut}, 17},
		{"write after put beyond the length", func(p, _ *basin.BytePool) {
			b := p.Get(5000)
			p.Put(b)
			b[:cap(b)][cap(b)-1]++
			basincheck.Verify()
			basincheck.Verify() // reports once
		}, []kind{basincheck.WriteAfterPut}, 6143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := pooltest.BeginChecks(t, pooltest.FullChecking)
			p := &basin.BytePool{Name: "its own", MaxSize: 1 << 20}
			other := &basin.BytePool{Name: "other"}
			tt.do(p, other)
			basincheck.Verify()
			got := told.Take()
			if !slices.Equal(pooltest.Kinds(got), tt.want) {
				t.Fatalf("reported: %v, want %v\n%v", pooltest.Kinds(got), tt.want, got)
			}
			for _, m := range got {
				wantPool := "its own"
				if m.Pool != wantPool {
					t.Errorf("%v: pool %q, want %q", m.Kind, m.Pool, wantPool)
				}
				if m.Kind != basincheck.ForeignPut && !pooltest.InCaller(m.Acquired) {
					t.Errorf("%v: no acquisition:\n%v", m.Kind, m)
				}
				if (m.Kind == basincheck.DoublePut || m.Kind == basincheck.WriteAfterPut) && !pooltest.InCaller(m.FirstPut) {
					t.Errorf("%v: no first Put:\n%v", m.Kind, m)
				}
				if m.Kind != basincheck.WriteAfterPut && !pooltest.InCaller(m.Here) {
					t.Errorf("%v: no offending call:\n%v", m.Kind, m)
				}
				if tt.offset != 0 && m.Offset != tt.offset {
					t.Errorf("%v: offset %d, want %d", m.Kind, m.Offset, tt.offset)
				}
			}
			s := p.Stats().Misuse
			if got, want := s.Total(), uint64(len(tt.want)); got != want {
				t.Errorf("Stats.Misuse %+v has %d, want %d", s, got, want)
			}
		})
	}
}

// TestCheckCollector: the garbage collector finds leaked slices.
func TestCheckCollector(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(p *basin.BytePool)
		want basincheck.Kind
	}{
		{"leak", func(p *basin.BytePool) { p.Get(100) }, basincheck.Leak},
		{"leak of one that is larger", func(p *basin.BytePool) { p.Get(1 << 20) }, basincheck.Leak},
		{"leak of a part", func(p *basin.BytePool) { _ = p.Get(100)[50:] }, basincheck.Leak},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
				told := pooltest.BeginChecks(t, level)
				p := &basin.BytePool{Name: "p"}
				tt.do(p)
				var got []*basincheck.Report
				testenv.CollectUntil(func() bool { got = append(got, told.Take()...); return len(got) > 0 })
				if m := got[0]; len(got) != 1 || m.Kind != tt.want || !pooltest.InCaller(m.Acquired) || m.Here != nil {
					t.Errorf("%v: %v", level.Level, got)
				}
				if n := len(basincheck.Outstanding()); n != 0 {
					t.Errorf("%v: %d sites in use after all was collected", level.Level, n)
				}
			}
		})
	}
}

// TestCheckQuarantine: later operations find writes after Put.
func TestCheckQuarantine(t *testing.T) {
	for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		for _, p := range []*basin.BytePool{&basin.BytePool{}, &basin.BytePool{MaxInUse: 4 << 20}} {
			told := pooltest.BeginChecks(t, level)
			b := p.Get(100)
			p.Put(b)
			b[99] = 1
			got := told.Take()
			for n := 0; n < 80 && len(got) == 0; n++ {
				p.Put(p.Get(1 << 20))
				got = told.Take()
			}
			if !slices.Equal(pooltest.Kinds(got), []basincheck.Kind{basincheck.WriteAfterPut}) || got[0].Offset != 99 || !pooltest.InCaller(got[0].FirstPut) {
				t.Errorf("%v: after 80 MiB: %v", level.Level, got)
			}
			p.Put(p.Get(100)) // goes on
			if got := told.Take(); got != nil {
				t.Errorf("%v: and then: %v", level.Level, got)
			}
		}
	}
}

func TestCheckNothingFromBefore(t *testing.T) {
	p := &basin.BytePool{}
	out, put := p.Get(100), p.Get(100)
	p.Put(put)
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	p.Put(out)
	p.Put(put) // twice, but the first Put came before checks
	if got := told.Take(); got != nil {
		t.Errorf("reported a slice from before: %v", got)
	}
	p.Put(make([]byte, 100))
	if got := pooltest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.ForeignPut}) {
		t.Errorf("of a slice that cannot be the pool's: %v, want a foreign Put", got)
	}
	// A slice that is outstanding while checks end and start again also counts as from before.
	b := p.Get(100)
	basincheck.Set(basincheck.Settings{})
	told = pooltest.BeginChecks(t, pooltest.FullChecking)
	p.Put(b)
	b = p.Get(100)
	basincheck.Set(basincheck.Settings{})
	p.Put(b)
	if c := p.Get(100); &c[0] != &b[0] {
		t.Error("with checks off again, Get did not return the slice that was put")
	}
	p.Put(b)
	if got := told.Take(); got != nil {
		t.Errorf("reported a slice from before: %v", got)
	}
}

// TestCheckSampledEstimates tracks a quarter of the acquisitions and estimates all of them.
func TestCheckSampledEstimates(t *testing.T) {
	told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 4})
	p := &basin.BytePool{}
	var held [][]byte
	for range 10_000 {
		held = append(held, p.Get(64))
	}
	objects := int64(0)
	for _, s := range basincheck.Outstanding() {
		objects += s.Items
	}
	if objects < 8000 || objects > 12000 { // 11 standard deviations
		t.Errorf("%d objects in use by estimate, want about 10000", objects)
	}
	for _, b := range held {
		p.Put(b)
	}
	if s := basincheck.Outstanding(); len(s) != 0 {
		t.Errorf("in use after all was put: %v", s)
	}
	if s := p.Stats(); s.Gets != 10_000 || s.Puts != 10_000 || s.Bytes.InUse != 0 {
		t.Errorf("stats: %+v", s)
	}
	if got := told.Take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckedCeiling: with checks, a pool with a MaxInUse counts the same as without.
func TestCheckedCeiling(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{Name: "c", MaxInUse: 1024}
	b, c := p.Get(512), p.Get(512)
	if _, ok := p.TryGet(1); ok {
		t.Fatal("more than MaxInUse")
	}
	b = p.Append(b, 1) // gets a slice that the ceiling does not count
	p.Put(c)
	p.Put(b)
	if s := p.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d bytes in use", s.Bytes.InUse)
	}
	if got := told.Take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	p.Put(c)
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Drops.Double != 1 || s.Misuse[basincheck.DoublePut] != 1 {
		t.Errorf("after a double Put: %+v", s)
	}
	if got := pooltest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.DoublePut}) {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckZeroOutgrown: with checks, too, Append clears the array that it outgrows.
func TestCheckZeroOutgrown(t *testing.T) {
	for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		told := pooltest.BeginChecks(t, level)
		p := &basin.BytePool{Zero: true}
		foreign := dirty(make([]byte, 1000))
		p.Put(p.Append(foreign, 1))
		if got := told.Take(); got != nil {
			t.Errorf("%v: reported: %v", level.Level, got)
		}
		if !pooltest.IsZero(foreign) {
			t.Errorf("%v: the outgrown array is not cleared", level.Level)
		}
	}
}

// TestCheckPartIsDropped puts parts of memory that has a record. The pool must not clear them, which
// Verify would report as a write after Put, and must not hand them out when checks are off again.
func TestCheckPartIsDropped(t *testing.T) {
	for _, zero := range []bool{false, true} {
		told := pooltest.BeginChecks(t, pooltest.FullChecking)
		p := &basin.BytePool{Name: "parts", Zero: zero, MaxFit: 1}
		b := p.Get(4096)
		p.Put(b[2048:]) // outstanding
		p.Put(b)
		p.Put(b[1024:2048:2048]) // put, in the shape of a class
		p.Put(b[5:])
		fixed := &basin.FixedPool{Count: 1, Size: 4096}
		c := fixed.Get()
		p.Put(c[2048:])
		basincheck.Verify()
		var kinds []basincheck.Kind
		for _, r := range told.Take() {
			kinds = append(kinds, r.Kind)
		}
		want := []basincheck.Kind{basincheck.InteriorPut, basincheck.InteriorPut, basincheck.InteriorPut, basincheck.WrongPool}
		if !slices.Equal(kinds, want) {
			t.Errorf("Zero %v: reported %v, not %v", zero, kinds, want)
		}
		if s := p.Stats(); s.Drops.Foreign != 4 || s.Items.Idle != 0 {
			t.Errorf("Zero %v: kept parts: %v", zero, s)
		}
		fixed.Put(c)
		basincheck.Set(basincheck.Settings{})
	}
}

// TestCheckSetDefault puts slices into a later default pool, which is allowed.
func TestCheckSetDefault(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	defer basin.SetDefault(nil)
	b := basin.Get(100)
	basin.SetDefault(&basin.BytePool{Name: "mine"})
	basin.Put(b)
	if got := told.Take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckDefaultsOfOtherSizes puts slices into a later default pool, whose own slices have other sizes.
func TestCheckDefaultsOfOtherSizes(t *testing.T) {
	defer basin.SetDefault(nil)
	pools := []pooltest.Config{{Name: "usual"}, {Name: "pages", MinSize: 4096}, {Name: "small", MaxSize: 1024}, {Name: "tight", MaxInUse: 16 << 10, MaxSize: 1024}}
	for _, during := range []bool{false, true} {
		for _, from := range pools {
			for _, to := range pools {
				told := pooltest.BeginChecks(t, pooltest.FullChecking)
				if !during {
					basincheck.Set(basincheck.Settings{})
				}
				basin.SetDefault(from.Pool())
				var got [][]byte
				for _, n := range []int{50, 1000, 1100, 4756, 20000} {
					got = append(got, basin.Get(n), basin.Get(n)[:0])
				}
				settings := pooltest.FullChecking
				settings.Handler = told.Handle
				basincheck.Set(settings)
				basin.SetDefault(to.Pool())
				for i, b := range got {
					if i%2 > 0 {
						b = basin.Append(b, make([]byte, cap(b)+1)...)
					}
					basin.Put(b)
				}
				if reports := told.Take(); reports != nil {
					t.Errorf("from %s to %s, checked from the beginning: %t: %v", from.Name, to.Name, during, reports)
				}
			}
		}
	}
	// Foreign slices that no default pool can have handed out are still reported.
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	basin.SetDefault(nil)
	basin.Put(make([]byte, 50)) //basin:ok on purpose
	if got := pooltest.Kinds(told.Take()); len(got) != 1 || got[0] != basincheck.ForeignPut {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckAppendWhileSwitching appends to slices of make, which is allowed, while levels change.
func TestCheckAppendWhileSwitching(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{}
	p.Put(p.Get(1))
	var stop atomic.Bool
	var worked atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !stop.Load() {
				worked.Add(1)
				p.Put(p.Append(make([]byte, 100), 1))
			}
		})
	}
	rounds := 60
	if pooltest.Long() {
		rounds = 600
	}
	pooltest.SwitchLevels(told, rounds, &worked)
	stop.Store(true)
	wg.Wait()
	if got := told.Take(); len(got) > 0 {
		t.Errorf("%d reports, first: %v", len(got), got[0])
	}
}

// TestCheckSwitching changes levels while pools are in correct use.
func TestCheckSwitching(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{}
	stop := make(chan bool)
	var worked atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 1; ; n = n%5000 + 1 {
				worked.Add(1)
				select {
				case <-stop:
					return
				default:
				}
				b := p.Get(n)
				b[0], b[n-1] = 1, 2
				c := p.Get(n)
				c[0] = 3
				if b[0] != 1 && n > 1 {
					t.Error("two slices share an array")
				}
				p.Put(c)
				p.Put(b)
			}
		}()
	}
	rounds := 15
	if pooltest.Long() {
		rounds = 50
	}
	pooltest.SwitchLevels(told, rounds, &worked)
	close(stop)
	wg.Wait()
	runtime.GC()
	if got := told.Take(); len(got) > 0 {
		t.Errorf("%d reports, first: %v", len(got), got[0])
	}
}

// TestOnMiss: OnMiss tells of each miss, whether or not the array is tracked or counts towards a limit.
func TestOnMiss(t *testing.T) {
	oneP(t)
	defer basincheck.Set(basincheck.Now())
	for _, level := range []basincheck.Settings{{}, {Level: basincheck.Sampled, Every: 2}, {Level: basincheck.Full}} {
		basincheck.Set(level)
		for _, p := range []*basin.BytePool{{}, {MaxFit: 1, Adopts: true}, {Zero: true}, {MaxInUse: 1 << 20}, {MaxInUse: 100}} {
			var misses, bytes int
			engine.OnMiss(p, func(size int) { misses++; bytes += size })
			for range 20 {
				p.Put(p.Get(1000))
			}
			p.Get(1024)
			p.Get(1024)
			p.Get(8 << 20) // of no class
			if s := p.Stats(); misses != int(s.Misses) || misses < 1 || bytes != 1024*misses {
				t.Errorf("%v, MaxInUse %d: told of %d misses and %d bytes: %v", level.Level, p.MaxInUse, misses, bytes, s)
			}
		}
	}
}
