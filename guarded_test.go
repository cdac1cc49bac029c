//go:build go1.25

package basin_test

import (
	"io"
	"runtime"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

var (
	guardedSampled = basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true}
	guardedFull    = basincheck.Settings{Level: basincheck.Full, Guard: true}
)

// beginGuarded begins checks with guarded memory.
func beginGuarded(t *testing.T, s basincheck.Settings) *pooltest.Reports {
	t.Helper()
	told := pooltest.BeginChecks(t, s)
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	return told
}

// TestGuardedHolders: under a ceiling, guarded slices are among the holders, with sampled checks and when
// checks have ended.
func TestGuardedHolders(t *testing.T) {
	for _, s := range []basincheck.Settings{guardedSampled, guardedFull} {
		beginGuarded(t, s)
		name := t.Name() + s.Level.String()
		p := &basin.BytePool{Name: name, MaxInUse: 1 << 20}
		var held [][]byte
		outstanding := guard.Count()
		for range 10 {
			held = append(held, p.Get(1000))
		}
		line := thisLine() - 2
		if guard.Count() != outstanding+10 {
			t.Fatalf("%d of 10 slices are guarded", guard.Count()-outstanding)
		}
		want := basin.Amount{Items: 10, Bytes: 10 * int64(cap(held[0]))}
		for range 2 {
			lines := make(map[int]basin.Amount)
			for _, site := range basincheck.Outstanding() {
				if site.Pool == name {
					lines[site.Stack.Line().Line] = basin.Amount{Items: site.Items, Bytes: site.Bytes}
				}
			}
			if len(lines) != 1 || lines[line] != want {
				t.Errorf("%v: lines %v hold memory, want %+v at %d", basincheck.Now().Level, lines, want, line)
			}
			basincheck.Set(basincheck.Settings{})
		}
		for _, b := range held {
			p.Put(b)
		}
		if s := p.Stats(); s.Bytes.InUse != 0 || guard.Count() != outstanding {
			t.Errorf("%+v, %d outstanding, %d before", s, guard.Count(), outstanding)
		}
	}
}

// TestGuardedElsewhere: a guarded slice of a pool with a ceiling that goes to another pool gives its room and
// its memory back, whatever way it goes.
func TestGuardedElsewhere(t *testing.T) {
	for name, tt := range map[string]struct {
		give func(other *basin.BytePool, b []byte)
		off  bool // checks have ended before
	}{
		"put":                    {func(other *basin.BytePool, b []byte) { other.Put(b) }, false},
		"put after checks":       {func(other *basin.BytePool, b []byte) { other.Put(b) }, true},
		"adopted":                {func(other *basin.BytePool, b []byte) { other.Adopt(b) }, false},
		"adopted after checks":   {func(other *basin.BytePool, b []byte) { other.Adopt(b) }, true},
		"forgotten after checks": {func(other *basin.BytePool, b []byte) { other.Forget(b); other.Put(b) }, true},
		"the new default pool": {func(other *basin.BytePool, b []byte) {
			basin.SetDefault(other)
			basin.Put(b)
		}, false},
	} {
		for _, s := range []basincheck.Settings{guardedSampled, guardedFull} {
			for _, ceiling := range []int64{0, 1 << 20} {
				told := beginGuarded(t, s)
				p, other := &basin.BytePool{MaxInUse: 64 << 10}, &basin.BytePool{MaxInUse: ceiling}
				if name == "the new default pool" {
					defer basin.SetDefault(basin.Default())
					basin.SetDefault(p)
				}
				outstanding := guard.Count()
				b := p.Get(4096)
				if guard.Count() != outstanding+1 {
					t.Fatal("not guarded")
				}
				if tt.off {
					basincheck.Set(basincheck.Settings{})
				}
				tt.give(other, b)
				if in := p.Stats().Bytes.InUse; in != 0 || guard.Count() != outstanding {
					t.Errorf("%s, %v, MaxInUse %d: %d bytes in use, %d guarded slices outstanding", name, s.Level, ceiling, in, guard.Count()-outstanding)
				}
				if in := other.Stats().Bytes.InUse; in != 0 {
					t.Errorf("%s, %v, MaxInUse %d: the other pool has %d bytes in use", name, s.Level, ceiling, in)
				}
				if got := told.Take(); name == "adopted" && got != nil {
					t.Errorf("%s: reported %v", name, got)
				}
			}
		}
	}
}

// TestGuardedForgets: a pool gets no guarded memory once it forgets. After checks, what was forgotten does not
// keep Put from its fast path.
func TestGuardedForgets(t *testing.T) {
	for _, during := range []bool{false, true} {
		beginGuarded(t, guardedFull)
		p := &basin.BytePool{}
		outstanding := guard.Count()
		b := p.Get(4096)
		if during {
			p.Forget(b)
		}
		basincheck.Set(basincheck.Settings{})
		if !during {
			p.Forget(b)
		}
		if n := guard.Count(); n != outstanding {
			t.Errorf("%d guarded slices are outstanding", n-outstanding)
		}
		b[4095] = 1
		beginGuarded(t, guardedFull)
		for range 10 {
			defer p.Put(p.Get(4096))
		}
		if n := guard.Count(); n != outstanding {
			t.Errorf("%d guarded slices although the pool forgets", n-outstanding)
		}
		if s := basincheck.Stats(); s.Unguarded != 10 {
			t.Errorf("%+v", s)
		}
	}
}

// TestGuardedPoolDies: neither late nor outstanding guarded memory keeps its pool, nor one that others forgot.
func TestGuardedPoolDies(t *testing.T) {
	beginGuarded(t, guardedSampled)
	died := make(chan bool, 10)
	for i := range 10 {
		p := &basin.BytePool{MaxInUse: int64(i%2) << 20}
		runtime.AddCleanup(p, func(int) { died <- true }, 0)
		b := p.Get(4096)
		p.Put(p.Get(4096))
		switch i % 4 {
		case 0:
			p.Put(b)
		case 1:
			p.Forget(b)
		}
	}
	testenv.CollectUntil(func() bool { return len(died) == 10 })
}

// TestGuardedUnfreed: Buffers that are never freed show as unfreed at their line, guarded memory or not.
func TestGuardedUnfreed(t *testing.T) {
	for _, s := range []basincheck.Settings{guardedSampled, guardedFull} {
		beginGuarded(t, s)
		outstanding := guard.Count()
		for range 100 {
			new(basin.Buffer).Write(make([]byte, 1000))
		}
		line := thisLine() - 2
		testenv.CollectUntil(func() bool {
			for _, s := range basincheck.Sites() {
				if s.Stack.Line().Line == line && s.Unfreed >= 85 {
					return true
				}
			}
			return false
		})
		if n := guard.Count() - outstanding; n > 15 {
			t.Errorf("%d guarded arrays are lost", n)
		}
	}
}

// putting is a reader that puts the slice that it is given, by mistake, when it has n bytes more to read.
type putting struct {
	p *basin.BytePool
	n int
}

func (r *putting) Read(b []byte) (int, error) {
	n := min(len(b), r.n)
	r.n -= n
	if r.n == 0 {
		r.p.Put(b[:n:cap(b)])
		return n, io.EOF
	}
	return n, nil
}

// TestGuardedCopies: if basin's own copy faults, nothing that basin has taken is lost.
func TestGuardedCopies(t *testing.T) {
	for name, copies := range map[string]func(p *basin.BytePool, late []byte){
		"Append to": func(p *basin.BytePool, late []byte) { p.Append(late, make([]byte, 1000)...) },
		"Append of": func(p *basin.BytePool, late []byte) { p.Append(nil, late...) },
		"Grow":      func(p *basin.BytePool, late []byte) { p.Grow(late, 1000) },
		"ReadAll":   func(p *basin.BytePool, late []byte) { p.ReadAll(&putting{p, 200}) },
		"Write to a Buffer": func(p *basin.BytePool, late []byte) {
			var b basin.Buffer // grows through p, the default pool
			defer b.Free()
			b.Write(late)
		},
		"Write to a Buffer that grows": func(p *basin.BytePool, late []byte) {
			var b basin.Buffer // grows through p, the default pool
			defer b.Free()
			b.Write(make([]byte, 600))
			b.Write(late)
		},
		"Write to a Buffer of late memory": func(p *basin.BytePool, late []byte) {
			b := basin.NewBuffer(late)
			b.Write(make([]byte, 1000))
		},
		"Write to a Buffer whose array is late": func(p *basin.BytePool, late []byte) {
			var b basin.Buffer
			b.Write(make([]byte, 1000))
			p.Put(b.Bytes())
			b.Write(make([]byte, 1000))
		},
		"Detach": func(p *basin.BytePool, late []byte) { basin.NewBuffer(late).Detach() },
		"Share": func(p *basin.BytePool, late []byte) {
			basin.Default().NewShared(basin.NewBuffer(late).Detach()).Release()
		},
	} {
		for _, ceiling := range []int64{0, 64 << 10} {
			beginGuarded(t, guardedFull)
			basincheck.Set(basincheck.Settings{Level: basincheck.Full, Guard: true, Handler: func(*basincheck.Report) {}})
			p := &basin.BytePool{MaxInUse: ceiling}
			defer basin.SetDefault(basin.Default())
			basin.SetDefault(p)
			late := p.Get(700)
			p.Put(late)
			outstanding := guard.Count()
			err := basincheck.Catch(func() { copies(p, late) })
			if err == nil {
				t.Errorf("%s: no fault", name)
			}
			if s, n := p.Stats(), guard.Count(); s.Bytes.InUse != 0 || s.Items.InUse != 0 || n != outstanding {
				t.Errorf("%s, MaxInUse %d: %d bytes in %d items are in use, and %d more guarded arrays outstanding", name, ceiling, s.Bytes.InUse, s.Items.InUse, n-outstanding)
			}
		}
	}
}
