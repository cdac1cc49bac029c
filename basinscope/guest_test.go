//go:build go1.25

package basinscope_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A wide has eight bytes on all platforms, and a pointer.
type wide struct {
	_ [8 - unsafe.Sizeof(new(int))]byte
	_ *int
}

// guests are ways to take 40 KB that are not from the pool of the scope.
var guests = map[string]func(s *basinscope.Scope){
	"New": func(s *basinscope.Scope) {
		for range 100 {
			basinscope.New[[50]wide](s)
		}
	},
	"Slice":         func(s *basinscope.Scope) { basinscope.Slice[wide](s, 5000) },
	"short slices":  func(s *basinscope.Scope) { takeSlices(s, 1000) },
	"of a child":    func(s *basinscope.Scope) { c := s.Child(); basinscope.Slice[wide](c, 5000); c.End() },
	"fresh":         func(s *basinscope.Scope) { s.Fresh = true; takeBytes(s, 400) },
	"fresh, large":  func(s *basinscope.Scope) { s.Fresh = true; s.Get(40_000) },
	"fresh, values": func(s *basinscope.Scope) { s.Fresh = true; basinscope.Slice[wide](s, 5000) },
}

func takeSlices(s *basinscope.Scope, n int) {
	for range n {
		basinscope.Slice[wide](s, 5)
	}
}

func takeBytes(s *basinscope.Scope, n int) {
	for range n {
		s.Get(100)
	}
}

// TestGuests: memory of a scope counts towards the Limit of its pool, though it is not of the pool.
func TestGuests(t *testing.T) {
	for name, take := range guests {
		t.Run(name, func(t *testing.T) {
			l := &basin.Limit{Name: t.Name(), Max: 100_000}
			p := &basin.BytePool{Name: t.Name(), Limit: l}
			s := basinscope.Scope{Pool: p}
			take(&s)
			if st := l.Stats(); st.Bytes.InUse < 40_000 || st.Bytes.InUse > 64_000 || p.Stats().Beyond != 0 {
				t.Errorf("%d bytes in use, %d beyond", st.Bytes.InUse, p.Stats().Beyond)
			}
			if err := s.Room(1000); err != nil {
				t.Error(err)
			}
			take(&s)
			take(&s)
			if err := s.Room(1000); !errors.Is(err, basin.ErrLimit) {
				t.Errorf("room beyond the limit: %v", err)
			}
			if l.Stats().Bytes.InUse < 120_000 || p.Stats().Beyond == 0 {
				t.Errorf("%d bytes in use, %d beyond", l.Stats().Bytes.InUse, p.Stats().Beyond)
			}
			s.End()
			if st := l.Stats(); st.Bytes.InUse != 0 {
				t.Errorf("%d bytes in use after the end", st.Bytes.InUse)
			}
		})
	}
}

// TestGuestsOfReservation: they draw from the reservation of a view.
func TestGuestsOfReservation(t *testing.T) {
	for name, take := range guests {
		t.Run(name, func(t *testing.T) {
			l := &basin.Limit{Name: t.Name(), Max: 200_000}
			r, err := l.Acquire(t.Context(), 100_000)
			if err != nil {
				t.Fatal(err)
			}
			s := basinscope.Scope{Pool: r.Pool(&basin.BytePool{Name: t.Name(), Limit: l})}
			take(&s)
			if st := l.Stats(); st.Bytes.InUse < 40_000 || st.Bytes.InUse+st.Reserved != 100_000 {
				t.Errorf("%d bytes in use, %d reserved", st.Bytes.InUse, st.Reserved)
			}
			r.Release()
			s.End()
			if st := l.Stats(); st.Bytes.InUse != 0 || st.Reserved != 0 {
				t.Errorf("%d bytes in use, %d reserved after the end", st.Bytes.InUse, st.Reserved)
			}
		})
	}
}

// TestGuestsLost: a scope without End gives its room back when it is garbage.
func TestGuestsLost(t *testing.T) {
	for name, take := range guests {
		t.Run(name, func(t *testing.T) {
			l := &basin.Limit{Name: t.Name(), Max: 100_000}
			p := &basin.BytePool{Name: t.Name(), Limit: l}
			take(&basinscope.Scope{Pool: p})
			if l.Stats().Bytes.InUse < 40_000 {
				t.Error("nothing counted")
			}
			testenv.CollectUntil(func() bool { return l.Stats().Bytes.InUse == 0 })
		})
	}
}

// TestGuestsWithoutCleanups: requests find the room of dropped scopes whose cleanups do not run, because GOMAXPROCS
// fell while the runtime swept.
func TestGuestsWithoutCleanups(t *testing.T) {
	pooltest.Misuses(t) // with full checks, these are leaks
	const most = 1 << 20
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	l := &basin.Limit{Name: t.Name(), Max: most}
	p := &basin.BytePool{Name: t.Name(), Limit: l}
	for range 5 {
		runtime.GOMAXPROCS(8)
		var users sync.WaitGroup
		for range 8 {
			users.Go(func() {
				for range most / 8 / 256 {
					basinscope.New[int](&basinscope.Scope{Pool: p})
				}
			})
		}
		users.Wait()
		go runtime.GC()
		runtime.Gosched()
		runtime.GOMAXPROCS(1)
		b, err := p.GetContext(t.Context(), most)
		if err != nil {
			t.Fatal(err)
		}
		p.Put(b)
	}
	testenv.RunCleanups() // those that are late
	if s := l.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d bytes are in use at the end", s.Bytes.InUse)
	}
}

// TestGuestsOfCeiling: MaxInUse is about memory of the pool.
func TestGuestsOfCeiling(t *testing.T) {
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 100_000}
	s := basinscope.Scope{Pool: p}
	basinscope.Slice[*int](&s, 50_000)
	if st := p.Stats(); st.Bytes.InUse != 0 || s.Room(1000) != nil {
		t.Errorf("%d bytes in use, room %v", st.Bytes.InUse, s.Room(1000))
	}
	s.End()
}

// TestGuestsRefused: a Room of a fresh scope that is refused counts as any other refusal, so the Limit looks for lost memory.
func TestGuestsRefused(t *testing.T) {
	pooltest.Misuses(t) // with full checks, these are leaks
	l := &basin.Limit{Name: t.Name(), Max: 100_000}
	p := &basin.BytePool{Name: t.Name(), Limit: l}
	p.Get(90_000)
	s := basinscope.Scope{Pool: p, Fresh: true}
	defer s.End()
	for s.Room(50_000) != nil {
		runtime.Gosched()
	}
	if p.Stats().Refused == 0 || l.Stats().Refused == 0 {
		t.Error("no refusal was counted")
	}
}

// TestGuestsAtRandom: scopes with children, reservations and fresh memory, some without End, use Limits that change,
// while checks are switched and GOMAXPROCS changes. In the end all room is free.
func TestGuestsAtRandom(t *testing.T) {
	pooltest.Misuses(t) // leaks
	pooltest.BeginChecks(t, basincheck.Settings{})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	outer := &basin.Limit{Name: t.Name() + ", outer", Max: 4 << 20}
	inner := &basin.Limit{Name: t.Name() + ", inner", Max: 200_000, Within: outer}
	pools := []*basin.BytePool{{Limit: outer, MaxSize: 2000}, {Limit: inner}, {Limit: inner, MaxInUse: 50_000}}
	var users sync.WaitGroup
	live := func(r *rand.Rand, stamp byte) {
		p := pools[r.IntN(len(pools))]
		if r.IntN(3) == 0 {
			reserved, err := outer.Acquire(t.Context(), r.Int64N(100_000))
			if err != nil {
				t.Error(err)
				return
			}
			if p = reserved.Pool(p); r.IntN(3) > 0 {
				defer reserved.Release()
			}
		}
		s := &basinscope.Scope{Pool: p, Fresh: r.IntN(3) == 0, Max: r.Int64N(2) * r.Int64N(100_000)}
		o := &owner{stamp: stamp}
		for range r.IntN(60) {
			o.take(t, s, r)
			s.Room(r.IntN(3000))
			if r.IntN(30) == 0 {
				c, r := s.Child(), rand.New(rand.NewPCG(r.Uint64(), 0))
				users.Go(func() {
					defer c.End()
					o := &owner{stamp: stamp + 100}
					for range r.IntN(40) {
						o.take(t, c, r)
					}
					o.verify(t)
				})
			}
		}
		if o.verify(t); r.IntN(3) > 0 {
			s.End()
		}
	}
	var lives atomic.Int32
	for g := range 4 {
		users.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 100 {
				live(r, byte(g+1))
				lives.Add(1)
			}
		})
	}
	levels := []basincheck.Settings{{}, pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}}
	for n := 0; lives.Load() < 400 && !t.Failed(); n++ {
		level := levels[n%3]
		level.Handler = func(r *basincheck.Report) {
			if r.Kind != basincheck.Leak {
				t.Error(r)
			}
		}
		basincheck.Set(level)
		inner.SetMax(int64(100_000 + n%7*30_000))
		runtime.GC()
		runtime.GOMAXPROCS(1 + n%8)
	}
	users.Wait()
	basincheck.Set(basincheck.Settings{})
	testenv.CollectUntil(func() bool { return outer.Stats().Bytes.InUse == 0 && outer.Stats().Reserved == 0 })
	if st := inner.Stats(); st.Bytes.InUse != 0 {
		t.Errorf("%d bytes in use", st.Bytes.InUse)
	}
}
