//go:build go1.25

package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// forgetting has a pool of each kind that Forget treats in its own way.
var forgetting = []pooltest.Config{
	{Name: "plain", MaxSize: 64 << 10},
	{Name: "zero", MaxSize: 64 << 10, Zero: true},
	{Name: "adopts", MaxSize: 64 << 10, Adopts: true},
	{Name: "keeps none", MaxSize: 64 << 10, MaxIdle: basin.KeepNone},
	{Name: "ceiling", MaxSize: 64 << 10, MaxInUse: 256 << 10},
	{Name: "zero ceiling", MaxSize: 64 << 10, MaxInUse: 256 << 10, Zero: true},
}

// TestForget forgets slices of each origin. They stay as they are, are in use no more, and go to the
// collector, which loses and leaks nothing.
func TestForget(t *testing.T) {
	levels := map[string]basincheck.Settings{"off": {}, "sampled": {Level: basincheck.Sampled, Every: 1}, "full": {Level: basincheck.Full}}
	if testing.Short() {
		delete(levels, "sampled")
	}
	for level, settings := range levels {
		for i, config := range forgetting {
			if testing.Short() && level != "off" && i > 0 {
				continue
			}
			p := config.Pool()
			for name, get := range map[string]func() []byte{
				"a class":              func() []byte { return p.Get(1024) },
				"a part of a class":    func() []byte { return p.Get(1000)[:0] },
				"recycled":             func() []byte { p.Put(p.Get(3000)); return p.Get(3000) },
				"larger than MaxSize":  func() []byte { return p.Get(100 << 10) },
				"grown":                func() []byte { return p.Append(p.Get(64), pattern(100)...) },
				"beyond the ceiling":   func() []byte { return p.Grow(nil, 300<<10) },
				"adopted, handed out":  func() []byte { p.Adopt(make([]byte, 7000)); return p.Get(6000) },
				"ReadAll":              func() []byte { b, _ := p.ReadAll(bytes.NewReader(pattern(5000))); return b },
				"before the first use": func() []byte { p = config.Pool(); return p.Append(nil, pattern(500)...) },
			} {
				t.Run(level+"/"+config.Name+"/"+name, func(t *testing.T) {
					told := pooltest.BeginChecks(t, settings)
					p = config.Pool()
					weakly := func() weak.Pointer[byte] {
						b := get()
						b = b[:cap(b)]
						copy(b, pattern(len(b)))
						held := p.Stats()
						p.Forget(b)
						s := p.Stats()
						if held.Bytes.InUse == 0 && held.OutsideInUse.Items == 0 && name != "beyond the ceiling" {
							t.Error("the slice was not in use")
						}
						if s.Bytes.InUse != 0 || s.Items.InUse != 0 || s.OutsideInUse != (basin.Amount{}) {
							t.Errorf("in use after Forget: %+v", s)
						}
						if s.Bytes.Idle > held.Bytes.Idle || s.Puts+s.Drops.Total() == held.Puts+held.Drops.Total() {
							t.Errorf("before Forget %+v, after %+v", held, s)
						}
						if len(basincheck.Outstanding()) != 0 {
							t.Errorf("outstanding: %+v", basincheck.Outstanding())
						}
						for range 50 { // others get memory of the pool, but not b
							p.Put(dirty(p.Get(len(b))))
						}
						if at := differsAt(b, pattern(len(b))); at < len(b) {
							t.Errorf("the slice differs at %d", at)
						}
						return weak.Make(array(b))
					}()
					testenv.CollectUntil(func() bool { return weakly.Value() == nil })
					testenv.RunCleanups()
					if s := p.Stats(); s.Lost != (basin.Amount{}) || s.Bytes.InUse != 0 {
						t.Errorf("after its death: %+v", s)
					}
					if got := told.Take(); got != nil {
						t.Errorf("reported: %v", got)
					}
				})
			}
		}
	}
}

// TestForgetCounts: without checks, Forget counts as a Put of a slice that is released at once.
func TestForgetCounts(t *testing.T) {
	if pooltest.FullChecks {
		t.Skip("with checks it counts as Checked")
	}
	for _, config := range forgetting {
		p := config.Pool()
		p.Forget(p.Get(1000))
		p.Forget(p.Get(100 << 10))
		s := p.Stats()
		if s.Gets != 2 || s.Puts != 1 || s.Trimmed != 1 || s.Drops != (basin.Drops{Large: 1}) || s.Items.Idle != 0 {
			t.Errorf("%s: %+v", config.Name, s)
		}
	}
}

// TestForgetBad calls Forget and Put in each wrong way, without checks. Neither other users' memory nor
// the room under a ceiling may suffer.
func TestForgetBad(t *testing.T) {
	pooltest.Misuses(t)
	other := &basin.BytePool{}
	for name, misuse := range map[string]func(p *basin.BytePool){
		"nothing":           func(p *basin.BytePool) { p.Forget(nil); p.Forget([]byte{}); p.Forget(p.Get(0)) },
		"the empty end":     func(p *basin.BytePool) { b := p.Get(64); p.Forget(b[64:]); p.Put(b) },
		"a part":            func(p *basin.BytePool) { b := p.Get(1000); p.Forget(b[8:]); p.Put(b) },
		"a part in shape":   func(p *basin.BytePool) { b := p.Get(4096); p.Forget(b[2048:]); p.Put(b) },
		"clipped":           func(p *basin.BytePool) { b := p.Get(1000); p.Forget(b[:8:8]); p.Put(b) },
		"clipped in shape":  func(p *basin.BytePool) { b := p.Get(4096); p.Forget(b[:2048:2048]); p.Put(b) },
		"foreign":           func(p *basin.BytePool) { p.Forget(make([]byte, 100)) },
		"foreign in shape":  func(p *basin.BytePool) { p.Forget(make([]byte, 4096)) },
		"foreign and large": func(p *basin.BytePool) { p.Forget(make([]byte, 100<<10)) },
		"foreign and odd":   func(p *basin.BytePool) { p.Forget(make([]byte, 301)[:301:301]) },
		"of another pool":   func(p *basin.BytePool) { b := other.Get(1000); p.Forget(b); other.Put(b) },
		"a global":          func(p *basin.BytePool) { p.Forget(globalArray[:]) },
		"twice":             func(p *basin.BytePool) { b := p.Get(1000); p.Forget(b); p.Forget(b) },
		"large, twice":      func(p *basin.BytePool) { b := p.Get(100 << 10); p.Forget(b); p.Forget(b) },
		"after Put":         func(p *basin.BytePool) { b := p.Get(1000); p.Put(b); p.Forget(b) },
		"after Put, handed out again": func(p *basin.BytePool) {
			b := p.Get(1000)
			p.Put(b)
			p.Forget(b)
			p.Put(p.Get(1000))
		},
		"before Put": func(p *basin.BytePool) { b := p.Get(1000); p.Forget(b); p.Put(b) },
	} {
		for _, config := range forgetting {
			t.Run(name+"/"+config.Name, func(t *testing.T) {
				pooltest.Alone(t) // so that an item put is the next one got
				p := config.Pool()
				held := dirty(p.Get(1000))
				want := bytes.Clone(held)
				for range 300 {
					misuse(p)
					if s := p.Stats(); s.Bytes.InUse < 0 || s.Bytes.MaxInUse > 0 && s.Bytes.InUse > s.Bytes.MaxInUse {
						t.Fatalf("in use: %+v", s)
					}
				}
				if !bytes.Equal(held, want) {
					t.Error("another user's memory has changed")
				}
				p.Put(held)
				if config.MaxInUse == 0 {
					return
				}
				p.Trim()
				testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
				testenv.RunCleanups()
				all, ok := p.TryGet(int(config.MaxInUse))
				if !ok {
					t.Fatalf("the room is not free: %+v", p.Stats())
				}
				p.Put(all)
			})
		}
	}
	mustPanicNil(t, func() { (*basin.BytePool)(nil).Forget(nil) })
	mustPanicNil(t, func() { (*basin.BytePool)(nil).Forget(make([]byte, 100)) })
}

var globalArray [1024]byte

// mustPanicNil runs f, which must dereference a nil pointer.
func mustPanicNil(t *testing.T, f func()) {
	t.Helper()
	if _, ok := recovered(f).(runtime.Error); !ok {
		t.Error("no nil dereference")
	}
}

// TestForgetIdle forgets a slice that is idle, by mistake, while nothing is in use. A pool under a limit notices.
// When it hands the slice out again, the limit counts it as before.
func TestForgetIdle(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{MaxInUse: 4096}
	for i := range uint64(3) {
		b := p.Get(1024)
		p.Put(b)
		p.Forget(b)
		c := p.Get(1024)
		if array(c) != array(b) {
			t.Fatal("the slice was not idle")
		}
		if s := p.Stats(); s.Bytes.InUse != 1024 {
			t.Errorf("in use: %+v", s)
		}
		p.Put(c)
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Bytes.Idle != 1024 || s.Drops != (basin.Drops{Double: i + 1}) {
			t.Errorf("put: %+v", s)
		}
	}
	// A slice that is lost later is found, once.
	p.Get(1024)
	testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
	if s := p.Stats(); s.Lost.Items != 1 {
		t.Errorf("lost: %+v", s)
	}
}

// TestForgetWakes: a request that waits gets the room of a forgotten slice.
func TestForgetWakes(t *testing.T) {
	for _, size := range []int{4096, 8192} {
		p := &basin.BytePool{MaxInUse: 8192, MaxSize: 4096}
		var held [][]byte
		for s := p.Stats(); s.Bytes.InUse < 8192; s = p.Stats() {
			held = append(held, p.Get(size))
		}
		served := make(chan []byte)
		go func() { served <- waitFor(t, p, size) }()
		for p.Stats().Waiting == 0 {
			runtime.Gosched()
		}
		p.Forget(held[0])
		p.Put(<-served)
		for _, b := range held[1:] {
			p.Put(b)
		}
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Lost.Items != 0 {
			t.Errorf("%+v", s)
		}
		runtime.KeepAlive(held)
	}
}

// TestForgetConcurrently: of several calls with the same slice, one counts under a ceiling. Others get
// and put meanwhile.
func TestForgetConcurrently(t *testing.T) {
	pooltest.Misuses(t)
	for _, config := range forgetting {
		p := config.Pool()
		held := p.Get(2000)
		copy(held, pattern(2000))
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for range 200 {
					b := p.Get(1000)
					b[0], b[999] = byte(g), byte(g)
					runtime.Gosched()
					if b[0] != byte(g) || b[999] != byte(g) {
						t.Error("two users of one slice")
					}
					p.Put(b)
				}
			})
			all.Go(func() {
				for range 100 {
					b := p.Get(1000)
					var both sync.WaitGroup
					for range 2 {
						both.Go(func() { p.Forget(b) })
					}
					both.Wait()
					b[0] = byte(g)
					if b[0] != byte(g) {
						t.Error("two users of one slice")
					}
				}
			})
		}
		all.Wait()
		if differsAt(held, pattern(2000)) < 2000 {
			t.Error("another user's memory has changed")
		}
		s := p.Stats()
		if config.MaxInUse > 0 && (s.Bytes.InUse != 2048 || s.Puts != 1200) {
			t.Errorf("%s: %+v", config.Name, s)
		}
	}
}

func TestCheckForget(t *testing.T) {
	type kind = basincheck.Kind
	for _, tt := range []struct {
		name string
		do   func(p, other *basin.BytePool)
		want []kind
	}{
		{"forgotten", func(p, _ *basin.BytePool) { b := p.Get(100); p.Forget(b); b[0] = 1 }, nil},
		{"forgotten while shorter", func(p, _ *basin.BytePool) { p.Forget(p.Get(100)[:3]) }, nil},
		{"nothing", func(p, _ *basin.BytePool) {
			p.Forget(nil)
			p.Forget([]byte{})
			b := p.Get(64)
			p.Forget(b[64:])
			p.Put(b)
		}, nil},
		{"larger than MaxSize", func(p, _ *basin.BytePool) { p.Forget(p.Get(2 << 20)) }, nil},
		{"larger than MaxSize, twice", func(p, _ *basin.BytePool) { b := p.Get(2 << 20); p.Forget(b); p.Forget(b) }, nil},
		{"foreign and larger than MaxSize", func(p, _ *basin.BytePool) { p.Forget(make([]byte, 2<<20)) }, nil},
		{"adopted by another", func(p, other *basin.BytePool) { b := p.Get(100); p.Forget(b); other.Adopt(b) }, nil},
		{"twice", func(p, _ *basin.BytePool) { b := p.Get(100); p.Forget(b); p.Forget(b) }, []kind{basincheck.DoublePut}},
		{"after Put", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); p.Forget(b) }, []kind{basincheck.DoublePut}},
		{"before Put", func(p, _ *basin.BytePool) { b := p.Get(100); p.Forget(b); p.Put(b) }, []kind{basincheck.DoublePut}},
		{"before Append", func(p, _ *basin.BytePool) { b := p.Get(64); p.Forget(b); p.Put(p.Append(b, 1)) }, []kind{basincheck.DoublePut}},
		{"before Put of a part", func(p, _ *basin.BytePool) { b := p.Get(100); p.Forget(b); p.Put(b[8:]) }, []kind{basincheck.ForeignPut}},
		{"before Put into another pool", func(p, other *basin.BytePool) { b := p.Get(100); p.Forget(b); other.Put(b) }, []kind{basincheck.DoublePut}},
		{"foreign", func(p, _ *basin.BytePool) { p.Forget(make([]byte, 100)) }, []kind{basincheck.ForeignPut}},
		{"foreign in shape", func(p, _ *basin.BytePool) { p.Forget(make([]byte, 4096)) }, []kind{basincheck.ForeignPut}},
		{"a part", func(p, _ *basin.BytePool) { b := p.Get(100); p.Forget(b[8:]); p.Put(b) }, []kind{basincheck.InteriorPut}},
		{"clipped", func(p, _ *basin.BytePool) { b := p.Get(100); p.Forget(b[:8:8]); p.Put(b) }, []kind{basincheck.ReslicedPut}},
		{"of another pool", func(p, other *basin.BytePool) { b := p.Get(100); other.Forget(b); p.Put(b) }, []kind{basincheck.WrongPool}},
	} {
		for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}, {Level: basincheck.Full, Guard: true}} {
			for _, config := range []pooltest.Config{{}, {MaxInUse: 8 << 20}, {Zero: true}} {
				t.Run(fmt.Sprintf("%s/%v, guard %t, MaxInUse %d, Zero %t", tt.name, level.Level, level.Guard, config.MaxInUse, config.Zero), func(t *testing.T) {
					told := pooltest.BeginChecks(t, level)
					config.MaxSize = 1 << 20
					config.Name = "its own"
					p, other := config.Pool(), &basin.BytePool{Name: "other"}
					tt.do(p, other)
					basincheck.Verify()
					testenv.RunCleanups()
					got, want := told.Take(), tt.want
					if level.Level == basincheck.Sampled { // does not look for these
						want = slices.DeleteFunc(slices.Clone(want), func(k kind) bool { return k == basincheck.InteriorPut || k == basincheck.ForeignPut })
					}
					if !slices.Equal(pooltest.Kinds(got), want) {
						t.Fatalf("reported %v, want %v\n%v", pooltest.Kinds(got), want, got)
					}
					for _, m := range got {
						if !pooltest.InCaller(m.Here) || m.Kind == basincheck.DoublePut && !(pooltest.InCaller(m.FirstPut) && pooltest.InCaller(m.Acquired)) {
							t.Errorf("without the lines: %v", m)
						}
					}
					if n := len(basincheck.Outstanding()); n != 0 {
						t.Errorf("%d lines have something outstanding", n)
					}
					if s := p.Stats(); s.Bytes.InUse < 0 || s.Lost.Items != 0 {
						t.Errorf("%+v", s)
					}
				})
			}
		}
	}
}

// TestCheckForgetSite: a forgotten slice counts as put, at the line of the Forget.
func TestCheckForgetSite(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{Name: "sites"}
	for range 3 {
		p.Forget(p.Get(100))
	}
	testenv.RunCleanups()
	s := slices.DeleteFunc(basincheck.Sites(), func(s basincheck.Site) bool { return s.Pool != "sites" })
	if len(s) != 1 || s[0].Gets != 3 || s[0].Puts != 3 || s[0].Leaks != 0 || s[0].Items != 0 || !pooltest.InCaller(s[0].LastPut) {
		t.Errorf("%+v", s)
	}
}

// TestForgetGuarded: forgotten memory between guard pages stays accessible, whatever else is put, and
// after checks. As nothing frees it, a pool that has forgotten much of it gets no more.
func TestForgetGuarded(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Full, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	p := &basin.BytePool{}
	kept := p.Get(1 << 20)
	copy(kept, pattern(len(kept)))
	p.Forget(kept)
	for range 100 {
		p.Put(p.Get(1 << 20))
	}
	if differsAt(kept, pattern(len(kept))) < len(kept) {
		t.Error("forgotten memory has changed")
	}
	before := pooltest.Heap()
	for range 15 {
		p.Forget(p.Get(1 << 20))
	}
	if on := pooltest.Heap() - before; on > 512<<10 {
		t.Errorf("%d bytes are on the heap", on)
	}
	before = pooltest.Heap() // again, because garbage of other tests goes meanwhile
	next := p.Get(1 << 20)
	if on := pooltest.Heap() - before; on < 512<<10 {
		t.Errorf("more than 16 MiB forgotten, but only %d bytes are on the heap", on)
	}
	p.Put(next)
	basincheck.Set(basincheck.Settings{})
	p.Forget(kept) // unknown now
	if differsAt(kept, pattern(len(kept))) < len(kept) {
		t.Error("forgotten memory has changed after checks")
	}
}

// TestForgetFromBefore: slices from before checks, and from checks that have ended, are no misuse.
func TestForgetFromBefore(t *testing.T) {
	for _, max := range []int64{0, 1 << 20} {
		p := &basin.BytePool{MaxInUse: max}
		b := p.Get(1000)
		told := pooltest.BeginChecks(t, pooltest.FullChecking)
		p.Forget(b)
		c := p.Get(1000)
		basincheck.Set(basincheck.Settings{})
		p.Forget(c)
		if got := told.Take(); got != nil {
			t.Errorf("MaxInUse %d: reported %v", max, got)
		}
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Puts != 2 {
			t.Errorf("MaxInUse %d: %+v", max, s)
		}
	}
}

// TestKeptResults keeps results of ReadAll in each way that docs/recipes.md has.
func TestKeptResults(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	const results = 1000
	var pool basin.BytePool
	for name, read := range map[string]func(r io.Reader, size int64) []byte{
		"cloned": func(r io.Reader, _ int64) []byte {
			data, _ := pool.ReadAll(r)
			kept := bytes.Clone(data)
			pool.Put(data)
			return kept
		},
		"of known size": func(r io.Reader, size int64) []byte {
			data, _ := pool.ReadAllSize(r, size)
			pool.Forget(data)
			return data
		},
	} {
		pool.Trim()
		kept := make([][]byte, 0, results)
		before, total := pooltest.Heap(), int64(0)
		for i := range results {
			n := (i*7919)%40_000 + 1000
			total += int64(n)
			kept = append(kept, read(struct{ io.Reader }{bytes.NewReader(pattern(n))}, int64(n)))
		}
		if s := pool.Stats(); s.Bytes.InUse != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		pool.Trim()
		held := pooltest.Heap() - before
		t.Logf("%s: %d bytes hold %.3f times their length", name, total, float64(held)/float64(total))
		if held > total*11/10 {
			t.Errorf("%s: %d bytes hold %d", name, total, held)
		}
		runtime.KeepAlive(kept)
	}
}
