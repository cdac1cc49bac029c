package basin_test

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
)

// A collector is a Handler that keeps what it is told.
type collector struct {
	mu  sync.Mutex
	all []*basin.Misuse
}

func (c *collector) handle(m *basin.Misuse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, m)
}

// take returns what was collected since the last call.
func (c *collector) take() []*basin.Misuse {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// checked begins a new checking for the rest of the test, in which nothing from before is
// judged, and returns who is told of misuse.
func checked(t testing.TB, c basin.Checking) *collector {
	t.Helper()
	before := basin.CheckingNow()
	t.Cleanup(func() { basin.SetChecking(before) })
	told := new(collector)
	c.Handler = told.handle
	basin.SetChecking(basin.Checking{})
	basin.SetChecking(c)
	return told
}

var full = basin.Checking{Level: basin.CheckFull}

// switchLevels goes through all levels, rounds times, while others work.
func switchLevels(told *collector, rounds int) {
	for range rounds {
		for _, c := range []basin.Checking{full, {Level: basin.CheckSampled, Every: 2}, {}} {
			c.Handler = told.handle
			basin.SetChecking(c)
			time.Sleep(time.Millisecond)
		}
	}
}

// collectUntil runs the collector until done reports true, or fails the test.
func collectUntil(t testing.TB, done func() bool) {
	t.Helper()
	for range 100 {
		runtime.GC()
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond) // for finalizers
	}
	t.Fatal("the garbage collector has not found it")
}

// kinds returns the kinds of misuses, in their order.
func kinds(all []*basin.Misuse) []basin.MisuseKind {
	var k []basin.MisuseKind
	for _, m := range all {
		k = append(k, m.Kind)
	}
	return k
}

// in reports whether the innermost frame of s is in this file.
func in(s basin.Stack) bool {
	f := s.Frames()
	return len(f) > 0 && path.Base(f[0].File) == "check_test.go"
}

func TestCheckFullFindsMisuse(t *testing.T) {
	type kind = basin.MisuseKind
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
		{"put twice", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b) }, []kind{basin.DoublePut}, 0},
		{"put twice, others in between", func(p, _ *basin.BytePool) {
			b, c := p.Get(100), p.Get(100)
			p.Put(b)
			p.Put(c)
			d := p.Get(100)
			p.Put(b)
			p.Put(d)
		}, []kind{basin.DoublePut}, 0},
		{"put again re-sliced", func(p, _ *basin.BytePool) { b := p.Get(128); p.Put(b); p.Put(b[:64:64]) }, []kind{basin.DoublePut}, 0},
		{"interior", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b[4:]) }, []kind{basin.InteriorPut}, 4},
		{"interior in the shape of a class", func(p, _ *basin.BytePool) { b := p.Get(4096); p.Put(b[2048:]) }, []kind{basin.InteriorPut}, 2048},
		{"re-sliced", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b[:100:100]) }, []kind{basin.ReslicedPut}, 100},
		{"re-sliced to the shape of a class", func(p, _ *basin.BytePool) { b := p.Get(4096); p.Put(b[:2048:2048]) }, []kind{basin.ReslicedPut}, 2048},
		{"foreign", func(p, _ *basin.BytePool) { p.Put(make([]byte, 100)) }, []kind{basin.ForeignPut}, 0},
		{"foreign in the shape of a class", func(p, _ *basin.BytePool) { p.Put(make([]byte, 4096)) }, []kind{basin.ForeignPut}, 0},
		{"another pool", func(p, other *basin.BytePool) { other.Put(p.Get(100)) }, []kind{basin.WrongPool}, 0},
		{"another pool, then its own", func(p, other *basin.BytePool) { b := p.Get(100); other.Put(b); p.Put(b) },
			[]kind{basin.WrongPool, basin.DoublePut}, 0},
		{"outgrown by Append", func(p, _ *basin.BytePool) {
			b := p.Get(64)
			p.Put(p.Append(b, 1))
			p.Put(b)
		}, []kind{basin.DoublePut}, 0},
		{"ReadAll", func(p, _ *basin.BytePool) {
			b, _ := p.ReadAll(strings.NewReader(strings.Repeat("basin ", 50_000)))
			p.Put(b)
		}, nil, 0},
		{"write after put", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); b[17] = 1; basin.Verify() }, []kind{basin.WriteAfterPut}, 17},
		{"write after put beyond the length", func(p, _ *basin.BytePool) {
			b := p.Get(5000)
			p.Put(b)
			b[:cap(b)][cap(b)-1]++
			basin.Verify()
			basin.Verify() // says it once
		}, []kind{basin.WriteAfterPut}, 6143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := checked(t, full)
			p := basin.NewBytePool(basin.Config{Name: "its own", MaxSize: 1 << 20})
			other := basin.NewBytePool(basin.Config{Name: "other"})
			tt.do(p, other)
			basin.Verify()
			got := told.take()
			if !slices.Equal(kinds(got), tt.want) {
				t.Fatalf("reported: %v, want %v\n%v", kinds(got), tt.want, got)
			}
			for _, m := range got {
				wantPool := "its own"
				if m.Pool != wantPool {
					t.Errorf("%v: pool %q, want %q", m.Kind, m.Pool, wantPool)
				}
				if m.Kind != basin.ForeignPut && !in(m.Acquired) {
					t.Errorf("%v: no acquisition:\n%v", m.Kind, m)
				}
				if (m.Kind == basin.DoublePut || m.Kind == basin.WriteAfterPut) && !in(m.FirstPut) {
					t.Errorf("%v: no first Put:\n%v", m.Kind, m)
				}
				if m.Kind != basin.WriteAfterPut && !in(m.Here) {
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

// TestCheckCollector has what nobody refers to found by the garbage collector.
func TestCheckCollector(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(p *basin.BytePool)
		want basin.MisuseKind
	}{
		{"leak", func(p *basin.BytePool) { p.Get(100) }, basin.Leak},
		{"leak of one that is larger", func(p *basin.BytePool) { p.Get(1 << 20) }, basin.Leak},
		{"leak of a part", func(p *basin.BytePool) { _ = p.Get(100)[50:] }, basin.Leak},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, level := range []basin.Checking{full, {Level: basin.CheckSampled, Every: 1}} {
				told := checked(t, level)
				p := basin.NewBytePool(basin.Config{Name: "p"})
				tt.do(p)
				var got []*basin.Misuse
				collectUntil(t, func() bool { got = append(got, told.take()...); return len(got) > 0 })
				if m := got[0]; len(got) != 1 || m.Kind != tt.want || !in(m.Acquired) || m.Here != nil {
					t.Errorf("%v: %v", level.Level, got)
				}
				if n := len(basin.InUse()); n != 0 {
					t.Errorf("%v: %d sites in use after all was collected", level.Level, n)
				}
			}
		})
	}
}

// TestCheckQuarantine has what was written to after it was put found by those who go on.
func TestCheckQuarantine(t *testing.T) {
	for _, level := range []basin.Checking{full, {Level: basin.CheckSampled, Every: 1}} {
		for _, p := range []*basin.BytePool{basin.NewBytePool(basin.Config{}), basin.NewBytePool(basin.Config{MaxInUse: 4 << 20})} {
			told := checked(t, level)
			b := p.Get(100)
			p.Put(b)
			b[99] = 1
			got := told.take()
			for n := 0; n < 80 && len(got) == 0; n++ {
				p.Put(p.Get(1 << 20))
				got = told.take()
			}
			if !slices.Equal(kinds(got), []basin.MisuseKind{basin.WriteAfterPut}) || got[0].Offset != 99 || !in(got[0].FirstPut) {
				t.Errorf("%v: after 80 MiB: %v", level.Level, got)
			}
			p.Put(p.Get(100)) // and goes on
			if got := told.take(); got != nil {
				t.Errorf("%v: and then: %v", level.Level, got)
			}
		}
	}
}

func TestCheckNothingFromBefore(t *testing.T) {
	p := basin.NewBytePool(basin.Config{})
	out, put := p.Get(100), p.Get(100)
	p.Put(put)
	told := checked(t, full)
	p.Put(out)
	p.Put(put) // twice, but the first was before
	if got := told.take(); got != nil {
		t.Errorf("reported what was from before: %v", got)
	}
	p.Put(make([]byte, 100))
	if got := kinds(told.take()); !slices.Equal(got, []basin.MisuseKind{basin.ForeignPut}) {
		t.Errorf("of a slice that cannot be the pool's: %v, want a foreign Put", got)
	}
	// A slice that is out when checking ends and begins again is from before, too.
	b := p.Get(100)
	basin.SetChecking(basin.Checking{})
	told = checked(t, full)
	p.Put(b)
	b = p.Get(100)
	basin.SetChecking(basin.Checking{})
	p.Put(b)
	if c := p.Get(100); &c[0] != &b[0] {
		t.Error("with checks off again, Get did not return what was put")
	}
	p.Put(b)
	if got := told.take(); got != nil {
		t.Errorf("reported what was from before: %v", got)
	}
}

func TestCheckHandlerAlone(t *testing.T) {
	told := checked(t, full)
	b := basin.Get(100)
	other := new(collector)
	c := full
	c.Handler = other.handle
	basin.SetChecking(c)
	basin.Put(b)
	basin.Put(b)
	if len(told.take()) != 0 || !slices.Equal(kinds(other.take()), []basin.MisuseKind{basin.DoublePut}) {
		t.Error("an exchanged handler was not told, alone, of what was out from before")
	}
}

func TestCheckDefaultHandlerPanics(t *testing.T) {
	checked(t, full)
	basin.SetChecking(full) // no handler
	b := basin.Get(100)
	basin.Put(b)
	func() {
		defer func() {
			err, _ := recover().(error)
			var m *basin.Misuse
			if !errors.As(err, &m) || m.Kind != basin.DoublePut {
				t.Errorf("a double Put panicked with %v", err)
			}
		}()
		basin.Put(b)
	}()
	basin.Put(basin.Get(100)) // and nothing is locked
}

// TestCheckBadHandlers has handlers that panic, and that use the pools and the checks.
func TestCheckBadHandlers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler func(*basin.Misuse)
	}{
		{"panics", func(*basin.Misuse) { panic("handler") }},
		{"uses the pool", func(m *basin.Misuse) {
			b := basin.Get(m.Size)
			basin.Put(b)
			basin.Verify()
			basin.InUse()
			basin.Default().Stats()
		}},
		{"misuses the pool", func(m *basin.Misuse) {
			if m.Size > 64 {
				b := basin.Get(64)
				basin.Put(b)
				basin.Put(b)
			}
		}},
		{"changes the level", func(*basin.Misuse) { basin.SetChecking(basin.Checking{}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checked(t, full)
			basin.SetChecking(basin.Checking{Level: basin.CheckFull, Handler: tt.handler})
			for _, misuse := range []func(){
				func() { b := basin.Get(100); basin.Put(b); basin.Put(b) },
				func() { b := basin.Get(100); basin.Put(b[4:]) },
				func() { basin.Put(make([]byte, 100)) },
				func() { b := basin.Get(100); basin.Put(b); b[0] = 1; basin.Verify() },
			} {
				done := make(chan bool)
				go func() {
					defer close(done)
					defer func() { recover() }()
					misuse()
				}()
				<-done // or the test hangs
			}
			basin.Put(basin.Get(100))
		})
	}
}

func TestCheckLevels(t *testing.T) {
	for _, tt := range []struct {
		set, now basin.Checking
	}{
		{basin.Checking{}, basin.Checking{}},
		{basin.Checking{Every: 7, Guard: true}, basin.Checking{}},
		{basin.Checking{Level: basin.CheckSampled}, basin.Checking{Level: basin.CheckSampled, Every: basin.DefaultCheckEvery}},
		{basin.Checking{Level: basin.CheckSampled, Every: 7, Guard: true}, basin.Checking{Level: basin.CheckSampled, Every: 7}},
		{basin.Checking{Level: basin.CheckFull, Every: 7}, basin.Checking{Level: basin.CheckFull}},
	} {
		checked(t, basin.Checking{})
		basin.SetChecking(tt.set)
		got := basin.CheckingNow()
		if got.Level != tt.now.Level || got.Every != tt.now.Every || got.Guard != tt.now.Guard {
			t.Errorf("after SetChecking(%+v): %+v, want %+v", tt.set, got, tt.now)
		}
	}
	for _, bad := range []struct {
		c    basin.Checking
		want string
	}{
		{basin.Checking{Level: 3}, "Checking.Level is 3"},
		{basin.Checking{Level: basin.CheckSampled, Every: -1}, "Checking.Every is -1"},
	} {
		func() {
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, bad.want) {
					t.Errorf("SetChecking(%+v): %s, want a panic with %q", bad.c, msg, bad.want)
				}
			}()
			basin.SetChecking(bad.c)
		}()
	}
	names := fmt.Sprint(basin.CheckOff, basin.CheckSampled, basin.CheckFull, basin.CheckLevel(9))
	if want := "off sampled full CheckLevel(9)"; names != want {
		t.Errorf("levels are called %s, want %s", names, want)
	}
}

func TestCheckInUse(t *testing.T) {
	checked(t, full)
	if s := basin.InUse(); len(s) != 0 {
		t.Fatalf("at first: %v", s)
	}
	p := basin.NewBytePool(basin.Config{Name: "big"})
	var held [][]byte
	for range 3 {
		held = append(held, p.Get(1000))
	}
	held = append(held, basin.Get(100))
	s := basin.InUse()
	if len(s) != 2 || s[0].Pool != "big" || s[0].Objects != 3 || s[0].Bytes != 3*1024 || !in(s[0].Stack) ||
		s[1].Pool != "default" || s[1].Objects != 1 || s[1].Bytes != 128 {
		t.Errorf("in use: %+v", s)
	}
	p.Put(held[0])
	if s := basin.InUse(); s[0].Objects != 2 {
		t.Errorf("after a Put: %+v", s)
	}
	basin.SetChecking(basin.Checking{})
	if s := basin.InUse(); s != nil {
		t.Errorf("with checking off: %+v", s)
	}
	runtime.KeepAlive(held)
}

// TestCheckSampledEstimates has a quarter of the acquisitions tracked, and all of them
// estimated from those.
func TestCheckSampledEstimates(t *testing.T) {
	told := checked(t, basin.Checking{Level: basin.CheckSampled, Every: 4})
	p := basin.NewBytePool(basin.Config{})
	var held [][]byte
	for range 10_000 {
		held = append(held, p.Get(64))
	}
	objects := int64(0)
	for _, s := range basin.InUse() {
		objects += s.Objects
	}
	if objects < 8000 || objects > 12000 { // 11 standard deviations
		t.Errorf("%d objects in use by estimate, want about 10000", objects)
	}
	for _, b := range held {
		p.Put(b)
	}
	if s := basin.InUse(); len(s) != 0 {
		t.Errorf("in use after all was put: %v", s)
	}
	if s := p.Stats(); s.Gets != 10_000 || s.Puts != 10_000 || s.InUseBytes != 0 {
		t.Errorf("stats: %+v", s)
	}
	if got := told.take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckedCeiling has a pool with a MaxInUse count the same as without checks.
func TestCheckedCeiling(t *testing.T) {
	told := checked(t, full)
	p := basin.NewBytePool(basin.Config{Name: "c", MaxInUse: 1024})
	b, c := p.Get(512), p.Get(512)
	if _, ok := p.TryGet(1); ok {
		t.Fatal("more than MaxInUse")
	}
	b = p.Append(b, 1) // gets a plain slice, which is not counted
	p.Put(c)
	p.Put(b)
	if s := p.Stats(); s.InUseBytes != 0 {
		t.Errorf("%d bytes in use", s.InUseBytes)
	}
	if got := told.take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	p.Put(c)
	if s := p.Stats(); s.InUseBytes != 0 || s.DropsBy.Double != 1 || s.Misuse.DoublePut != 1 {
		t.Errorf("after a double Put: %+v", s)
	}
	if got := kinds(told.take()); !slices.Equal(got, []basin.MisuseKind{basin.DoublePut}) {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckSetDefault has slices put into another default pool than they are from, which
// is documented.
func TestCheckSetDefault(t *testing.T) {
	told := checked(t, full)
	defer basin.SetDefault(nil)
	b := basin.Get(100)
	basin.SetDefault(basin.NewBytePool(basin.Config{Name: "mine"}))
	basin.Put(b)
	if got := told.take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckSwitching changes levels while pools are in use, and misuses nothing.
func TestCheckSwitching(t *testing.T) {
	told := checked(t, full)
	p := basin.NewBytePool(basin.Config{})
	stop := make(chan bool)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 1; ; n = n%5000 + 1 {
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
	switchLevels(told, 50)
	close(stop)
	wg.Wait()
	runtime.GC()
	if got := told.take(); len(got) > 0 {
		t.Errorf("%d reports, first: %v", len(got), got[0])
	}
}
